/**
 * `npm run release -- --dry-run`: makes everything that a release has into a folder, checks each part, and prints a line for each
 * check. It publishes nothing; the workflow `.github/workflows/release.yml` does.
 *
 *   --out DIR     where the release is made; default: tmp/release, which git ignores. An earlier one there is replaced
 *   --only PART   only this part, and the package that the others contain; may be repeated
 *   --complete    a skipped check is a failure, as before publishing
 */
import { mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { clientFolders } from "./release/clients.mjs";
import { deployments } from "./release/deployments.mjs";
import { editors } from "./release/editors.mjs";
import { image } from "./release/image.mjs";
import { npmPackage } from "./release/package.mjs";
import { mcpRegistry } from "./release/registry.mjs";
import { Report } from "./release/report.mjs";
import { sbom } from "./release/sbom.mjs";
import { site } from "./release/site.mjs";
import { openTemplates } from "./release/templates.mjs";
import { workflows } from "./release/workflows.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const parts = {
  registry: mcpRegistry,
  clients: clientFolders,
  sbom,
  image,
  deployments,
  editors,
  site,
  workflows,
};
const { values: flags } = parseArgs({
  options: {
    "dry-run": { type: "boolean" },
    out: { type: "string" },
    only: { type: "string", multiple: true },
    complete: { type: "boolean", default: false },
  },
});
if (!flags["dry-run"]) {
  console.error(
    "This command publishes nothing: run `npm run release -- --dry-run` to make and check a release.\n" +
      "To publish, push the tag v<version>: .github/workflows/release.yml makes the same files and publishes them with provenance.",
  );
  process.exit(2);
}
const unknown = (flags.only ?? []).filter((name) => !Object.hasOwn(parts, name) && name !== "package");
if (unknown.length > 0) {
  console.error(
    `there is no part ${unknown.join(", ")}; there are package, ${Object.keys(parts).join(", ")}`,
  );
  process.exit(2);
}

const out = resolve(flags.out ?? fileURLToPath(new URL("../tmp/release", import.meta.url)));
rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
const report = new Report();
const release = { root, out, report, ...(await openTemplates(root)) };
const unpacked = await npmPackage(release);
const chosen = Object.entries(parts).filter(([name]) => flags.only?.includes(name) ?? true);
for (const [name, part] of unpacked === undefined ? [] : chosen) {
  try {
    await part({ ...release, unpacked });
  } catch (error) {
    report.failed(name, error);
  }
}
console.log(`made in ${out}, nothing was published:`);
for (const name of readdirSync(out).sort()) {
  const stats = statSync(join(out, name));
  console.log(`  ${stats.isDirectory() ? `${name}/` : `${name} (${Math.ceil(stats.size / 1024)} kB)`}`);
}
process.exitCode = report.end(flags.complete);
