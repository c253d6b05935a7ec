/**
 * Real servers in a repository whose packages leave a mark when they are run. As long as nobody trusts it none does, whether a
 * server has what it loads beside itself or not; once it is trusted they are what servers load.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { parse } from "smol-toml";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readSamples, type Sample, writeSample } from "../../src/cli/trial/sample.js";
import { fetch } from "../matrix/fetch.mjs";
import { binaries, program, repository, testEnvironment } from "./session.js";

/** What servers of the JavaScript world are known to load from a project. */
const names = [
  ...["typescript", "svelte", "prettier", "eslint", "tailwindcss", "vue", "hostile-plugin"],
  ...["@angular/core", "@angular/language-service", "@vue/typescript-plugin", "@vue/language-core"],
];
const entries = [
  "index.js",
  "compiler/index.js",
  "lib/typescript.js",
  "lib/tsserver.js",
  "lib/tsserverlibrary.js",
];
const configs = { "svelte.config.js": "", "eslint.config.js": "", "tailwind.config.js": "" };

let top: string;
let work: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-strange-")));
  work = join(top, "work");
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const isMarked = () => existsSync(join(top, "mark"));

/** A repository with the files of a sample, and with hostile packages and configurations. */
function repositoryOf({ files }: Pick<Sample, "files">): void {
  const hostile = `require("node:fs").appendFileSync(${JSON.stringify(join(top, "mark"))}, __filename + "\\n");`;
  const packages = names.flatMap((name) => [
    [`node_modules/${name}/package.json`, JSON.stringify({ name, version: "5.9.3", main: "index.js" })],
    ...entries.map((entry) => [`node_modules/${name}/${entry}`, hostile]),
  ]);
  const all = {
    "package.json": '{ "name": "strange" }',
    ...files,
    ...Object.fromEntries([...Object.keys(configs).map((name) => [name, hostile]), ...packages]),
    ".prettierrc": '{ "plugins": ["hostile-plugin"] }',
  };
  writeSample({ files: all }, work, undefined);
}

/** Asks a server about a file in several ways, all at one start; gives what was said. */
async function ask(
  kind: string,
  file: string,
  path: string,
  more: { config?: string; words?: string[] } = {},
) {
  const own = more.config ?? `[[servers]]\nid = "x"\nkind = "${kind}"\n`;
  const rest = `[allow]\neffects = ["read", "edit"]\n[workspace]\nroots = ["${work}"]\n`;
  writeFileSync(join(top, "config.toml"), `${own}${rest}`);
  const client = new Client({ name: "strange-packages", version: "0" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, "serve", "--config", join(top, "config.toml"), "-w", work, ...(more.words ?? [])],
      env: { ...testEnvironment(), PATH: `${path}${delimiter}${process.env.PATH ?? ""}` },
      stderr: "ignore",
    }),
  );
  const call = async (name: string, args: object) => {
    const answer = await client.callTool({ name, arguments: { file_path: file, ...args } }, undefined, {
      timeout: 120_000,
    });
    return (answer as { content: { text: string }[] }).content.map(({ text }) => text);
  };
  try {
    return [
      ...(await call("get_hover", { line: 1, character: 1 })),
      ...(await call("get_diagnostics", {})),
      ...(await call("format_document", {})),
    ].join("\n");
  } finally {
    await client.close();
  }
}

const sampleOf = (name: string): Sample => {
  const sample = readSamples().find((entry) => entry.name === name);
  if (sample === undefined) throw new Error(`no sample ${name}`);
  return sample;
};

/** typescript-language-server as npm installs it for everybody, with a TypeScript beside it. */
function installed(typescript: string): string {
  const modules = join(top, "prefix/lib/node_modules");
  mkdirSync(modules, { recursive: true });
  cpSync(
    join(repository, "node_modules/typescript-language-server"),
    join(modules, "typescript-language-server"),
    {
      recursive: true,
    },
  );
  symlinkSync(join(repository, "node_modules", typescript), join(modules, "typescript"));
  const bin = join(top, "prefix/bin");
  mkdirSync(bin);
  symlinkSync(
    join(modules, "typescript-language-server/lib/cli.mjs"),
    join(bin, "typescript-language-server"),
  );
  return bin;
}

describe("typescript-language-server", () => {
  it("serves with the TypeScript beside it", async () => {
    repositoryOf(sampleOf("typescript"));
    const said = await ask("typescript-language-server", "a.ts", installed("typescript-5"));
    expect(said).toContain("get_hover (server x");
    expect(said).not.toContain("Error");
    expect(isMarked()).toBe(false);
  }, 180_000);

  it("is not started where that is none that it can load, until the repository is trusted", async () => {
    repositoryOf(sampleOf("typescript"));
    const bin = installed("typescript");
    const said = await ask("typescript-language-server", "a.ts", bin);
    expect(said).toContain("`typescript/lib/tsserver.js` was sought beside `typescript-language-server`");
    expect(said).toContain("lsp-proxy trust");
    expect(isMarked()).toBe(false);
    await ask("typescript-language-server", "a.ts", bin, { words: ["--trust-workspace"] });
    expect(isMarked()).toBe(true);
  }, 180_000);
});

it("eslint is not started until the repository is trusted", async () => {
  repositoryOf({ files: { "a.js": "let x = 1;\n" } });
  const said = await ask("vscode-eslint-language-server", "a.js", binaries);
  expect(said).toContain("runs code of the workspace");
  expect(isMarked()).toBe(false);
  await ask("vscode-eslint-language-server", "a.js", binaries, { words: ["--trust-workspace"] });
  expect(isMarked()).toBe(true);
}, 180_000);

const matrix = parse(readFileSync(join(repository, "test/matrix/servers.toml"), "utf8"));
const stack = 'extends = ["stacks/vue"]\n';
const fetched: [id: string, sample: string, file: string, config?: string][] = [
  ["vtsls", "typescript", "a.ts"],
  ["svelteserver", "svelte", "App.svelte"],
  ["astro-ls", "astro", ""],
  ["mdx-language-server", "mdx", ""],
  ["ngserver", "angular", ""],
  ["vue-language-server", "vue", "", stack],
  ["tailwindcss-language-server", "tailwind", ""],
];

describe.each(fetched)("%s", (id, name, file, config) => {
  const { modules, failure } = fetch(id, matrix[id] as { npm: string[] });
  if (failure !== undefined) console.warn(`${id} is skipped: ${failure}`);

  it.skipIf(modules === undefined)(
    "runs nothing of a repository that nobody trusts",
    async () => {
      const sample = sampleOf(name);
      repositoryOf(sample);
      const asked = file === "" ? (sample.ask?.file ?? "") : file;
      const said = await ask(id, asked, join(modules ?? "", ".bin"), config === undefined ? {} : { config });
      expect(said).toMatch(/\(server |runs code of the workspace/);
      expect(isMarked()).toBe(false);
    },
    240_000,
  );
});
