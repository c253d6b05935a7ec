/** Steps that filter and reshape their lists, that give way to others, and answers side by side, with scripted servers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

const a = "file:///work/a.fake";
const b = "file:///work/b.fake";
const at = { file_path: "a.fake", line: 1, character: 1 };
const place = (uri: string, line: number, start: number, end: number): JsonObject => ({
  uri,
  range: range(line, start, end),
});
const symbol = (name: string, kind: number, line: number, endLine: number, children: Json[] = []) => ({
  name,
  kind,
  range: range(line, 0, 3, endLine),
  selectionRange: range(line, 4, 7),
  children,
});

/** Two custom items in the wrong order, one twice and one outside of the workspace. */
const found: JsonObject[] = [
  { name: "two", uri: b, range: range(0, 4, 5), score: 2, kind: 5, note: { value: "**hi**" } },
  { name: "one", uri: a, range: range(1, 5, 7), score: 9, kind: 12, more: [1, 2, 3] },
  { name: "two", uri: b, range: range(0, 4, 5), score: 2, kind: 5, note: { value: "**hi**" } },
  { name: "out", uri: "file:///elsewhere/x.fake", range: range(0, 0, 1), score: 5 },
  { name: "none", uri: a, range: range(0, 0, 1) },
];
const custom = (method: string) => ({ method, params: "text_document_position" });
const pick = {
  name: "/name",
  path: { at: "/uri", as: "path" },
  range: { at: "/range", as: "range" },
  start: { at: "/range/start", as: "position" },
  place: { at: "", as: "location" },
  kind: { at: "/kind", as: "kind" },
  note: { at: "/note", as: "text" },
  more: { at: "/more", as: "count" },
  score: "/score",
};
const items = { shape: "items", list: "found" };

function tool(name: string, output: Json, steps: Json[], more: JsonObject = {}): JsonObject {
  return { name, description: "d", input: "position", output, steps, ...more };
}

const where = (...conditions: Json[]) => [{ id: "x", ...custom("fake/items"), where: conditions, pick }];
const integer = { type: "integer", required: false, description: "d" };
const text = { type: "string", required: false, description: "d" };

const config: JsonObject = {
  allow: { commands: [process.execPath], effects: ["read", "edit", "command"] },
  mcp: { read_only: false },
  methods: [
    { method: "fake/received" },
    { method: "fake/items" },
    { method: "fake/empty" },
    { method: "fake/fails" },
    { method: "fake/lacking", capability: "nothing.there" },
    { method: "fake/many" },
    { method: "fake/clear", notification: true },
  ],
  tools: [
    tool("picked", items, [{ id: "x", ...custom("fake/items"), pick }], { page: true }),
    tool("sorted", items, [{ id: "x", ...custom("fake/items"), pick, sort: ["-/score", "/name"] }]),
    tool("limited", items, [{ id: "x", ...custom("fake/items"), pick, limit: { from: "input.most" } }], {
      args: { most: integer },
    }),
    tool("is", items, where({ at: "/name", is: { from: "input.name" } }), { args: { name: text } }),
    tool("in", items, where({ at: "/score", in: [2, 5] })),
    tool("there", items, where({ at: "/score", exists: true })),
    tool("not_there", items, where({ at: "/score", exists: false })),
    tool("more", items, where({ at: "/score", more_than: 2 })),
    tool("less", items, where({ at: "/more", less_than: 3 }, { at: "/score", more_than: 1 })),
    tool("flat", { shape: "items", list: "found" }, [
      {
        id: "x",
        method: "textDocument/documentSymbol",
        params: "text_document",
        flatten: "/children",
        pick: { name: "/name", range: { at: "/range", as: "range" } },
      },
    ]),
    tool("unused", { shape: "items", list: "found" }, [
      { id: "s", method: "textDocument/documentSymbol", params: "text_document", flatten: "/children" },
      {
        id: "u",
        method: "textDocument/references",
        each: { from: "step.s", keep: true },
        params: { set: { position: { from: "each.selectionRange.start" } } },
        where: [{ at: "/answer", outside: "/item/range", less_than: 1 }],
        pick: { name: "/item/name", uses: { at: "/answer", as: "count" } },
      },
    ]),
    tool("tree", { shape: "items", columns: ["depth", "name"] }, [
      { id: "s", method: "textDocument/prepareTypeHierarchy", params: "text_document_position" },
      {
        id: "t",
        method: "typeHierarchy/subtypes",
        each: { from: "step.s", depth: 3 },
        params: { set: { item: { from: "each" } } },
        pick: { depth: "/depth", name: "/item/name", repeated: "/repeated" },
      },
    ]),
    ...["empty", "fails", "lacking"].map((first) =>
      tool(`else_after_${first}`, "locations", [
        { id: "first", ...custom(`fake/${first}`), or_else: "second" },
        { id: "second", method: "textDocument/definition", params: "text_document_position" },
      ]),
    ),
    tool("else_of_all", "json", [
      { id: "first", ...custom("fake/fails"), or_else: "second" },
      { id: "second", ...custom("fake/lacking"), or_else: "third" },
      { id: "third", ...custom("fake/empty") },
    ]),
    tool("else_nothing", "json", [
      { id: "first", ...custom("fake/lacking"), or_else: "second" },
      { id: "second", ...custom("fake/fails") },
    ]),
    tool("else_tool", "json", [
      { id: "first", tool: "fails", args: { from: "input" }, or_else: "second" },
      { id: "second", tool: "find_definition", args: { from: "input" } },
    ]),
    tool("fails", "json", [{ id: "x", ...custom("fake/fails") }]),
    tool(
      "when_given",
      "locations",
      [
        { id: "first", ...custom("fake/items"), when: { argument: "how", is: "items" }, or_else: "second" },
        { id: "second", method: "textDocument/definition", params: "text_document_position" },
      ],
      { args: { how: text } },
    ),
    tool("when_offered", "locations", [
      {
        id: "first",
        method: "textDocument/definition",
        params: "text_document_position",
        when: { capability: "textDocument/implementation" },
      },
    ]),
    tool(
      "side_by_side",
      {
        shape: "members",
        columns: ["places", "known", "lost", "asked"],
        members: {
          places: { step: "places", shape: "locations", max_items: 1 },
          known: { step: "items", shape: "items" },
          lost: { step: "lost", shape: "hover" },
          number: { step: "items", shape: "count" },
          asked: { step: "asked", shape: "locations" },
        },
      },
      [
        { id: "places", method: "textDocument/references", params: "text_document_position" },
        { id: "items", ...custom("fake/items"), pick: { name: "/name" } },
        { id: "lost", ...custom("fake/fails") },
        { id: "asked", ...custom("fake/items"), when: { argument: "how" } },
      ],
      { args: { how: text } },
    ),
    tool(
      "large",
      {
        shape: "members",
        members: {
          many: { step: "many", shape: "items", max_items: 5000 },
          few: { step: "few", shape: "locations" },
        },
      },
      [
        { id: "many", ...custom("fake/many"), pick: { name: "/name", line: "/line" } },
        { id: "few", method: "textDocument/definition", params: "text_document_position" },
      ],
    ),
    tool(
      "all_lost",
      {
        shape: "members",
        members: { one: { step: "a", shape: "json" }, two: { step: "b", shape: "json" } },
      },
      [
        { id: "a", ...custom("fake/fails") },
        { id: "b", ...custom("fake/lacking") },
      ],
    ),
    tool("notify", "json", [{ id: "n", kind: "notify", method: "fake/clear", params: { set: { x: 1 } } }], {
      effect: "command",
    }),
    tool("must_be_unused", "json", [
      { id: "uses", method: "textDocument/references", params: "text_document_position", expect: "none" },
      { id: "x", ...custom("fake/items") },
    ]),
    tool("each_tool", { shape: "items", columns: ["name"] }, [
      { id: "s", tool: "get_document_symbols", args: { file_path: { from: "input.file_path" } } },
      {
        id: "t",
        tool: "find_references",
        each: { from: "step.s.symbols", limit: 2, keep: true },
        args: {
          file_path: { from: "input.file_path" },
          line: { from: "each.line" },
          character: { from: "each.character" },
        },
        pick: { name: "/item/name", uses: { at: "/answer/locations", as: "count" } },
      },
    ]),
    tool("chosen", items, [{ id: "x", ...custom("fake/items"), pick }], {
      server: { from: "input.server" },
      args: { server: text },
    }),
    ...["run", "other"].map((command) =>
      tool(
        `when_${command}`,
        items,
        [
          {
            id: "x",
            kind: "execute_command",
            when: { command: `fake.${command}` },
            command: `fake.${command}`,
            items: "/result/list",
            pick: { name: "/name" },
            sort: ["/name"],
          },
        ],
        { effect: "command" },
      ),
    ),
    tool("picked_of_all", items, [{ id: "x", ...custom("fake/items"), merge: "all", pick }]),
  ],
};

const scenario = {
  capabilities: {
    documentSymbolProvider: true,
    definitionProvider: true,
    referencesProvider: true,
    typeHierarchyProvider: true,
    executeCommandProvider: { commands: ["fake.run"] },
  },
  replies: {
    "workspace/executeCommand": { result: { list: [{ name: "b" }, { name: "a" }] } },
    "fake/items": found,
    "fake/empty": [],
    "fake/many": { $list: { name: "a name of some length", line: { $: "/i" } }, times: 4000 },
    "textDocument/definition": place(a, 0, 0, 3),
    // The first symbol is used outside itself, the second only inside, the third not at all.
    "textDocument/documentSymbol": [
      symbol("used", 5, 0, 0),
      symbol("loop", 12, 1, 2, [symbol("inner", 6, 2, 2)]),
    ],
    "textDocument/references": {
      $each: [[place(a, 0, 0, 1), place(b, 0, 0, 1)], [place(a, 1, 1, 2), place(a, 2, 0, 2)], null, null],
    },
    "textDocument/prepareTypeHierarchy": [{ ...symbol("root", 5, 0, 0), uri: a }],
    "typeHierarchy/subtypes": {
      $each: [
        [
          { ...symbol("z", 5, 2, 2), uri: a },
          { ...symbol("y", 5, 1, 1), uri: a },
        ],
        [{ ...symbol("root", 5, 0, 0), uri: a }],
        [],
      ],
    },
  },
  on: { "fake/fails": [{ error: { code: -32000, message: "no" } }] },
};

describe("steps", () => {
  let work: TestWorkspace;
  beforeAll(async () => {
    work = await openTestWorkspace({
      files: { "a.fake": "one two\n漢字𝒳 x\nthree\n", "b.fake": "be\n" },
      servers: {
        // The config allows a command that the server does not have.
        fake: { scenario, config: { execute_commands: ["fake.run", "fake.other"] } },
        other: {
          scenario: { capabilities: {}, replies: { "fake/items": [...found].reverse() } },
          config: { priority: -1 },
        },
      },
      config,
    });
  });
  afterAll(() => work?.close());

  const names = async (name: string, args: JsonObject = {}) => {
    const { structured } = await work.call(name, { ...at, ...args });
    return (structured.found as JsonObject[]).map((item) => item.name);
  };

  it("pick members, in order, once, with places converted and outside ones dropped", async () => {
    const { structured, text } = await work.call("picked", at);
    expect(structured).toMatchObject({ ok: true, total: 3, dropped: 1 });
    const [none, one, two] = structured.found as JsonObject[];
    expect(none).toEqual({
      more: 0,
      name: "none",
      path: "a.fake",
      place: { path: "a.fake", line: 1, character: 1, end_line: 1, end_character: 2 },
      range: { line: 1, character: 1, end_line: 1, end_character: 2 },
      start: { line: 1, character: 1 },
    });
    // The server counts UTF-16 units, the dialect characters.
    expect(one).toMatchObject({
      kind: "function",
      more: 3,
      range: { line: 2, character: 5, end_line: 2, end_character: 6 },
    });
    expect(two).toMatchObject({ kind: "class", note: "**hi**", path: "b.fake" });
    expect(text).toContain("a.fake 1:1-1:2");
  });

  it("page through what they picked", async () => {
    const first = await work.call("picked", { ...at, page_size: 2 });
    expect(first.structured).toMatchObject({ total: 3, shown: 2 });
    const { next_cursor: cursor } = first.structured;
    const second = await work.call("picked", { ...at, page_size: 2, cursor: cursor ?? null });
    expect((second.structured.found as JsonObject[]).map(({ name }) => name)).toEqual(["two"]);
  });

  it("give the same of several servers, whatever the order", async () => {
    const one = await work.call("picked", at);
    const all = await work.call("picked_of_all", at);
    expect(all.structured.found).toEqual(one.structured.found);
  });

  it("sort, and limit with a warning", async () => {
    expect(await names("sorted")).toEqual(["one", "two", "none"]);
    const { structured } = await work.call("limited", { ...at, most: 1 });
    expect(structured).toMatchObject({
      found: [{ name: "none" }],
      truncated: true,
      warnings: expect.arrayContaining([expect.objectContaining({ code: "answer/truncated" })]),
    });
    expect(await names("limited")).toHaveLength(3);
  });

  it.each([
    ["is", { name: "two" }, ["two"]],
    ["is", { name: "nobody" }, []],
    // An argument that the call does not give is no condition.
    ["is", {}, ["none", "one", "two"]],
    ["in", {}, ["two"]],
    ["there", {}, ["one", "two"]],
    ["not_there", {}, ["none"]],
    ["more", {}, ["one"]],
    ["less", {}, ["two"]],
  ])("filter: %s %o", async (name, args, expected) => {
    expect(await names(name, args)).toEqual(expected);
  });

  it("flatten a tree", async () => {
    expect(await names("flat")).toEqual(["used", "loop", "inner"]);
  });

  it("keep items beside their answers, and count what is outside of them", async () => {
    const { structured } = await work.call("unused", at);
    expect(structured.found).toEqual([
      { name: "loop", uses: 2 },
      { name: "inner", uses: 0 },
    ]);
  });

  it("make a tree, in which a cycle ends", async () => {
    const { structured, text } = await work.call("tree", at);
    expect(structured.items).toEqual([
      { depth: 0, name: "root" },
      { depth: 1, name: "y" },
      { depth: 2, name: "root", repeated: true },
      { depth: 1, name: "z" },
    ]);
    expect(text).toContain("\n  y\n    root");
  });

  it.each(["empty", "fails", "lacking"])("give way to another: %s", async (first) => {
    const { structured } = await work.call(`else_after_${first}`, at);
    expect(structured).toMatchObject({
      locations: [{ path: "a.fake", line: 1, character: 1 }],
      warnings: [{ code: "answer/or-else", data: { step: "first", used: "second" } }],
    });
  });

  it("are as empty, or refused, as the last of them", async () => {
    expect((await work.call("else_of_all", at)).structured).toMatchObject({ ok: true, value: [] });
    const { structured } = await work.call("else_nothing", at);
    expect(structured).toMatchObject({ ok: false, error: { code: "lsp/failed" } });
  });

  it("give way to a tool when a tool was refused", async () => {
    const { structured } = await work.call("else_tool", at);
    expect(structured).toMatchObject({ ok: true, value: { ok: true, tool: "find_definition" } });
    expect((structured.warnings as JsonObject[]).map(({ code }) => code)).toEqual(["answer/or-else"]);
  });

  it("run when an argument says so, without a warning otherwise", async () => {
    const given = await work.call("when_given", { ...at, how: "items" });
    expect(given.structured).toMatchObject({ total: 3 });
    const other = await work.call("when_given", { ...at, how: "else" });
    expect(other.structured).toMatchObject({ total: 1, warnings: [] });
  });

  it("run when a server offers the method", async () => {
    const { structured } = await work.call("when_offered", at);
    expect(structured).toMatchObject({ total: 0, warnings: [{ code: "answer/not-supported" }] });
    expect(await work.received("textDocument/implementation")).toEqual([]);
  });

  it("run when a server has the command", async () => {
    expect(await names("when_run")).toEqual(["a", "b"]);
    const { structured } = await work.call("when_other", at);
    expect(structured).toMatchObject({ ok: false, error: { code: "lsp/not-supported" } });
    expect(await work.received("workspace/executeCommand")).toHaveLength(1);
  });

  it("are members of one answer, each with its shape; the failed one is unknown", async () => {
    const { structured, text } = await work.call("side_by_side", at);
    expect(structured).toMatchObject({
      ok: true,
      known: { total: 4, items: [{ name: "out" }, { name: "none" }, { name: "one" }, { name: "two" }] },
      lost: null,
      number: 5,
      asked: null,
      warnings: expect.arrayContaining([
        expect.objectContaining({ code: "answer/step-failed", data: { step: "lost", code: "lsp/failed" } }),
      ]),
    });
    expect(text).toMatch(/^lost: unknown$/m);
    const asked = await work.call("side_by_side", { ...at, how: "x" });
    expect(asked.structured.asked).toMatchObject({ total: 3, shown: 3 });
    expect((await work.call("all_lost", at)).structured).toMatchObject({
      ok: false,
      error: { code: "lsp/failed" },
    });
  });

  it("are cut where they do not fit, the small ones last", async () => {
    const { structured } = await work.call("large", at);
    expect(structured).toMatchObject({ ok: true, truncated: true, few: { total: 1, shown: 1 } });
    const { total, shown, items: kept } = structured.many as { total: number; shown: number; items: Json[] };
    expect(total).toBe(4000);
    expect(shown).toBe(kept.length);
    expect(shown).toBeGreaterThan(100);
    expect(shown).toBeLessThan(4000);
  });

  it("send notifications to the servers that take them", async () => {
    const { structured } = await work.call("notify", at);
    expect(structured).toMatchObject({ ok: true, value: { notified: ["fake", "other"] } });
    expect(await work.received("fake/clear")).toEqual([{ x: 1 }]);
  });

  it("call a tool for each item", async () => {
    const { structured } = await work.call("each_tool", at);
    expect(structured.items).toEqual([
      { name: "used", uses: 0 },
      { name: "loop", uses: 0 },
    ]);
    expect(structured).toMatchObject({ truncated: true });
  });

  it("ask the server that the call chooses", async () => {
    expect((await work.call("chosen", { ...at, server: "other" })).structured.server_id).toBe("other");
    expect((await work.call("chosen", at)).structured.server_id).toBe("fake");
    expect((await work.call("chosen", { ...at, server: "third" })).structured).toMatchObject({
      ok: false,
      error: { code: "guard/invalid-arguments" },
    });
  });
});

describe("a step that must find nothing", () => {
  const open = (references: Json) =>
    openTestWorkspace({
      files: { "a.fake": "one two\n" },
      servers: {
        fake: {
          scenario: {
            capabilities: { referencesProvider: true },
            replies: { "fake/items": 1, "textDocument/references": references },
          },
        },
      },
      config: {
        ...config,
        tools: (config.tools as JsonObject[]).filter(({ name }) => name === "must_be_unused"),
      },
    });

  it("refuses with the places that it found", async () => {
    const work = await open([place(a, 0, 4, 7), place(a, 0, 0, 3)]);
    const { structured } = await work.call("must_be_unused", at);
    await work.close();
    expect(structured).toMatchObject({
      ok: false,
      error: {
        code: "call/must-be-empty",
        message: "The step `uses` must find nothing, and found 2 (a.fake:1, a.fake:1).",
        data: {
          step: "uses",
          total: 2,
          places: [
            { path: "a.fake", line: 1, character: 1 },
            { path: "a.fake", line: 1, character: 5 },
          ],
        },
      },
    });
  });

  it.each([null, []])("lets the next step run: %o", async (nothing) => {
    const work = await open(nothing);
    const { structured } = await work.call("must_be_unused", at);
    await work.close();
    expect(structured).toMatchObject({ ok: true, value: 1 });
  });
});
