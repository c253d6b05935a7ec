/** Every shipped read tool through the whole line, against one scripted server that offers everything. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

const a = "file:///work/a.fake";
const b = "file:///work/lib/b.fake";
const text = [
  "class Alpha extends Base {", // 0
  "  run(one, two) { one.ru }", // 1
  "}", // 2
  "/* 👋 */ call(Alpha)", // 3
].join("\n");

const item = { name: "Alpha", kind: 5, uri: a, range: range(0, 0, 1, 2), selectionRange: range(0, 6, 11) };
const base = { name: "Base", kind: 5, uri: b, range: range(0, 0, 10), selectionRange: range(0, 6, 10) };
const at = (character: number) => ({ line: 1, character });
const diagnostics: JsonObject[] = [
  { range: range(1, 16, 19), severity: 1, message: "one is nothing", data: { raw: true } },
  { range: range(3, 9, 13), severity: 2, message: "call is old" },
];
const completions = ["run", "rush", "rerun", "walk", "r"].map((label, index) => ({
  label,
  kind: 2,
  sortText: String(9 - index),
  data: index,
}));
const files = Array.from({ length: 7 }, (_, index) => ({
  uri: `file:///work/lib/f${6 - index}.fake`,
  kind: "full",
  items: [{ range: range(0, 0, 1), message: `m${index}` }],
}));

const provider = { resolveProvider: true };
const capabilities: JsonObject = {
  declarationProvider: true,
  definitionProvider: true,
  documentSymbolProvider: true,
  documentHighlightProvider: true,
  monikerProvider: true,
  typeHierarchyProvider: true,
  completionProvider: provider,
  signatureHelpProvider: {},
  inlayHintProvider: true,
  codeActionProvider: provider,
  foldingRangeProvider: true,
  selectionRangeProvider: true,
  documentLinkProvider: provider,
  codeLensProvider: provider,
  workspaceSymbolProvider: provider,
  diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: true },
  semanticTokensProvider: {
    full: true,
    legend: { tokenTypes: ["class", "method", "variable"], tokenModifiers: ["declaration", "static"] },
  },
};

/** What a follow-up such as `codeLens/resolve` is asked about, given back with something more. */
const asked = (...keys: string[]) => Object.fromEntries(keys.map((key) => [key, { $: `/params/${key}` }]));
const replies: { [method: string]: Json } = {
  "textDocument/declaration": [{ uri: b, range: range(0, 6, 10) }],
  "textDocument/definition": [{ uri: b, range: range(0, 6, 10) }],
  "textDocument/documentHighlight": [
    { range: range(0, 6, 11), kind: 3 },
    { range: range(3, 14, 19), kind: 2 },
  ],
  "textDocument/moniker": [{ scheme: "x", identifier: "p:Alpha", unique: "global", kind: "export" }],
  "textDocument/prepareTypeHierarchy": [item],
  "typeHierarchy/supertypes": [base, base],
  "typeHierarchy/subtypes": [{ ...base, uri: "file:///etc/x" }, item],
  "textDocument/completion": { isIncomplete: true, items: completions },
  "completionItem/resolve": { ...asked("label", "kind", "sortText"), documentation: "what it does" },
  "textDocument/signatureHelp": { signatures: [{ label: "run(one)", parameters: [{ label: "one" }] }] },
  "textDocument/inlayHint": [
    { position: at(6), label: ": int" },
    { position: { line: 3, character: 14 }, label: "type:" },
  ],
  "textDocument/diagnostic": { kind: "full", items: diagnostics },
  "workspace/diagnostic": { items: files },
  "textDocument/codeAction": [
    { title: "Mend", kind: "quickfix", data: 1 },
    { title: "Told", kind: "refactor", edit: {} },
  ],
  "codeAction/resolve": { ...asked("title", "kind"), edit: { changes: { [a]: [{}, {}] } } },
  "textDocument/foldingRange": [{ startLine: 0, endLine: 2 }],
  "textDocument/selectionRange": [{ range: range(1, 2, 5), parent: { range: range(0, 0, 1, 2) } }],
  "textDocument/documentLink": [
    { range: range(0, 20, 24), data: 1 },
    { range: range(3, 0, 8), target: "https://x.org" },
  ],
  "documentLink/resolve": { ...asked("range"), target: `${b}#4` },
  "textDocument/codeLens": [{ range: range(0, 0, 5), data: 1 }],
  "codeLens/resolve": { ...asked("range"), command: { title: "1 use", command: "show" } },
  "textDocument/semanticTokens/full": { data: [0, 6, 5, 0, 1, 1, 2, 3, 1, 3, 2, 14, 5, 2, 0] },
  "textDocument/documentSymbol": [],
  "workspace/symbol": [
    { name: "Base", kind: 5, location: { uri: b } },
    { name: "Based", kind: 5, location: { uri: b, range: range(1, 0, 5) } },
  ],
  "workspaceSymbol/resolve": { ...asked("name", "kind"), location: { uri: b, range: range(0, 6, 10) } },
};

let work: TestWorkspace;
beforeAll(async () => {
  const sources = Object.fromEntries(files.map(({ uri }) => [uri.slice("file:///work/".length), "x\n"]));
  work = await openTestWorkspace({
    files: { ...sources, "a.fake": text, "lib/b.fake": "class Base {}\nBased\n" },
    servers: { fake: { scenario: { capabilities, replies } } },
    config: { extends: ["tools/read"] },
  });
});
afterAll(() => work.close());

async function told(tool: string, args: JsonObject): Promise<JsonObject> {
  const { isError, structured, text: words } = await work.call(tool, args);
  expect(isError, words).toBe(false);
  return structured;
}

const file = { file_path: "a.fake" };
const place = { ...file, line: 2, character: 23 };

describe("asking", () => {
  it.each<[string, JsonObject, JsonObject]>([
    [
      "find_declaration",
      { ...file, line: 1, character: 21 },
      { locations: [{ path: "lib/b.fake", line: 1, character: 7 }] },
    ],
    [
      "get_document_highlights",
      place,
      {
        highlights: [
          { line: 1, kind: "write" },
          { line: 4, character: 14, kind: "read" },
        ],
      },
    ],
    ["get_monikers", place, { monikers: [{ identifier: "p:Alpha" }] }],
    [
      "get_supertypes",
      place,
      { total: 1, types: [{ name: "Base", kind: "class", path: "lib/b.fake", line: 1, character: 7 }] },
    ],
    ["get_subtypes", place, { total: 1, dropped: 1, types: [{ name: "Alpha" }] }],
    [
      "get_signature_help",
      place,
      { signatures: [{ label: "run(one)", active: true, parameters: [{ label: "one" }] }] },
    ],
    [
      "get_folding_ranges",
      file,
      { folding_ranges: [{ line: 1, character: 27, end_line: 3, end_character: 2 }] },
    ],
    [
      "get_selection_range",
      place,
      {
        ranges: [
          { line: 2, character: 3 },
          { line: 1, character: 1 },
        ],
      },
    ],
    [
      "get_document_links",
      file,
      { links: [{ path: "lib/b.fake", fragment: "4" }, { url: "https://x.org" }] },
    ],
    ["get_code_lenses", file, { lenses: [{ title: "1 use", command: "show" }] }],
    [
      "get_semantic_tokens",
      file,
      {
        tokens: [
          { type: "class", modifiers: ["declaration"], text: "Alpha" },
          { modifiers: ["declaration", "static"] },
          { line: 4, character: 14, text: "Alpha" },
        ],
      },
    ],
    [
      "search_workspace_symbols",
      { query: "Base" },
      { symbols: [{ name: "Base", line: 1, character: 7 }, { name: "Based" }] },
    ],
  ])("%s", async (tool, args, expected) => {
    expect(await told(tool, args)).toMatchObject({
      ok: true,
      warnings: expected.dropped ? [{}] : [],
      ...expected,
    });
  });

  it("asks for selection ranges of one place", async () => {
    await told("get_selection_range", place);
    expect((await work.received("textDocument/selectionRange")).at(-1)).toMatchObject({
      positions: [{ line: 1, character: 22 }],
    });
  });

  it("resolves only the symbols that lack a range", async () => {
    await told("search_workspace_symbols", { query: "Base" });
    const resolved = await work.received("workspaceSymbol/resolve");
    expect(new Set(resolved.map(({ name }) => name))).toEqual(new Set(["Base"]));
  });
});

describe("completions", () => {
  it("are compared with what was typed, in the server's order, and those shown are resolved", async () => {
    const before = (await work.received("completionItem/resolve")).length;
    const answer = await told("get_completions", { ...file, line: 2, character: 25, page_size: 2 });
    expect(answer).toMatchObject({ prefix: "ru", incomplete: true, total: 3, shown: 2, truncated: true });
    expect(answer.completions).toEqual([
      { label: "rush", kind: "method", documentation: "what it does" },
      { label: "run", kind: "method", documentation: "what it does" },
    ]);
    const resolved = (await work.received("completionItem/resolve")).slice(before);
    // The third stands on the next page, which is made of the same items.
    expect(resolved.map(({ data }) => data).toSorted()).toEqual([0, 1, 2]);
  });

  it("are not looked for beside the place", async () => {
    const answer = await told("get_completions", { ...file, line: 2, character: 23 });
    expect(answer).toMatchObject({ prefix: "", total: 5, warnings: [] });
  });
});

describe("ranges", () => {
  const received = async (method: string) => (await work.received(method)).at(-1);

  it("are the whole document when absent", async () => {
    const { hints } = await told("get_inlay_hints", file);
    expect(hints).toMatchObject([{ line: 2 }, { line: 4, character: 14 }]);
    expect(await received("textDocument/inlayHint")).toMatchObject({ range: range(0, 0, 20, 3) });
  });

  it.each<[string, JsonObject, JsonObject]>([
    ["a line", { line: 2 }, range(1, 0, 26)],
    ["lines", { line: 2, end_line: 3 }, range(1, 0, 1, 2)],
    ["a place", { line: 2, character: 5 }, range(1, 4, 4)],
    ["more than the document", { line: 2, end_line: 99, end_character: 7 }, range(1, 0, 20, 3)],
    ["from a place on", { line: 2, character: 5, end_line: 2 }, range(1, 4, 26)],
  ])("may be %s", async (_what, args, expected) => {
    await told("get_inlay_hints", { ...file, ...args });
    expect(await received("textDocument/inlayHint")).toMatchObject({ range: expected });
  });

  it("filter the items that a server sends beyond them", async () => {
    expect((await told("get_inlay_hints", { ...file, line: 2 })).hints).toMatchObject([{ line: 2 }]);
    const { tokens } = await told("get_semantic_tokens", { ...file, line: 1, end_line: 2 });
    expect(tokens).toMatchObject([
      { text: "Alpha", line: 1 },
      { text: "run", line: 2 },
    ]);
  });

  it("that end before they begin are refused", async () => {
    const { structured } = await work.call("get_inlay_hints", { ...file, line: 3, end_line: 2 });
    expect(structured).toMatchObject({ error: { code: "point/out-of-range" } });
  });
});

describe("code actions", () => {
  it("are asked for with the server's own diagnostics of the range", async () => {
    const { actions } = await told("get_code_actions", { ...file, line: 2, kinds: ["quickfix"] });
    expect((await work.received("textDocument/codeAction")).at(-1)).toEqual({
      textDocument: { uri: work.uri("a.fake") },
      range: range(1, 0, 26),
      context: { diagnostics: [diagnostics[0]], only: ["quickfix"], triggerKind: 1 },
    });
    expect(actions).toMatchObject([
      { title: "Mend", edit: { files: ["a.fake"], edits: 2 } },
      { title: "Told", edit: { files: [], edits: 0 } },
    ]);
  });

  it("are asked for without kinds when the call names none", async () => {
    await told("get_code_actions", file);
    const { context } = (await work.received("textDocument/codeAction")).at(-1) ?? {};
    expect(context).toEqual({ diagnostics, triggerKind: 1 });
  });
});

describe("pages", () => {
  it.each([
    ["get_semantic_tokens", file, "tokens"],
    ["get_workspace_diagnostics", {}, "files"],
    ["search_workspace_symbols", { query: "Base" }, "symbols"],
  ] as [string, JsonObject, string][])("of %s laid together equal the whole", async (tool, args, list) => {
    const whole = await told(tool, args);
    const items: Json[] = [];
    for (let cursor: Json | undefined = ""; cursor !== undefined; ) {
      const page: JsonObject = await told(tool, {
        ...args,
        page_size: 2,
        ...(cursor === "" ? {} : { cursor }),
      });
      expect(page.total).toBe(whole.total);
      items.push(...(page[list] as Json[]));
      cursor = page.next_cursor;
    }
    expect(items).toEqual(whole[list]);
    expect(items).toHaveLength(Number(whole.total));
  });

  it("of workspace diagnostics are files in the order of their paths", async () => {
    const { files: found, status } = await told("get_workspace_diagnostics", {});
    expect(status).toBe("diagnostics");
    expect((found as JsonObject[]).map(({ path }) => path)).toEqual(
      Array.from({ length: 7 }, (_, index) => `lib/f${index}.fake`),
    );
  });
});

describe("caps", () => {
  it.each([
    ["get_document_highlights", place, "highlights"],
    ["get_completions", place, "completions"],
    ["get_selection_range", place, "ranges"],
    ["get_document_links", file, "links"],
    ["get_inlay_hints", file, "hints"],
    ["get_code_actions", file, "actions"],
  ] as [string, JsonObject, string][])("hold for %s, with honest counts", async (tool, args, list) => {
    const whole = await told(tool, args);
    const isPaged = tool !== "get_selection_range";
    const cut = await told(tool, { ...args, [isPaged ? "page_size" : "max_results"]: 1 });
    expect(Number(whole.total)).toBeGreaterThan(1);
    expect(cut).toMatchObject({ total: whole.total, shown: 1, truncated: true });
    expect(cut[list]).toEqual((whole[list] as Json[]).slice(0, 1));
    if (isPaged) expect(cut.next_cursor).toEqual(expect.any(String));
    else expect(cut.warnings).toContainEqual(expect.objectContaining({ code: "answer/truncated" }));
  });
});
