/**
 * A repository in which everything that a server might run leaves a mark: packages, the plugins that configurations name,
 * configurations that are programs, an interpreter, a build.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { type Sample, type SamplePlace, writeSample } from "../../src/cli/verify/sample.js";
import { answerCheck, program, testEnvironment } from "./session.js";

/** What servers of the JavaScript world are known to load from a project. */
const names = [
  ...["typescript", "svelte", "prettier", "eslint", "tailwindcss", "vue", "hostile-plugin", "remark", "nx"],
  ...["@angular/core", "@angular/language-service", "@vue/typescript-plugin", "@vue/language-core"],
  ...["@sap/cds", "@sap/cds-compiler", "@babel/core", "postcss", "stylelint", "graphql", "marko", "rescript"],
];
const entries = [
  "index.js",
  "compiler/index.js",
  "lib/index.js",
  "lib/typescript.js",
  "lib/tsserver.js",
  "lib/tsserverlibrary.js",
];

/** Programs of JavaScript that are a configuration, or that one names. */
const scripts = [
  ...["svelte.config.js", "eslint.config.js", "tailwind.config.js", "prettier.config.cjs", ".remarkrc.cjs"],
  ...[".eslintrc.js", "stylelint.config.js", "graphql.config.js", "relay.config.js", "hostile.cjs"],
];
const modules = ["hostile.mjs", ".herb/rules/hostile.mjs", "astro.config.mjs", "oxfmt.config.ts"];

/** Configurations that name what is to be loaded or run. */
const naming = {
  "tsconfig.json": {
    compilerOptions: { lib: ["es5"], plugins: [{ name: "hostile-plugin" }, { name: "../hostile.cjs" }] },
    vueCompilerOptions: { plugins: ["./hostile.cjs"] },
    mdx: { plugins: ["./hostile.cjs"], checkMdx: true },
  },
  ".prettierrc": { plugins: ["hostile-plugin", "./hostile.mjs"] },
  ".oxlintrc.json": { jsPlugins: ["./hostile.mjs"], rules: { "hostile/rule": "error" } },
  "deno.json": { lint: { plugins: ["./hostile.mjs"] } },
  ".vscode/settings.json": { "python.defaultInterpreterPath": ".venv/bin/python" },
};

/** An untrusted repository, and what was run in it. */
export interface Strange {
  top: string;
  work: string;
  /** Which hostile files were run, by their names. */
  marks(): string[];
  remove(): void;
}

/** A repository with the files of a sample, and with hostile ones around them. */
export function makeStrange({ files }: Pick<Sample, "files">): Strange {
  const top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-strange-")));
  const work = join(top, "work");
  const mark = join(top, "mark");
  const script = `require("node:fs").appendFileSync(${JSON.stringify(mark)}, __filename + "\\n");\n`;
  const module = `import { appendFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(mark)}, import.meta.url + "\\n");\nexport default {};\n`;
  const shell = (then: string) => `#!/bin/sh\necho "$0" >> "${mark}"\n${then}\n`;
  const python = `open(${JSON.stringify(mark)}, "a").write(__file__ + "\\n")\n`;
  const programs = {
    ".venv/bin/python": shell('exec python3 "$@"'),
    ".venv/bin/python3": shell('exec python3 "$@"'),
    "hostile.sh": shell('exec "$@"'),
  };
  const packages = names.flatMap((name) => [
    [`node_modules/${name}/package.json`, JSON.stringify({ name, version: "5.9.3", main: "index.js" })],
    ...entries.map((entry) => [`node_modules/${name}/${entry}`, script]),
  ]);
  const all = {
    "package.json": '{ "name": "strange" }',
    ...files,
    ...Object.fromEntries(packages),
    ...Object.fromEntries(scripts.map((name) => [name, script])),
    ...Object.fromEntries(modules.map((name) => [name, module])),
    ...Object.fromEntries(Object.entries(naming).map(([name, value]) => [name, JSON.stringify(value)])),
    ...programs,
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
    ".ropeproject/config.py": python,
    "conftest.py": python,
    "sitecustomize.py": python,
    "conf.py": python,
    "mypy.ini": "[mypy]\nplugins = ./conftest.py\n",
    "setup.cfg":
      "[flake8:local-plugins]\nextension = X = conftest:f\npaths = .\n[mypy]\nplugins = conftest.py\n",
    ".pylintrc": `[MASTER]\ninit-hook=${python}`,
    "build.rs": `fn main() { std::fs::write(${JSON.stringify(mark)}, "build.rs\\n").unwrap(); }\n`,
    ".cargo/config.toml": `[build]\nrustc-wrapper = ${JSON.stringify(join(work, "hostile.sh"))}\n`,
    ".clangd": `CompileFlags:\n  Compiler: ${join(work, "hostile.sh")}\n  Add: [-Xclang, -diagnostic-log-file, -Xclang, ${mark}]\n`,
    ".rumdl.toml": `[code-block-tools]\nenabled = true\nlanguages.text.lint = ["hostile"]\ntools.hostile.command = [${JSON.stringify(join(work, "hostile.sh"))}]\n`,
  };
  writeSample({ files: all }, work, undefined);
  for (const name of Object.keys(programs)) chmodSync(join(work, name), 0o755);
  return {
    top,
    work,
    marks: () => (existsSync(mark) ? readFileSync(mark, "utf8").trim().split("\n") : []),
    remove: () => rmSync(top, { recursive: true, force: true }),
  };
}

/** Asks a server about a place in several ways, all at one start; gives what was said. */
export async function askIn(
  { top, work }: Strange,
  kind: string,
  { file, line, character }: SamplePlace,
  more: { path?: readonly string[]; config?: string; command?: string; words?: readonly string[] } = {},
): Promise<string> {
  const own = more.config ?? `[[servers]]\nid = "x"\nkind = "${kind}"\n`;
  const allowed = more.command === undefined ? "" : `commands = [${JSON.stringify(more.command)}]\n`;
  const rest = `[allow]\neffects = ["read", "edit"]\n${allowed}[workspace]\nroots = ["${work}"]\n`;
  // The user's own config: naming one with `--config` would trust the workspace.
  mkdirSync(join(top, "config/lsp-proxy"), { recursive: true });
  writeFileSync(join(top, "config/lsp-proxy/config.toml"), `${own}${rest}`);
  const client = new Client({ name: "strange", version: "0" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, "serve", "-w", work, ...(more.words ?? [])],
    env: {
      ...testEnvironment(),
      XDG_CONFIG_HOME: join(top, "config"),
      PATH: [...(more.path ?? []), testEnvironment().PATH ?? ""].join(delimiter),
    },
    stderr: "pipe",
  });
  const assertAnswers = answerCheck(transport.stderr);
  await client.connect(transport);
  const call = async (name: string, args: object) => {
    const answer = await client.callTool({ name, arguments: { file_path: file, ...args } }, undefined, {
      timeout: 300_000,
    });
    return (answer as { content: { text: string }[] }).content.map(({ text }) => text);
  };
  try {
    return [
      ...(await call("get_hover", { line, character })),
      ...(await call("get_diagnostics", {})),
      ...(await call("format_document", {})),
    ].join("\n");
  } finally {
    await client.close();
    assertAnswers();
  }
}

/** What a server says that waits for trust. */
export const WAITS = "may run code of the workspace";
