/**
 * Names, libraries and projects with real servers: overloads and aliases are one symbol, definitions in a standard library
 * are shown, and a question about the workspace loads the project first.
 */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { type LiveSession, openSession, repository, testEnvironment } from "./session.js";

let session: LiveSession;
afterEach(() => session?.close());

/** Whether a program runs: rustup's shim of a component that is not installed does not. */
const runs = (name: string, argument: string) =>
  spawnSync(name, [argument], { timeout: 20_000, env: testEnvironment() }).status === 0;

const config = (kind: string) => `[[servers]]\nid = "${kind}"\nkind = "${kind}"\n`;
const pathsIn = (structured: Record<string, unknown>) =>
  (structured.locations as { path: string }[]).map(({ path }) => path);

describe("TypeScript", { timeout: 120_000 }, () => {
  const app = [
    "export class Box {",
    "  pipe(): Box;",
    "  pipe(a: number): number;",
    "  pipe(...all: number[]): unknown {",
    "    return [1].map((x) => x + all.length);",
    "  }",
    "}",
    "",
  ].join("\n");
  // Without the types of browsers, which are most of what a server would load.
  const tsconfig = '{ "compilerOptions": { "lib": ["es5"] } }';

  it("has one symbol for all overloads, with its source, shows its own library, and never edits it", async () => {
    const edits = '[allow]\neffects = ["read", "edit"]\n';
    session = await openSession("empty", edits + config("typescript"), ["--trust-workspace"], {
      "tsconfig.json": tsconfig,
      "app.ts": app,
    });
    const named = { file_path: "app.ts", symbol_name: "pipe" };
    const hover = await session.call("get_hover", named);
    expect(hover.structuredContent).toMatchObject({ ok: true, contents: [expect.stringContaining("pipe")] });
    const { structuredContent: source } = await session.call("get_symbol_source", named);
    expect(source).toMatchObject({ total: 3 });
    expect((source.declarations as { source: string }[]).at(-1)?.source).toBe(
      app.split("\n").slice(3, 6).join("\n"),
    );
    const use = { file_path: "app.ts", ...session.place("app.ts", "[1].|map") };
    const { structuredContent } = await session.call("find_definition", use);
    expect(structuredContent).toMatchObject({ dropped: 0, warnings: [{ code: "answer/library" }] });
    const [library = ""] = pathsIn(structuredContent);
    expect(library).toMatch(/^\/.*\/lib\.es5\.d\.ts$/);
    const outline = await session.call("get_document_symbols", {
      file_path: library,
      depth: 1,
      kinds: "interface",
    });
    expect(outline.structuredContent).toMatchObject({ ok: true, warnings: [{ code: "answer/library" }] });

    const replaced = await session.call("replace_symbol_body", {
      file_path: library,
      symbol_name: "parseInt",
      body: "declare function parseInt(): never;",
      dry_run: false,
    });
    expect(replaced.isError).toBe(true);
    const renamed = await session.call("rename_symbol", { ...use, new_name: "other", dry_run: false });
    expect(renamed.isError).toBe(true);
  });

  it("has one symbol for the overloads of a function on TypeScript 5, in whose outline they have no names", async () => {
    const path = join(repository, "node_modules", "typescript-5", "lib", "tsserver.js");
    const server = `${config("typescript-language-server")}initialize_options.tsserver.path = "${path}"\n`;
    session = await openSession("empty", server, ["--trust-workspace"], {
      "tsconfig.json": tsconfig,
      "app.ts": [
        "export function pipe(): string;",
        "/** With a number. */",
        "export function pipe(a: number): number;",
        "export function pipe(...all: number[]): unknown {",
        "  return all;",
        "}",
        "",
      ].join("\n"),
      "use.ts": 'import { pipe } from "./app";\nexport const used = [pipe(), pipe(1)];\n',
    });
    const named = { file_path: "app.ts", symbol_name: "pipe" };
    const { structuredContent } = await session.call("find_references", named);
    expect(structuredContent).toMatchObject({ ok: true, total: 6 });
  });

  it("finds symbols of a project whose root has none of its own files", async () => {
    session = await openSession("empty", config("typescript"), ["--trust-workspace"], {
      "tsconfig.json": '{ "files": [], "references": [{ "path": "./src" }] }',
      "a-script.ts": "export {};\n",
    });
    session.write("src/tsconfig.json", '{ "compilerOptions": { "composite": true, "lib": ["es5"] } }');
    session.write("src/app.ts", app);
    const { structuredContent } = await session.call("search_workspace_symbols", { query: "Box" });
    expect(structuredContent).toMatchObject({
      readiness: "ready",
      symbols: [{ name: "Box", path: "src/app.ts" }],
    });
  });
});

describe("Python", { timeout: 120_000 }, () => {
  it("has one symbol for overloads, and shows the standard library", async () => {
    session = await openSession("empty", config("pyright"), ["--trust-workspace"], {
      "app.py": [
        "import os",
        "from typing import overload",
        "@overload",
        "def f(a: int) -> int: ...",
        "@overload",
        "def f(a: str) -> str: ...",
        "def f(a): return os.path.join(a)",
        "",
      ].join("\n"),
    });
    const { structuredContent: hover } = await session.call("get_hover", {
      file_path: "app.py",
      symbol_name: "f",
    });
    expect(hover).toMatchObject({ ok: true });
    expect(hover).not.toHaveProperty("candidates");
    const use = { file_path: "app.py", ...session.place("app.py", "os.path.|join") };
    const { structuredContent } = await session.call("find_definition", use);
    expect(pathsIn(structuredContent)[0]).toMatch(/posixpath\.pyi?$/);
    expect(structuredContent).toMatchObject({ dropped: 0 });
  });
});

const hasClangd = runs("clangd", "--version");
describe.skipIf(!hasClangd)(`C${hasClangd ? "" : " (clangd is not installed)"}`, { timeout: 120_000 }, () => {
  it("has one symbol for a type and its alias, and says what a missing project costs", async () => {
    session = await openSession("empty", config("clangd"), ["--trust-workspace"], {
      "a.h": "#include <stdio.h>\ntypedef struct node { struct node *next; } node;\n",
      "a.c":
        '#include "a.h"\nstatic int help(int a);\nint run(node *n) { return help(puts("")); }\nstatic int help(int a) { return a; }\n',
    });
    const alias = await session.call("get_hover", { file_path: "a.h", symbol_name: "node" });
    expect(alias.structuredContent).toMatchObject({ ok: true, warnings: [{ code: "answer/no-project" }] });
    expect(alias.content[0]?.text).toContain("compile_commands.json");
    const { structuredContent: uses } = await session.call("find_references", {
      file_path: "a.c",
      symbol_name: "help",
    });
    expect(uses).toMatchObject({ total: 3, warnings: [{ code: "answer/no-project" }] });
    const { structuredContent } = await session.call("find_definition", {
      file_path: "a.c",
      ...session.place("a.c", '|puts("")'),
    });
    expect(pathsIn(structuredContent)[0]).toMatch(/stdio\.h$/);
  });

  it("knows the whole project as soon as compile_commands.json is there, in the same session", async () => {
    session = await openSession("empty", config("clangd"), ["--trust-workspace"], {
      "a.h": "int help(int a);\n",
      "a.c": '#include "a.h"\nint help(int a) { return a; }\n',
      "b.c": '#include "a.h"\nint run(void) { return help(1); }\n',
    });
    const uses = async () =>
      (await session.call("find_references", { file_path: "a.h", symbol_name: "help" })).structuredContent;
    expect(await uses()).toMatchObject({ total: 1, warnings: [{ code: "answer/no-project" }] });
    const entry = (file: string) => ({ directory: session.folder, file, arguments: ["cc", "-c", file] });
    session.write("compile_commands.json", JSON.stringify([entry("a.c"), entry("b.c")]));
    // On a busy machine clangd answers before it reports that it indexes.
    const early: unknown[] = [];
    const all = async () => {
      const answer = await uses();
      if (answer.total !== 3) early.push(answer.readiness);
      return answer;
    };
    await expect.poll(all).toMatchObject({ total: 3, warnings: [] });
    expect(early).not.toContain("ready");
  });
});

const hasRust = runs("rust-analyzer", "--version") && runs("cargo", "--version");
describe.skipIf(!hasRust)(`Rust${hasRust ? "" : " (not installed)"}`, { timeout: 180_000 }, () => {
  // Until it has indexed the standard library, it finds nothing.
  const patient = `[limits]\ntimeout_ms = 150000\n${config("rust-analyzer")}request_timeout_ms = 140000\n`;

  it("has one symbol for a struct and its impl blocks", async () => {
    session = await openSession("empty", patient, ["--trust-workspace"], {
      "Cargo.toml": '[package]\nname = "hay"\nversion = "0.1.0"\nedition = "2021"\n',
    });
    session.write("src/lib.rs", "pub struct Hay;\nimpl Hay {}\npub trait Look {}\nimpl Look for Hay {}\n");
    const named = { file_path: "src/lib.rs", symbol_name: "Hay" };
    const { structuredContent } = await session.call("find_references", named);
    expect(structuredContent).toMatchObject({ total: 3 });
    const trait = await session.call("get_hover", {
      file_path: "src/lib.rs",
      symbol_name: "Look",
      symbol_kind: "trait",
    });
    expect(trait.structuredContent).toMatchObject({ ok: true });
  });

  it("finds a method by its name, without its file", async () => {
    session = await openSession("empty", patient, ["--trust-workspace"], {
      "Cargo.toml": '[package]\nname = "hay"\nversion = "0.1.0"\nedition = "2021"\n',
    });
    // By default rust-analyzer would answer with the type whose name is like it.
    session.write("src/lib.rs", "pub mod needle;\npub struct Threads;\n");
    session.write("src/needle.rs", "pub struct Needle;\nimpl Needle {\n    pub fn thread() {}\n}\n");
    for (const symbol_name of ["Needle::thread", "Needle/thread", "thread"]) {
      const { structuredContent } = await session.call("find_definition", { symbol_name });
      expect(structuredContent).toMatchObject({ locations: [{ path: "src/needle.rs", line: 3 }] });
    }
  });
});
