/** What is measured on: a workspace made for it, or a copy of a project, each with a config and a bundle of it. */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { environment, program, repository } from "./proxy.mjs";

const tsserver = join(repository, "node_modules", "typescript-5", "lib", "tsserver.js");

/** The server that the real calls go to: its command line, as the preset has it. */
export const server = {
  kind: "typescript-language-server",
  command: "typescript-language-server",
  args: ["--stdio"],
  languageId: "typescript",
  ending: ".ts",
  /** The preset's options, for the raw server. */
  options: { tsserver: { path: tsserver, useSyntaxServer: "never" } },
};

const config = `[allow]
commands = ["${server.command}"]

[[servers]]
id = "bench"
kind = "${server.kind}"
initialize_options.tsserver.path = ${JSON.stringify(tsserver)}
`;

/** A folder of its own, gone when the benchmark ends. */
export function scratch(name) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `lsp-proxy-bench-${name}-`)));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A workspace of modules that use each other; every function is used in three other modules. */
export function generated(modules = 60) {
  const folder = scratch("made");
  mkdirSync(join(folder, "src"));
  const options = { target: "es2022", module: "nodenext", strict: true, skipLibCheck: true };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: ["src"] }),
  );
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "made", type: "module" }));
  for (let index = 0; index < modules; index++)
    writeFileSync(join(folder, "src", `module${index}.ts`), moduleText(index, modules));
  return prepared(folder, "a generated workspace");
}

function moduleText(index, modules) {
  const used = [1, 2, 3].map((step) => (index + step) % modules);
  const imports = used.map(
    (other) => `import { compute${other}, type Record${other} } from "./module${other}.js";`,
  );
  const calls = used.map((other) => `compute${other}({ name: "n", size: value.size }, depth - 1).size`);
  const members = Array.from({ length: 20 }, (_, n) => [
    `/** Step ${n} of module ${index}. */`,
    `export function step${index}_${n}(value: Record${index}): number {`,
    `  return value.size + ${n};`,
    "}",
  ]);
  return [
    ...imports,
    "",
    `/** A record of module ${index}. */`,
    `export interface Record${index} {`,
    "  name: string;",
    "  size: number;",
    "}",
    "",
    `/** Computes with the records of ${used.length} other modules. */`,
    `export function compute${index}(value: Record${index}, depth: number): Record${index} {`,
    "  if (depth <= 0) return value;",
    `  return { name: value.name, size: ${calls.join(" + ")} };`,
    "}",
    "",
    ...members.flat(),
    `export type All${index} = ${used.map((other) => `Record${other}`).join(" | ")};`,
    "",
  ].join("\n");
}

/** A copy of a project, without what a clone does not have. */
export function copied(path) {
  const folder = scratch("copy");
  const skipped = new Set([".git", "dist", "node_modules"]);
  cpSync(path, folder, { recursive: true, filter: (source) => !skipped.has(basename(source)) });
  return prepared(folder, basename(path));
}

/** Config and bundle stand outside the workspace, so that the program and the raw server see the same files. */
function prepared(folder, name) {
  const outside = scratch("config");
  const configFile = join(outside, "lspi.toml");
  writeFileSync(configFile, `${config}\n[workspace]\nroots = [${JSON.stringify(folder)}]\n`);
  const bundle = join(outside, "bundle");
  execFileSync(process.execPath, [program, "generate", "--config", configFile, "--out", bundle], {
    env: environment(),
  });
  return { name, folder, configFile, bundle, files: sources(folder) };
}

function sources(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(server.ending) && !name.endsWith(`.d${server.ending}`))
    .sort()
    .map((name) => relative(folder, join(folder, name)));
}
