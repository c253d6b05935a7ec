import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

const a = "file:///work/a.fake";

/** Tools of a config's own: custom methods, several steps, commands, ranges, tools of tools. */
const config: JsonObject = {
  allow: { commands: [process.execPath], effects: ["read", "command"] },
  mcp: { read_only: false },
  methods: [
    { method: "fake/received" },
    { method: "fake/expand", result: { type: ["object", "null"] } },
    { method: "fake/token" },
    { method: "fake/use" },
    { method: "fake/range" },
    { method: "fake/lacking", capability: "nothing.there" },
  ],
  tools: [
    {
      name: "of_other",
      input: "position",
      servers: ["other"],
      args: {
        how: { type: "string", required: false, enum: ["first", "second"], description: "How." },
      },
      request: { method: "textDocument/definition", params: "text_document_position" },
      output: "locations",
    },
    {
      name: "found_twice",
      input: "position",
      output: "locations",
      steps: [
        { id: "all", tool: "find_definition", args: { from: "input" } },
        { id: "again", method: "textDocument/definition", params: "text_document_position" },
      ],
    },
    {
      name: "lacking",
      input: "position",
      request: { method: "fake/lacking", params: "text_document_position" },
      output: "json",
    },
    {
      name: "skipped_last",
      input: "position",
      output: "locations",
      steps: [
        { id: "found", method: "textDocument/definition", params: "text_document_position" },
        { id: "more", method: "fake/lacking", params: "text_document_position", optional: true },
      ],
    },
    {
      name: "skipped_items",
      input: "position",
      output: "calls",
      steps: [
        { id: "items", method: "fake/lacking", params: "text_document_position", optional: true },
        {
          id: "calls",
          method: "callHierarchy/incomingCalls",
          each: { from: "step.items", limit: 2 },
          params: { set: { item: { from: "each" } } },
        },
      ],
    },
    {
      name: "half",
      input: "position",
      output: "json",
      steps: [
        { id: "definition", tool: "find_definition", args: { from: "input" } },
        { id: "broken", tool: "find_definition", args: { file_path: "none.fake", line: 1, character: 1 } },
      ],
    },
    {
      name: "expand",
      description: "x",
      input: "position",
      request: { method: "fake/expand", params: "text_document_position" },
      output: { shape: "text", at: "/expansion", language: "fake" },
    },
    {
      name: "two_steps",
      description: "x",
      input: "document",
      steps: [
        { id: "token", method: "fake/token", params: "text_document" },
        { id: "maybe", method: "fake/lacking", optional: true, expect: "value" },
        {
          id: "used",
          method: "fake/use",
          params: {
            set: { key: { from: "step.token.deep.key" }, language: { from: "document.language_id" } },
          },
        },
      ],
      output: "json",
    },
    {
      name: "in_range",
      description: "x",
      input: "range",
      request: { method: "fake/range", params: "text_document_range" },
      output: "json",
    },
    {
      name: "run_it",
      description: "x",
      effect: "command",
      input: "document",
      args: { command: { type: "string", description: "which" } },
      steps: [{ id: "done", kind: "execute_command", command: { from: "input.command" }, arguments: [1] }],
      output: "json",
    },
    {
      name: "both",
      description: "x",
      input: ["position", "symbol"],
      steps: [
        { id: "definition", tool: "find_definition", kind: "tool", args: { from: "input" } },
        { id: "hover", tool: "get_hover", kind: "tool", args: { from: "input" } },
      ],
      output: "json",
    },
  ],
};

let work: TestWorkspace;
beforeAll(async () => {
  work = await openTestWorkspace({
    files: { "a.fake": "one 👋 two\nthree\n" },
    servers: {
      other: { scenario: {}, config: { extensions: ["other"] } },
      fake: {
        scenario: {
          capabilities: {
            definitionProvider: true,
            callHierarchyProvider: true,
            executeCommandProvider: { commands: ["go", "stop"] },
          },
          replies: {
            "fake/expand": { expansion: "let x\nlet y" },
            "fake/token": { deep: { key: "k" } },
            "fake/use": { $: "/params" },
            "fake/range": { $: "/params/range" },
            "workspace/executeCommand": { $: "/params" },
            "textDocument/definition": { uri: a, range: range(0, 0, 3) },
            "textDocument/prepareCallHierarchy": [
              {
                name: "one",
                kind: 12,
                uri: a,
                range: range(0, 0, 3),
                selectionRange: range(0, 0, 3),
                data: 1,
              },
              {
                name: "two",
                kind: 12,
                uri: a,
                range: range(0, 7, 10),
                selectionRange: range(0, 7, 10),
                data: 2,
              },
            ],
            "callHierarchy/incomingCalls": [
              {
                from: {
                  name: "three",
                  kind: 12,
                  uri: a,
                  range: range(1, 0, 5),
                  selectionRange: range(1, 0, 5),
                },
                fromRanges: [range(0, 7, 10)],
              },
            ],
          },
        },
        config: { execute_commands: ["go"] },
      },
    },
    config,
  });
});
afterAll(() => work.close());

describe("tools of a config's own", () => {
  it("give a custom method's text", async () => {
    const { structured, text } = await work.call("expand", {
      file_path: "a.fake",
      line: 1,
      character: 7,
    });
    expect(structured).toMatchObject({ text: "let x\nlet y", language: "fake", server_id: "fake" });
    expect(text).toContain("```fake\nlet x\nlet y\n```");
    const [asked] = await work.received("fake/expand");
    expect(asked?.position).toEqual({ line: 0, character: 7 });
  });

  it("pass a step's value on, and skip what the server lacks", async () => {
    const { structured } = await work.call("two_steps", { file_path: "a.fake" });
    expect(structured.value).toEqual({ key: "k", language: "fake" });
  });

  it("take a range", async () => {
    const { structured } = await work.call("in_range", {
      file_path: "a.fake",
      line: 1,
      character: 5,
      end_line: 1,
      end_character: 6,
    });
    expect(structured.value).toEqual(range(0, 4, 6));
    const backwards = { file_path: "a.fake", line: 2, character: 1, end_line: 1, end_character: 1 };
    expect((await work.call("in_range", backwards)).structured).toMatchObject({
      error: { code: "point/out-of-range" },
    });
  });

  it("run only the commands that the config allows", async () => {
    const { structured } = await work.call("run_it", { file_path: "a.fake", command: "go" });
    expect(structured.value).toEqual({ command: "go", arguments: [1] });
    const refused = await work.call("run_it", { file_path: "a.fake", command: "stop" });
    expect(refused.isError).toBe(true);
    expect(await work.received("workspace/executeCommand")).toHaveLength(1);
  });

  it("are made of tools, whose refusals are part of the whole", async () => {
    const { structured } = await work.call("both", { file_path: "a.fake", line: 1, character: 1 });
    expect(structured).toMatchObject({ ok: true, server_id: "fake" });
    expect(structured.value).toMatchObject({
      definition: { ok: true, tool: "find_definition", locations: [{ path: "a.fake" }] },
      hover: { ok: true, tool: "get_hover", warnings: [{ code: "answer/not-supported" }] },
    });
    const { structured: half } = await work.call("half", { file_path: "a.fake", line: 1, character: 1 });
    expect(half.value).toMatchObject({
      definition: { ok: true },
      broken: { ok: false, tool: "find_definition", error: { code: "guard/not-a-file" } },
    });
  });

  it("say that no server was asked where the last step was skipped, and when a custom method is missing", async () => {
    const at = { file_path: "a.fake", line: 1, character: 1 };
    const message = expect.stringContaining("fake/lacking");
    for (const tool of ["skipped_last", "skipped_items"])
      expect((await work.call(tool, at)).structured).toMatchObject({
        ok: true,
        total: 0,
        warnings: [{ code: "answer/not-supported", message }],
      });
    expect((await work.call("lacking", at)).structured).toMatchObject({
      ok: true,
      value: null,
      warnings: [{ code: "answer/not-supported", message }],
    });
  });
});

describe("refusals that lead on", () => {
  const at = { file_path: "a.fake", line: 1, character: 1 };

  it("say which servers a tool is for", async () => {
    const { structured } = await work.call("of_other", at);
    expect(structured).toMatchObject({
      error: {
        code: "route/no-server",
        message: expect.stringContaining("of_other is only for files of other;"),
      },
    });
  });

  it("name the values that an argument takes, and the kinds of symbols", async () => {
    const { structured } = await work.call("of_other", { ...at, how: "third" });
    expect(structured).toMatchObject({
      error: { message: expect.stringContaining('/how must be one of "first", "second"') },
    });
    const klass = { file_path: "a.fake", symbol_name: "nowhere", symbol_kind: "klass" };
    expect((await work.call("find_definition", klass)).structured).toMatchObject({
      error: {
        code: "point/no-symbol",
        message: expect.stringContaining("did you mean class? Known are file, module,"),
      },
    });
  });

  it("leave its own list's size to the tool that is asked for it", async () => {
    const { structured } = await work.call("found_twice", { ...at, max_results: 1 });
    expect(structured).toMatchObject({ ok: true, shown: 1, warnings: [] });
  });
});

describe("calls into a hierarchy", () => {
  it("ask about each item and give each caller once", async () => {
    const { structured, text } = await work.call("get_incoming_calls", {
      file_path: "a.fake",
      line: 1,
      character: 1,
    });
    expect(await work.received("callHierarchy/incomingCalls")).toMatchObject([
      { item: { data: 1 } },
      { item: { data: 2 } },
    ]);
    expect(structured.calls).toEqual([
      {
        name: "three",
        kind: "function",
        path: "a.fake",
        line: 2,
        character: 1,
        sites: [{ line: 1, character: 7 }],
      },
    ]);
    expect(text).toContain("a.fake\n  2:1  function three  calls at 1:7");
  });

  it("are empty with a warning where the second method lacks", async () => {
    const { structured } = await work.call("get_outgoing_calls", {
      file_path: "a.fake",
      line: 1,
      character: 1,
    });
    expect(structured).toMatchObject({ ok: true, calls: [], warnings: [{ code: "answer/not-supported" }] });
  });
});
