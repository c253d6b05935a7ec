/** What is measured on: a workspace made for it, or a copy of a project, each with a config and a bundle of it. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { environment, program, repository } from "./proxy.mjs";

const tsserver = join(repository, "node_modules", "typescript-5", "lib", "tsserver.js");

/** The servers that the real calls go to: the command line, as the preset has it, and what the raw server needs besides. */
const servers = {
  typescript: {
    kind: "typescript-language-server",
    command: "typescript-language-server",
    args: ["--stdio"],
    languageId: "typescript",
    ending: ".ts",
    /** The preset's options, for the raw server. */
    options: { tsserver: { path: tsserver, useSyntaxServer: "never" } },
    config: `initialize_options.tsserver.path = ${JSON.stringify(tsserver)}\n`,
    /** Lines with two mistakes, and the codes that the server has for them. */
    mistakes: {
      text: (name) => `export const ${name}: number = "no";\nfunction unused${name}() {}`,
      codes: ["2322", "6133"],
    },
  },
  python: {
    kind: "pyright",
    command: "pyright-langserver",
    args: ["--stdio"],
    languageId: "python",
    ending: ".py",
    /** A line of its log by which it says that it has found its files. */
    readyText: "source file",
    options: {},
    config: "",
    mistakes: {
      text: (name) => `${name}: int = "no"\nprint(missing${name})`,
      codes: ["reportAssignmentType", "reportUndefinedVariable"],
    },
  },
};

/** The server of the generated workspace. */
export const server = servers.typescript;

const scratches = [];
process.once("exit", () => {
  for (const folder of scratches) rmSync(folder, { recursive: true, force: true });
});

/** A folder of its own, gone when the benchmark ends. */
export function scratch(name) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `lsp-proxy-bench-${name}-`)));
  scratches.push(folder);
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
  return prepared(folder, "a generated workspace", servers.typescript);
}

/** The same for another server: modules of Python, every function used in three others. */
export function generatedPython(modules = 60) {
  const folder = scratch("made");
  writeFileSync(join(folder, "pyrightconfig.json"), "{}");
  for (let index = 0; index < modules; index++) {
    const used = [1, 2, 3].map((step) => (index + step) % modules);
    const lines = [
      ...used.map((other) => `import module${other}`),
      "",
      `def compute${index}(depth: int) -> int:`,
      `    return depth if depth <= 0 else ${used.map((other) => `module${other}.compute${other}(depth - 1)`).join(" + ")}`,
      "",
    ];
    writeFileSync(join(folder, `module${index}.py`), lines.join("\n"));
  }
  return prepared(folder, "generated modules of Python", servers.python);
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

/** A copy of a project, without what a clone does not have, for the server that more of its files are for. */
export function copied(path) {
  const folder = scratch("copy");
  const skipped = new Set([".git", "dist", "node_modules"]);
  const from = realpathSync(path);
  cpSync(from, folder, {
    recursive: true,
    filter: (source) => source === from || (!skipped.has(basename(source)) && isPlain(source)),
  });
  const counts = Object.values(servers).map((one) => [one, sources(folder, one).length]);
  const [chosen, count] = counts.reduce((most, next) => (next[1] > most[1] ? next : most));
  if (count === 0) throw new Error(`${path} has no sources of ${Object.keys(servers).join(" or ")}`);
  return { ...prepared(folder, basename(from), chosen), isCopy: true };
}

/** Files and folders; a socket or a link out of the project is no part of the copy. */
function isPlain(path) {
  const facts = lstatSync(path);
  return facts.isFile() || facts.isDirectory();
}

/** Config and bundle stand outside the workspace, so that the program and the raw server see the same files. */
function prepared(folder, name, chosen) {
  const outside = scratch("config");
  const configFile = join(outside, "lspi.toml");
  const config = `[allow]
commands = ["${chosen.command}"]

[workspace]
roots = [${JSON.stringify(folder)}]

[[servers]]
id = "bench"
kind = "${chosen.kind}"
${chosen.config}`;
  writeFileSync(configFile, config);
  const bundle = join(outside, "bundle");
  execFileSync(process.execPath, [program, "generate", "--config", configFile, "--out", bundle], {
    env: environment(),
  });
  return { name, folder, configFile, bundle, server: chosen, files: sources(folder, chosen) };
}

/** The largest first: they declare most, and small ones are often mere lists of others. */
function sources(folder, { ending }) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(ending) && !name.endsWith(`.d${ending}`))
    .map((name) => ({ name, bytes: statSync(join(folder, name)).size }))
    .sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
    .map(({ name }) => relative(folder, join(folder, name)));
}
