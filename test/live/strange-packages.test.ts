/**
 * Real servers in a repository in which everything that they might run leaves a mark. As long as nobody trusts it nothing does,
 * whether a server has what it loads beside itself or not; once it is trusted it is what servers run. `npm run matrix` does the
 * same with those that must be fetched.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { readSamples, type Sample } from "../../src/cli/verify/sample.js";
import { repository, testEnvironment } from "./session.js";
import { askIn, makeStrange, type Strange, WAITS } from "./strange.js";

const TRUSTED = { words: ["--trust-workspace"] };

let strange: Strange | undefined;
afterEach(() => strange?.remove());

function make(sample: Pick<Sample, "files">): Strange {
  strange = makeStrange(sample);
  return strange;
}

function sampleOf(name: string): Sample {
  const sample = readSamples().find((entry) => entry.name === name);
  if (sample === undefined) throw new Error(`no sample ${name}`);
  return sample;
}

const runs = (name: string, word: string) =>
  spawnSync(name, [word], { env: testEnvironment(), timeout: 60_000 }).status === 0;

/** typescript-language-server as npm installs it for everybody, with a TypeScript beside it. */
function installed(top: string, typescript: string): string {
  const modules = join(top, "prefix/lib/node_modules");
  const server = join(modules, "typescript-language-server");
  mkdirSync(modules, { recursive: true });
  cpSync(join(repository, "node_modules/typescript-language-server"), server, { recursive: true });
  symlinkSync(join(repository, "node_modules", typescript), join(modules, "typescript"));
  const bin = join(top, "prefix/bin");
  mkdirSync(bin);
  symlinkSync(join(server, "lib/cli.mjs"), join(bin, "typescript-language-server"));
  return bin;
}

describe("typescript-language-server", () => {
  const place = { file: "a.ts", line: 1, character: 1 };

  it("serves with the TypeScript beside it", async () => {
    const there = make(sampleOf("typescript"));
    const path = [installed(there.top, "typescript-5")];
    const said = await askIn(there, "typescript-language-server", place, { path });
    expect(said).toContain("get_hover (server x");
    expect(said).not.toContain("Error");
    expect(there.marks()).toEqual([]);
  }, 180_000);

  it("is not started where that is none that it can load, until the repository is trusted", async () => {
    const there = make(sampleOf("typescript"));
    const path = [installed(there.top, "typescript")];
    const said = await askIn(there, "typescript-language-server", place, { path });
    expect(said).toContain("`typescript/lib/tsserver.js` was sought beside `typescript-language-server`");
    expect(said).toContain("lsp-proxy trust");
    expect(there.marks()).toEqual([]);
    await askIn(there, "typescript-language-server", place, { path, ...TRUSTED });
    expect(there.marks()).not.toEqual([]);
  }, 180_000);
});

const waiting: [kind: string, files: Sample["files"], file: string, has: boolean][] = [
  ["vscode-eslint-language-server", { "a.js": "let x = 1;\n" }, "a.js", true],
  [
    "rust-analyzer",
    {
      "Cargo.toml": '[package]\nname = "strange"\nversion = "0.1.0"\nedition = "2021"\n',
      "src/main.rs": "fn main() {}\n",
    },
    "src/main.rs",
    runs("rust-analyzer", "--version") && runs("cargo", "--version"),
  ],
  ["clangd", { "a.c": "int x = y;\n" }, "a.c", runs("clangd", "--version")],
];

describe.each(waiting)("%s", (kind, files, file, has) => {
  it.skipIf(!has)(
    "is not started until the repository is trusted",
    async () => {
      const there = make({ files });
      const place = { file, line: 1, character: 5 };
      const said = await askIn(there, kind, place);
      expect(said).toContain(WAITS);
      expect(said).toContain("lsp-proxy trust");
      expect(there.marks()).toEqual([]);
      await askIn(there, kind, place, TRUSTED);
      expect(there.marks()).not.toEqual([]);
    },
    240_000,
  );
});

describe("gopls", () => {
  const go = spawnSync("which", ["go"], { encoding: "utf8" }).stdout.trim();
  const has = go !== "" && runs("gopls", "version");

  /** As asdf's does with `.tool-versions`, where it is run. */
  it.skipIf(!has)(
    "does not start a shim in the repository, until that is trusted",
    async () => {
      const sample = sampleOf("go");
      const there = make(sample);
      const shims = join(there.top, "shims");
      mkdirSync(shims);
      const mark = `case "$PWD" in "${there.work}"*) pwd >> "${join(there.top, "mark")}";; esac`;
      writeFileSync(join(shims, "go"), `#!/bin/sh\n${mark}\nexec "${go}" "$@"\n`, { mode: 0o755 });
      const place = sample.ask ?? { file: "", line: 1, character: 1 };
      const said = await askIn(there, "gopls", place, { path: [shims] });
      expect(said).toContain("get_hover (server x");
      expect(there.marks()).toEqual([]);
      await askIn(there, "gopls", place, { path: [shims], ...TRUSTED });
      expect(there.marks()).not.toEqual([]);
    },
    240_000,
  );
});

const open: [kind: string, sample: string, has: boolean][] = [
  ["pyright", "python", true],
  ["gopls", "go", runs("gopls", "version") && runs("go", "version")],
];

describe.each(open)("%s", (kind, name, has) => {
  it.skipIf(!has)(
    "serves a repository that nobody trusts, and runs nothing of it",
    async () => {
      const sample = sampleOf(name);
      const there = make(sample);
      const said = await askIn(there, kind, sample.ask ?? { file: "", line: 1, character: 1 });
      expect(said).toContain("get_hover (server x");
      expect(there.marks()).toEqual([]);
    },
    180_000,
  );
});
