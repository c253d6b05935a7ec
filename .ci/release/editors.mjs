/** The schema for editors: a config that `init` writes, in the real Taplo server, with the packed schema at the address in the config. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fetchTool, inFolder, mustRun } from "./tools.mjs";

const PART = "schema for editors";

export async function editors({ report, facts, unpacked }) {
  const config = await writtenConfig(facts);
  const schema = join(unpacked, "configs", "schema.json");
  const [, url] = /^#:schema (\S+)$/m.exec(config) ?? [];
  const taplo = (text, ...places) => {
    const { require } = fetchTool("taplo");
    const driver = fileURLToPath(new URL("taplo.mjs", import.meta.url));
    const words = [driver, require.resolve("@taplo/lsp"), url, schema, ...places];
    return JSON.parse(mustRun(process.execPath, words, { input: text, timeout: 120_000 }));
  };
  await report.check(PART, "a config of `init` names it, and Taplo finds the config right", () => {
    const { schema: associated, diagnostics } = taplo(config);
    if (associated !== url) throw new Error(`Taplo associates ${associated}, not ${url}`);
    if (diagnostics.length > 0) throw new Error(diagnostics.map(({ message }) => message).join("; "));
    return url;
  });
  await report.check(PART, "Taplo completes, explains and checks by it", () => {
    const lines = config.trimEnd().split("\n");
    const text = `${[...lines, "", "[limits]", "max_items = 3", "", "[http]"].join("\n")}\n`;
    const limits = lines.length + 1;
    const [table, key, empty] = taplo(text, `${limits}:2`, `${limits + 1}:2`, `${limits + 4}:0`).answers;
    if (!table.hover || !key.hover) throw new Error("it does not explain `limits` and `limits.max_items`");
    if (!empty.completions.includes("port"))
      throw new Error(`it completes ${empty.completions.join(", ") || "nothing"}`);
    const { diagnostics } = taplo(text.replace("max_items = 3", "max_itemz = 3"));
    if (diagnostics.length === 0) throw new Error("it does not report an unknown key");
    return `${empty.completions.length} completions; max_items: ${key.hover}`;
  });
}

/** The config that `init` writes for a project with one language. */
function writtenConfig({ program }) {
  return inFolder((home) => {
    const project = join(home, "project");
    mkdirSync(project);
    writeFileSync(join(project, "main.py"), "print(1)\n");
    const env = { PATH: process.env.PATH, HOME: home };
    return mustRun(process.execPath, [program, "init", "--dry-run", "--all"], { cwd: project, env });
  });
}
