/** Every tool of the `full` profile that reads code, against servers that offer it. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LiveSession, openSession, repository } from "./session.js";

const full = '[mcp]\ncontext = "full"\n';
const tsserver = join(repository, "node_modules", "typescript-5", "lib", "tsserver.js");
const servers = {
  "typescript-language-server": `${full}[allow]
commands = ["typescript-language-server"]
[[servers]]
id = "ts"
kind = "typescript-language-server"
initialize_options.tsserver.path = "${tsserver}"
workspace_configuration.typescript.referencesCodeLens = { enabled = true, showOnAllFunctions = true }
`,
  "typescript 7": `${full}[allow]
commands = ["tsc"]
[[servers]]
id = "ts"
kind = "typescript"
`,
};

type Items = { [member: string]: unknown }[];

let session: LiveSession;

/** The list of an answer that is no error. */
async function list(tool: string, member: string, args: object): Promise<Items> {
  const { isError, structuredContent, content } = await session.call(tool, args);
  expect(isError, content[0]?.text).not.toBe(true);
  expect(structuredContent).toMatchObject({ ok: true, tool });
  return structuredContent[member] as Items;
}

const app = "src/app.ts";
const greet = "src/greet.ts";

describe.each(Object.entries(servers))("%s", (name, config) => {
  beforeAll(async () => {
    session = await openSession("typescript", config);
  });
  afterAll(() => session?.close());

  it("completes what was typed, and resolves it", async () => {
    const at = session.place(app, "greeter.he|llo");
    const found = await list("get_completions", "completions", { file_path: app, ...at });
    expect(found).toMatchObject([{ label: "hello", kind: "method" }]);
    expect(String(found[0]?.detail)).toContain("hello(name: string): string");
  });

  it("gives the signature of a call, with its documentation and active parameter", async () => {
    const at = session.place(app, 'greet(|"y")');
    expect(await list("get_signature_help", "signatures", { file_path: app, ...at })).toMatchObject([
      {
        active: true,
        active_parameter: 0,
        parameters: [{ label: "name: string" }],
        documentation: expect.stringContaining("挨拶"),
      },
    ]);
  });

  it("hints at inferred types and parameters, within a range", async () => {
    const hints = await list("get_inlay_hints", "hints", { file_path: app, line: 6 });
    expect(hints).toMatchObject([
      { ...session.place(app, "hello(|first"), kind: "parameter" },
      { ...session.place(app, 'greet(|"y")'), kind: "parameter" },
    ]);
    expect((await list("get_inlay_hints", "hints", { file_path: app })).length).toBeGreaterThan(hints.length);
  });

  it("decodes semantic tokens behind text that is not ASCII", async () => {
    const tokens = await list("get_semantic_tokens", "tokens", { file_path: app, line: 3 });
    expect(tokens).toContainEqual(
      expect.objectContaining({ text: "greet", type: "function", ...session.place(app, "first = |greet") }),
    );
    expect(tokens.every(({ line }) => line === 3)).toBe(true);
  });

  it("folds blocks and comments", async () => {
    const ranges = await list("get_folding_ranges", "folding_ranges", { file_path: greet });
    expect(ranges).toContainEqual(expect.objectContaining({ line: 10 }));
    expect(ranges).toContainEqual(expect.objectContaining({ line: 1, kind: "comment" }));
  });

  it("widens a selection from the inside out, pointed at by text", async () => {
    const ranges = await list("get_selection_range", "ranges", {
      file_path: app,
      line_text: "return greeter.|hello(first)",
    });
    expect(ranges[0]).toMatchObject(session.place(app, "greeter.|hello"));
    expect(ranges[1]).toMatchObject(session.place(app, "return |greeter"));
    expect(ranges.at(-1)).toMatchObject({ line: 1, character: 1 });
  });

  it("highlights a symbol in its file", async () => {
    const found = await list("get_document_highlights", "highlights", {
      file_path: app,
      line: 6,
      symbol_name: "greet",
    });
    expect(found.map(({ line }) => line)).toEqual([1, 3, 6]);
  });

  it("reports what it does not support", async () => {
    for (const tool of ["get_monikers", "get_supertypes", "get_subtypes", "find_declaration"]) {
      const { structuredContent } = await session.call(tool, { file_path: greet, symbol_name: "Polite" });
      expect(structuredContent, tool).toMatchObject({
        total: 0,
        warnings: [{ code: "answer/not-supported" }],
      });
    }
  });

  it("reports the workspace's diagnostics, and that they may be incomplete", async () => {
    await session.call("get_diagnostics", { file_path: "src/broken.ts" });
    const { structuredContent } = await session.call("get_workspace_diagnostics", {});
    expect(structuredContent).toMatchObject({ ok: true, why: expect.stringContaining("ts:") });
    expect(["diagnostics", "unknown"]).toContain(structuredContent.status);
  });

  it("says when another name was resolved", async () => {
    session.write("src/alias.ts", 'import { greet as hi } from "./greet.js";\n\nhi("x");\n');
    const { structuredContent } = await session.call("find_definition", {
      file_path: "src/alias.ts",
      line_text: '|hi("x");',
    });
    expect(structuredContent).toMatchObject({
      locations: [{ path: greet, ...session.place(greet, "function |greet") }],
      warnings: [{ code: "answer/other-symbol", data: { asked: "hi", found: ["greet"] } }],
    });
  });

  it("takes one of several by its index, and a path without a file", async () => {
    const [second] = await list("find_definition", "locations", {
      file_path: greet,
      symbol_name: "hello[2]",
    });
    expect(second).toMatchObject(session.place(greet, "class Gruff implements Greeter {\n  |hello"));
    const [path] = await list("find_definition", "locations", { symbol_name: "Gruff/hello" });
    expect(path).toMatchObject({ path: greet, line: second?.line });
  });

  it("goes to the name beside a position that was counted from zero", async () => {
    const { line, character } = session.place(greet, "interface |Greeter");
    const { structuredContent } = await session.call("find_references", {
      file_path: greet,
      line: line - 1,
      character: character - 1,
      symbol_name: "Greeter",
    });
    expect(structuredContent).toMatchObject({
      warnings: [{ code: "answer/fuzzed-position", data: { line } }],
    });
    expect(structuredContent.total).toBeGreaterThan(3);
  });

  it.runIf(name === "typescript-language-server")("offers fixes for an error, with their edits", async () => {
    session.write("src/mend.ts", "export const three: number = greet(1);\n");
    const actions = await list("get_code_actions", "actions", { file_path: "src/mend.ts", line: 1 });
    const mend = actions.find(({ title }) => String(title).startsWith("Add import"));
    expect(mend).toMatchObject({ kind: "quickfix", edit: { files: ["src/mend.ts"], edits: 1 } });
    expect(String(mend?.fixes)).toContain("greet");
    const again = await list("get_code_actions", "actions", {
      file_path: "src/mend.ts",
      line: 1,
      kinds: ["quickfix"],
    });
    expect(again.find(({ title }) => title === mend?.title)?.id).toBe(mend?.id);
    expect(again.every(({ kind }) => String(kind).startsWith("quickfix"))).toBe(true);
  });

  it.runIf(name === "typescript-language-server")("shows code lenses, resolved", async () => {
    const lenses = await list("get_code_lenses", "lenses", { file_path: greet });
    expect(lenses).toContainEqual(
      expect.objectContaining({ line: 2, title: expect.stringMatching(/reference/) }),
    );
  });
});

describe("vscode-html-language-server", () => {
  beforeAll(async () => {
    const server =
      '[allow]\ncommands = ["vscode-html-language-server"]\n[[servers]]\nid = "html"\nkind = "vscode-html-language-server"\n';
    session = await openSession("web", `${full}${server}`);
  });
  afterAll(() => session?.close());

  it("finds the links of a page, and drops the one that leads outside", async () => {
    const { structuredContent } = await session.call("get_document_links", { file_path: "index.html" });
    expect(structuredContent).toMatchObject({
      dropped: 1,
      links: [
        { ...session.place("index.html", 'href="|style.css'), path: "style.css" },
        { ...session.place("index.html", 'href="|other.html'), path: "other.html" },
        { ...session.place("index.html", 'href="|https:'), url: "https://example.org/" },
      ],
    });
  });

  it("completes a tag", async () => {
    const { structuredContent } = await session.call("get_completions", {
      file_path: "index.html",
      line_text: "<|p title",
      page_size: 3,
    });
    expect(structuredContent).toMatchObject({ shown: 3, truncated: true });
  });
});

describe.skipIf(spawnSync("clangd", ["--version"]).status !== 0)("clangd", () => {
  beforeAll(async () => {
    const server = '[allow]\ncommands = ["clangd"]\n[[servers]]\nid = "cpp"\nkind = "clangd"\n';
    session = await openSession("cpp-types", `${full}${server}`, ["--trust-workspace"]);
  });
  afterAll(() => session?.close());

  /** The first version of clangd with a feature; an older one must say that it does not offer it. */
  async function offers(since: number, tool: string, method: string, args: object): Promise<boolean> {
    const { structuredContent } = await session.call(tool, args);
    const { structuredContent: status } = await session.call("get_server_status", {});
    const [server] = status.servers as { version: string | null }[];
    const version = Number(/version (\d+)/.exec(server?.version ?? "")?.[1]);
    expect(version, "clangd tells its version").toBeGreaterThan(0);
    if (version >= since) return true;
    const message = `cpp: ${method} is not offered.`;
    expect(structuredContent).toMatchObject({
      ok: true,
      warnings: [{ code: "answer/not-supported", message }],
    });
    return false;
  }

  it("finds the types above and below", async () => {
    const square = { file_path: "shapes.hpp", symbol_name: "Square" };
    // Older versions have a method of their own for it.
    if (!(await offers(16, "get_supertypes", "textDocument/prepareTypeHierarchy", square))) return;
    const above = await list("get_supertypes", "types", { file_path: "shapes.hpp", symbol_name: "Square" });
    expect(above).toMatchObject([
      { name: "Shape", path: "shapes.hpp", ...session.place("shapes.hpp", "struct |Shape") },
    ]);
    await session.call("get_document_symbols", { file_path: "main.cpp" });
    const below = await list("get_subtypes", "types", { file_path: "shapes.hpp", symbol_name: "Shape" });
    expect(below.map(({ name }) => name)).toEqual(["Square", "Circle"]);
  });

  it("distinguishes a declaration from a definition", async () => {
    const [declaration] = await list("find_declaration", "locations", {
      file_path: "main.cpp",
      line_text: "Square::|area() const",
    });
    expect(declaration).toMatchObject({ path: "shapes.hpp", line: 10 });
  });

  it("finds includes, tokens and hints", async () => {
    expect(await list("get_document_links", "links", { file_path: "main.cpp" })).toMatchObject([
      { path: "shapes.hpp", line: 1 },
    ]);
    const tokens = await list("get_semantic_tokens", "tokens", { file_path: "shapes.hpp", line: 3 });
    expect(tokens).toContainEqual(
      expect.objectContaining({ text: "Shape", ...session.place("shapes.hpp", "struct |Shape") }),
    );
    const line = { file_path: "main.cpp", line: 9 };
    if (!(await offers(15, "get_inlay_hints", "textDocument/inlayHint", line))) return;
    const hints = await list("get_inlay_hints", "hints", line);
    expect(hints.map(({ label }) => label)).toContain("factor:");
  });
});
