/** The output of `generate --deploy kubernetes`, checked against the published schemas of the Kubernetes API and by a real API server. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
// Comes with the YAML language server that the tests use.
import { parseAllDocuments } from "yaml";
import { applyDry } from "./kubernetes-api.mjs";
import { fetchTool, inFolder, mustRun } from "./tools.mjs";

const PART = "Kubernetes files";

export async function deployments({ out, report, facts }) {
  const documents = await generated(facts, out);
  await report.check(PART, "agree with the published schemas", async () => {
    const { folder } = fetchTool("kubernetes");
    const models = join(folder, "node_modules", "kubernetes-models");
    for (const document of documents) {
      const { [document.kind]: Model } = await import(
        pathToFileURL(join(models, document.apiVersion, `${document.kind}.js`)).href
      );
      try {
        new Model(document).validate();
      } catch (error) {
        throw new Error(`${document.kind} ${document.metadata.name}: ${error.message}`);
      }
    }
    return documents.map(({ kind }) => kind).join(", ");
  });
  await report.check(PART, "are accepted by an API server, as a dry run", () => applyDry(documents));
}

/** The documents of a config with one server. */
async function generated({ program, name, version }, out) {
  await inFolder((folder) => {
    const server = '[allow]\ncommands = ["gopls"]\n[[servers]]\nid = "go"\nkind = "gopls"\n';
    writeFileSync(join(folder, "lspi.toml"), server);
    const image = `${name}:${version}`;
    const words = ["--config", "lspi.toml", "--deploy", "kubernetes", "--image", image, "--out", out];
    mustRun(process.execPath, [program, "generate", ...words], { cwd: folder });
  });
  const text = readFileSync(join(out, "kubernetes.yaml"), "utf8");
  return parseAllDocuments(text).map((document) => document.toJS());
}
