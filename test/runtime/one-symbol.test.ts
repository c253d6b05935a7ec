/** Names that several declarations have: one symbol where the server says so, a question where it does not. */
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

const a = "file:///work/a.fake";
const files = {
  "a.fake": [
    "fn over(a)",
    "fn over(b)",
    "struct Hay",
    "impl Hay",
    "typedef struct node node",
    "over() cb",
    "class Pool { check() }",
    "function open() { return { check: 1 } }",
    "function shut() { const one = 1 }",
    "function wait() { const one = 2 }",
    "pub fn wide(a)",
    "pub fn wide(b)",
    "",
  ].join("\n"),
};

const declaration = (
  name: string,
  kind: number,
  line: number,
  from: number,
  to: number,
  start = 0,
): JsonObject => ({
  name,
  kind,
  range: range(line, start, 40),
  selectionRange: range(line, from, to),
});

const symbols = [
  declaration("over", 12, 0, 3, 7),
  declaration("over", 12, 1, 3, 7),
  declaration("over() cb", 12, 5, 0, 0),
  declaration("Hay", 23, 2, 7, 10),
  declaration("impl Hay", 19, 3, 5, 8),
  declaration("node", 23, 4, 15, 19, 8),
  declaration("node", 5, 4, 20, 24),
  declaration("Look", 11, 2, 7, 10),
  { ...declaration("Pool", 5, 6, 6, 10), children: [declaration("check", 6, 6, 13, 18, 13)] },
  { ...declaration("open", 12, 7, 9, 13), children: [declaration("check", 7, 7, 27, 32, 27)] },
  { ...declaration("shut", 12, 8, 9, 13), children: [declaration("one", 14, 8, 24, 27, 24)] },
  { ...declaration("wait", 12, 9, 9, 13), children: [declaration("one", 14, 9, 24, 27, 24)] },
  // The whole declaration as the name's range: how TypeScript reports overloads.
  declaration("wide", 12, 10, 7, 11),
  declaration("wide", 12, 11, 0, 40),
];

let work: TestWorkspace;
afterEach(() => work.close());

/** A server that answers every definition with the same places, or with the place itself. */
async function open(definition: JsonObject | JsonObject[] | undefined): Promise<void> {
  const itself = { uri: a, range: { start: { $: "/params/position" }, end: { $: "/params/position" } } };
  work = await openTestWorkspace({
    config: {
      extends: ["tools/core", "tools/edit"],
      allow: { commands: [process.execPath], effects: ["read", "edit"] },
    },
    files,
    servers: {
      fake: {
        scenario: {
          capabilities: {
            documentSymbolProvider: true,
            hoverProvider: true,
            ...(definition === undefined ? {} : { definitionProvider: true }),
          },
          replies: {
            "textDocument/documentSymbol": symbols,
            "textDocument/definition":
              definition === undefined
                ? null
                : Array.isArray(definition) && definition.length === 0
                  ? itself
                  : definition,
            "textDocument/hover": { contents: "text" },
          },
        },
      },
    },
  });
}

/** The position of the hover that the server was asked for, zero-based. */
async function hovered(name: string, kind?: string): Promise<unknown> {
  const { structured } = await work.call("get_hover", {
    file_path: "a.fake",
    symbol_name: name,
    ...(kind === undefined ? {} : { symbol_kind: kind }),
  });
  if (structured.ok !== true) return structured;
  if (structured.needs_disambiguation === true) return (structured.candidates as JsonObject[]).length;
  return (await work.received("textDocument/hover")).at(-1)?.position;
}

describe("several declarations of one name", () => {
  it("are one symbol when they have one definition", async () => {
    await open([
      { uri: a, range: range(0, 3, 7) },
      { uri: a, range: range(1, 3, 7) },
    ]);
    expect(await hovered("over")).toEqual({ line: 0, character: 3 });
  });

  it("are found by their names where the server reports whole declarations", async () => {
    await open({ uri: a, range: range(11, 7, 11) });
    expect(await hovered("wide")).toEqual({ line: 11, character: 7 });
  });

  it("are several when each is its own definition", async () => {
    await open([]);
    // The unnamed callback `over() cb` is no candidate.
    expect(await hovered("over")).toBe(2);
    expect(await hovered("Hay")).toBe(2);
  });

  it("are several when the server has no definitions", async () => {
    await open(undefined);
    expect(await hovered("over")).toBe(2);
  });

  it("are not told apart for certain while the server indexes", async () => {
    const begin = { token: "index", value: { kind: "begin", title: "Indexing" } };
    work = await openTestWorkspace({
      files,
      servers: {
        fake: {
          scenario: {
            capabilities: { documentSymbolProvider: true, hoverProvider: true, definitionProvider: true },
            replies: { "textDocument/documentSymbol": symbols },
            on: {
              initialized: [
                { request: "window/workDoneProgress/create", params: { token: "index" } },
                { notify: "$/progress", params: begin },
              ],
              "textDocument/definition": [{ never: true }],
            },
          },
        },
      },
      config: { extends: ["tools/core"], limits: { timeout_ms: 4_000 } },
    });
    const { structured } = await work.call("get_hover", { file_path: "a.fake", symbol_name: "Hay" });
    expect(structured).toMatchObject({ needs_disambiguation: true, readiness: "indexing" });
  });

  it("are the one that the others lead to", async () => {
    await open({ uri: a, range: range(2, 7, 10) });
    expect(await hovered("Hay")).toEqual({ line: 2, character: 7 });
  });

  it("are one where one is inside the other's declaration", async () => {
    await open(undefined);
    expect(await hovered("node")).toEqual({ line: 4, character: 20 });
  });

  it("stay several texts for an edit of one", async () => {
    await open([
      { uri: a, range: range(0, 3, 7) },
      { uri: a, range: range(1, 3, 7) },
    ]);
    const { structured } = await work.call("replace_symbol_body", {
      file_path: "a.fake",
      symbol_name: "over",
      body: "x",
    });
    expect(structured).toMatchObject({ needs_disambiguation: true });
  });

  it("are the one outside functions, if there is one", async () => {
    await open([]);
    expect(await hovered("check")).toEqual({ line: 6, character: 13 });
    // A name path still leads to the other, and two locals are asked about.
    expect(await hovered("open/check")).toEqual({ line: 7, character: 27 });
    expect(await hovered("one")).toBe(2);
    // An edit is not guessed.
    const edit = await work.call("replace_symbol_body", {
      file_path: "a.fake",
      symbol_name: "check",
      body: "x",
    });
    expect(edit.structured).toMatchObject({ needs_disambiguation: true });
  });

  it("are chosen by their order from the top", async () => {
    await open([{ uri: a, range: range(0, 3, 7) }]);
    expect(await hovered("over[1]")).toEqual({ line: 1, character: 3 });
  });
});

describe("kinds", () => {
  it("may be a language's own words", async () => {
    await open([]);
    expect(await hovered("Hay", "type")).toEqual({ line: 2, character: 7 });
    expect(await hovered("Hay", "impl")).toEqual({ line: 3, character: 5 });
    expect(await hovered("Look", "trait")).toEqual({ line: 2, character: 7 });
    expect(await hovered("Look", "fn")).toMatchObject({ error: { code: "point/no-symbol" } });
  });
});

describe("a misspelt symbol", () => {
  it.each([
    ["ovre", undefined, "Did you mean over?"],
    ["Hay", "method", "of kind object, struct"],
    ["entirely", undefined, "was found."],
  ])("%s", async (name, kind, words) => {
    await open([]);
    expect(JSON.stringify(await hovered(name, kind))).toContain(words);
  });
});

it("a name that the named file lacks is not looked up in another language", async () => {
  const server = (name: string, uri: string) => ({
    scenario: {
      capabilities: { documentSymbolProvider: true, workspaceSymbolProvider: true, definitionProvider: true },
      replies: {
        "textDocument/documentSymbol": [],
        "workspace/symbol": [{ name, kind: 12, location: { uri, range: range(0, 0, 5) } }],
        "textDocument/definition": { uri, range: range(0, 0, 5) },
      },
    },
  });
  work = await openTestWorkspace({
    files: { "a.fake": "x\n", "b.other": "greet\n" },
    servers: {
      fake: server("nothing", "file:///work/a.fake"),
      other: { ...server("greet", "file:///work/b.other"), config: { extensions: ["other"] } },
    },
  });
  const within = await work.call("find_definition", { file_path: "a.fake", symbol_name: "greet" });
  expect(within.structured).toMatchObject({ ok: false, error: { code: "point/no-symbol" } });
  const anywhere = await work.call("find_definition", { symbol_name: "greet" });
  expect(anywhere.structured).toMatchObject({ ok: true, document: { path: "b.other" } });
});
