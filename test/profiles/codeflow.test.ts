/** The profile `codeflow` against a scripted server: what a call leaves out, its one block, its hierarchies and numbers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { range } from "../runtime/test-workspace.js";
import { openProfile, type Scripted } from "./scripted.js";

const a = "file:///work/a.fake";
const type = (name: string, line: number) => ({
  name,
  kind: 5,
  uri: a,
  range: range(line, 0, 5),
  selectionRange: range(line, 0, 5),
});

describe("codeflow", () => {
  let codeflow: Scripted;
  beforeAll(async () => {
    codeflow = await openProfile(
      "codeflow",
      { "a.fake": "first\nsecond third\nbase\n" },
      {
        capabilities: {
          hoverProvider: true,
          selectionRangeProvider: true,
          definitionProvider: true,
          documentSymbolProvider: true,
          typeHierarchyProvider: true,
          documentLinkProvider: {},
        },
        replies: {
          "textDocument/hover": { contents: "words" },
          "textDocument/selectionRange": [{ range: range(0, 0, 5) }],
          "textDocument/definition": [{ uri: a, range: range(0, 0, 5) }],
          "textDocument/documentSymbol": [type("first", 0), type("base", 2)],
          "textDocument/prepareTypeHierarchy": [type("first", 0)],
          "typeHierarchy/supertypes": [type("base", 2)],
          "typeHierarchy/subtypes": [type("second", 1)],
          "textDocument/documentLink": [{ range: range(0, 0, 5), target: a }],
        },
      },
    );
  });
  afterAll(() => codeflow?.close());

  const json = async (tool: string, args: JsonObject): Promise<JsonObject> => {
    const blocks = await codeflow.texts(tool, args);
    expect(blocks).toHaveLength(1);
    return JSON.parse(blocks[0] ?? "") as JsonObject;
  };
  const asked = async (method: string) => (await codeflow.work.received(method)).at(-1);

  it.each<[JsonObject, JsonObject]>([
    [{}, { line: 0, character: 0 }],
    [{ line: 2 }, { line: 1, character: 0 }],
    [{ character: 3 }, { line: 0, character: 3 }],
    [
      { line: 2, character: 8 },
      { line: 1, character: 8 },
    ],
  ])("reads a place of %j", async (given, position) => {
    await json("get_hover", { file_path: "a.fake", ...given });
    expect(await asked("textDocument/hover")).toMatchObject({ position });
    await json("get_selection_range", { file_path: "a.fake", ...given });
    expect(await asked("textDocument/selectionRange")).toMatchObject({ positions: [position] });
  });

  it("uses the name where only that is given", async () => {
    await json("find_definition", { file_path: "a.fake", symbol_name: "first" });
    expect(await asked("textDocument/definition")).toMatchObject({ position: { line: 0, character: 0 } });
    await json("find_definition", { file_path: "a.fake", symbol_name: "third", line: 2 });
    expect(await asked("textDocument/definition")).toMatchObject({ position: { line: 1, character: 7 } });
  });

  it.each<[JsonObject, JsonObject, number]>([
    [{ symbol_name: "first", character: 2 }, { line: 0, character: 2 }, 0],
    [{ symbol_name: "first", character: 99 }, { line: 0, character: 5 }, 0],
    [{ symbol_name: "first", line: 1 }, { line: 0, character: 0 }, 0],
    // Not on that line, or not on the first: the name alone decides, and that is told.
    [{ symbol_name: "first", line: 2 }, { line: 0, character: 0 }, 1],
    [{ symbol_name: "base", character: 3 }, { line: 2, character: 0 }, 1],
  ])("takes half a place beside a name, %j", async (given, position, warned) => {
    const { warnings } = await json("find_definition", { file_path: "a.fake", ...given });
    expect(await asked("textDocument/definition")).toMatchObject({ position });
    const codes = (warnings as JsonObject[]).map(({ code }) => code);
    expect(codes.filter((code) => code === "answer/fuzzed-position")).toHaveLength(warned);
  });

  it("walks type hierarchies, with lines from 1 and characters from 0", async () => {
    const first = { file_path: "a.fake", symbol_name: "first" };
    expect((await json("prepare_type_hierarchy", first)).items).toMatchObject([{ name: "first", line: 1 }]);
    expect((await json("get_type_hierarchy_supertypes", first)).types).toMatchObject([
      { name: "base", path: "a.fake", line: 3, character: 0 },
    ]);
    expect((await json("get_type_hierarchy_subtypes", first)).types).toMatchObject([
      { name: "second", line: 2 },
    ]);
  });

  it("reports links", async () => {
    expect((await json("get_document_links", { file_path: "a.fake" })).links).toMatchObject([
      { line: 1, character: 0, end_character: 5 },
    ]);
  });

  it("says a warning within its one block", async () => {
    const { warnings, references } = await json("find_references", {
      file_path: "a.fake",
      symbol_name: "first",
    });
    expect(warnings).toMatchObject([{ code: "answer/not-supported" }]);
    expect(references).toBeUndefined();
  });

  describe("a batch", () => {
    const hover = { tool: "get_hover", args: { file_path: "a.fake" }, id: "one" };
    const failing = { tool: "get_hover", args: { file_path: "none.fake" } };

    it("says of each operation whether it succeeded, with its result or its error", async () => {
      const answer = await json("batch_execute", {
        operations: [hover, failing, hover],
        options: { parallel: false, stop_on_error: false, atomic: false, dry_run: false },
      });
      expect(answer).toMatchObject({ total: 3, successful: 2, failed: 1, skipped: 0 });
      expect(answer.results).toMatchObject([
        { index: 0, id: "one", tool: "get_hover", success: true, result: { ok: true, contents: ["words"] } },
        { index: 1, success: false, error: "none.fake does not exist." },
        { index: 2, success: true },
      ]);
    });

    it.each([true, false])("stops at a failure by default, parallel %s", async (parallel) => {
      const operations = [failing, ...Array.from({ length: 20 }, () => hover)];
      const stopped = await json("batch_execute", { operations, options: { parallel } });
      const { successful, skipped } = stopped;
      expect(stopped).toMatchObject({ total: 21, failed: 1 });
      expect(Number(successful) + Number(skipped)).toBe(20);
      if (!parallel) expect(skipped).toBe(20);
      expect((stopped.results as JsonObject[]).at(-1)).toMatchObject({
        success: false,
        error: "Skipped: operation 0 failed, and `stop_on_error` is not false.",
      });
    });

    it("refuses unsupported options, and anything but a list of 1 to 50 calls", async () => {
      for (const args of [
        { operations: [hover], options: { atomic: "yes" } },
        { operations: [hover], parallel: true },
        { operations: [] },
        { operations: Array.from({ length: 51 }, () => hover) },
        { operations: [{ ...hover, id: "x".repeat(101) }] },
        { operations: [{ tool: "nobody" }] },
        { operations: [{ tool: "batch_execute", args: { operations: [hover] } }] },
      ] as JsonObject[])
        expect((await codeflow.texts("batch_execute", args))[0]).toMatch(/^LSP Error \(-32602\): /);
      const fifty = await json("batch_execute", { operations: Array.from({ length: 50 }, () => hover) });
      expect(fifty).toMatchObject({ total: 50, successful: 50 });
    });
  });

  it.each<[string, JsonObject, RegExp]>([
    ["get_hover", { file_path: "none.fake" }, /^LSP Error \(-32102\): none\.fake does not exist\.$/],
    ["get_hover", { file_path: "a.fake", line: 99 }, /^LSP Error \(-32602\): /],
    ["get_hover", {}, /^LSP Error \(-32602\): /],
    ["get_hover", { file_path: "x.other" }, /^LSP Error \(-32102\): /],
    ["find_definition", { file_path: "a.fake", symbol_name: " " }, /^LSP Error \(-32602\): /],
  ])("reports a failure of %s %j with its number", async (tool, args, words) => {
    expect(await codeflow.texts(tool, args)).toEqual([expect.stringMatching(words)]);
  });
});

describe("codeflow's arguments, with the names of the original", () => {
  let codeflow: Scripted;
  beforeAll(async () => {
    codeflow = await openProfile(
      "codeflow",
      { "a.fake": "first\nsecond third\nbase\n", "deep/b.fake": "base\n" },
      {
        capabilities: {
          inlayHintProvider: true,
          codeActionProvider: true,
          completionProvider: {},
          signatureHelpProvider: {},
          documentFormattingProvider: true,
          callHierarchyProvider: true,
          typeHierarchyProvider: true,
          workspaceSymbolProvider: true,
        },
        replies: {
          "textDocument/inlayHint": [],
          "textDocument/codeAction": [],
          "textDocument/completion": [],
          "textDocument/signatureHelp": null,
          "textDocument/formatting": [],
          "textDocument/prepareCallHierarchy": [type("third", 1)],
          "textDocument/prepareTypeHierarchy": [type("third", 1)],
          "callHierarchy/incomingCalls": [],
          "callHierarchy/outgoingCalls": [],
          "typeHierarchy/supertypes": [],
          "typeHierarchy/subtypes": [],
          "workspace/symbol": [
            { name: "base", kind: 12, location: { uri: a, range: range(2, 0, 4) } },
            { name: "base", kind: 12, location: { uri: "file:///work/deep/b.fake", range: range(0, 0, 4) } },
          ],
        },
      },
      { allow: { commands: [process.execPath], effects: ["read", "edit"] } },
    );
  });
  afterAll(() => codeflow?.close());

  const json = async (tool: string, args: JsonObject): Promise<JsonObject> => {
    const blocks = await codeflow.texts(tool, args);
    return JSON.parse(blocks[0] ?? "") as JsonObject;
  };
  const sent = async (tool: string, args: JsonObject, method: string) => {
    expect(await json(tool, args)).toMatchObject({ ok: true });
    return (await codeflow.work.received(method)).at(-1);
  };
  const file = { file_path: "a.fake" };

  it("start_line and its three others", async () => {
    const numbers = { start_line: 2, start_character: 1, end_line: 2, end_character: 4 };
    expect(await sent("get_inlay_hints", { ...file, ...numbers }, "textDocument/inlayHint")).toMatchObject({
      range: range(1, 1, 4),
    });
  });

  it("range", async () => {
    const given = { start: { line: 2, character: 1 }, end: { line: 2, character: 4 } };
    const params = await sent("get_code_actions", { ...file, range: given }, "textDocument/codeAction");
    expect(params).toMatchObject({ range: range(1, 1, 4) });
    expect(await sent("get_code_actions", file, "textDocument/codeAction")).toMatchObject({
      range: range(0, 0, 0, 3),
    });
  });

  it.each(["get_completions", "get_signature_help"])("trigger_character of %s", async (tool) => {
    const method = tool === "get_completions" ? "textDocument/completion" : "textDocument/signatureHelp";
    const call = { ...file, line: 2, character: 6, trigger_character: "." };
    const typed = { triggerKind: 2, triggerCharacter: "." };
    expect(await sent(tool, call, method)).toMatchObject({ context: typed });
    const { trigger_character: _, ...without } = call;
    const invoked = await sent(tool, without, method);
    expect(invoked).toMatchObject({ context: { triggerKind: 1 } });
    expect(invoked?.context).not.toHaveProperty("triggerCharacter");
  });

  it("options, with its defaults", async () => {
    const options = async (given: JsonObject) =>
      (await sent("format_document", { ...file, ...given }, "textDocument/formatting"))?.options;
    expect(await options({})).toEqual({ tabSize: 2, insertSpaces: true });
    expect(await options({ options: { tab_size: 8, insert_final_newline: true } })).toEqual({
      tabSize: 8,
      insertSpaces: true,
      insertFinalNewline: true,
    });
  });

  it.each([
    ["prepare_call_hierarchy", "get_call_hierarchy_incoming_calls", "callHierarchy/incomingCalls"],
    ["prepare_call_hierarchy", "get_call_hierarchy_outgoing_calls", "callHierarchy/outgoingCalls"],
    ["prepare_type_hierarchy", "get_type_hierarchy_supertypes", "typeHierarchy/supertypes"],
    ["prepare_type_hierarchy", "get_type_hierarchy_subtypes", "typeHierarchy/subtypes"],
  ])("an item of %s goes to %s", async (prepare, tool, method) => {
    const { items } = await json(prepare, { ...file, line: 2, character: 0 });
    const [item] = items as JsonObject[];
    expect(item).toMatchObject({ name: "third", path: "a.fake", line: 2 });
    expect(await sent(tool, { item: item ?? {} }, method)).toMatchObject({
      item: { name: "third", uri: codeflow.work.uri("a.fake") },
    });
    for (const path of ["../../../etc/passwd", "/etc/passwd", ".git/config"])
      expect((await codeflow.texts(tool, { item: { ...item, path } }))[0]).toMatch(/^LSP Error/);
    expect((await codeflow.texts(tool, {}))[0]).toMatch(/^LSP Error \(-32602\): Give `item`, or/);
  });

  it("include_details", async () => {
    const server = { id: "fake", state: "running", readiness: "ready" };
    expect((await json("health_check", {})).servers).toEqual([server]);
    expect((await json("health_check", { include_details: true })).servers).toEqual([
      expect.objectContaining({ ...server, extensions: ["fake"], pid: expect.any(Number) }),
    ]);
  });

  it("workspace_path", async () => {
    const paths = async (more: JsonObject) =>
      ((await json("search_workspace_symbols", { query: "base", ...more })).symbols as JsonObject[]).map(
        ({ path }) => path,
      );
    expect(await paths({})).toEqual(["a.fake", "deep/b.fake"]);
    expect(await paths({ workspace_path: "deep" })).toEqual(["deep/b.fake"]);
    expect(
      (await codeflow.texts("search_workspace_symbols", { query: "base", workspace_path: ".." }))[0],
    ).toMatch(/^LSP Error/);
  });
});
