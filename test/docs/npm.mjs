/**
 * The `npm` of pages that are run: `npm init` and `npm install` of packages that this repository has, without the
 * network. `typescript@5` is the package that package.json calls `typescript-5`.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const packages = fileURLToPath(new URL("../../node_modules/", import.meta.url));
const [command, ...args] = process.argv.slice(2);
const { values, positionals } = parseArgs({
  args,
  options: { prefix: { type: "string" } },
  allowPositionals: true,
  strict: false,
});
const folder = values.prefix ?? process.cwd();

function link(target, path) {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(path, { force: true });
  symlinkSync(target, path);
}

if (command === "init") {
  writeFileSync(
    join(folder, "package.json"),
    `${JSON.stringify({ name: basename(folder), version: "1.0.0" }, null, 2)}\n`,
  );
} else if (command === "install" && positionals.length > 0) {
  for (const spec of positionals) {
    const [, name, major] = /^(@?[^@]+)(?:@(\d+))?/.exec(spec);
    const source = [`${name}-${major}`, name]
      .map((one) => join(packages, one))
      .find((path) => existsSync(path));
    if (source === undefined) {
      console.error(`${spec} is not a package of this repository, and a page that is run installs no other`);
      process.exit(1);
    }
    const place = join(folder, "node_modules", name);
    const { bin = {}, dependencies } = JSON.parse(readFileSync(join(source, "package.json"), "utf8"));
    // A copy finds what is installed beside it, a link finds what it depends on.
    if (dependencies === undefined && positionals.length > 1) cpSync(source, place, { recursive: true });
    else link(source, place);
    // Relative, as npm's: lsp-proxy renames the folder after it.
    for (const [program, path] of Object.entries(typeof bin === "string" ? { [name]: bin } : bin))
      link(join("..", name, path), join(folder, "node_modules", ".bin", program));
  }
} else {
  console.error(`\`npm ${command}\` is not for a page that is run`);
  process.exit(1);
}
