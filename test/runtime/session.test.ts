import { getEventListeners } from "node:events";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { Refusal } from "../../src/base/problem.js";
import { openTestWorkspace, range, type TestWorkspace, type TestWorkspaceOptions } from "./test-workspace.js";

let work: TestWorkspace | undefined;
afterEach(async () => {
  await work?.close();
  work = undefined;
});

async function open(options: TestWorkspaceOptions): Promise<TestWorkspace> {
  work = await openTestWorkspace(options);
  return work;
}

const a = "file:///work/a.fake";
const files = { "a.fake": "one two\n👋 three two\n", "b.fake": "two\n" };

describe("a call", () => {
  it("gives true places in both forms, in characters, sorted and once each", async () => {
    const { call } = await open({
      files,
      servers: {
        fake: {
          scenario: {
            capabilities: { definitionProvider: true },
            replies: {
              "textDocument/definition": [
                { uri: "file:///work/b.fake", range: range(0, 0, 3) },
                { uri: a, range: range(1, 3, 8) },
                { uri: "file:///etc/passwd", range: range(0, 0, 1) },
                { uri: a, range: range(1, 3, 8) },
              ],
            },
          },
        },
      },
    });
    const outcome = await call("find_definition", { file_path: "a.fake", line: 2, character: 3 });
    expect(outcome.structured).toMatchObject({
      ok: true,
      tool: "find_definition",
      server_id: "fake",
      total: 2,
      shown: 2,
      truncated: false,
      dropped: 1,
      document: { path: "a.fake" },
      locations: [
        { path: "a.fake", line: 2, character: 3, end_line: 2, end_character: 8, text: "👋 three two" },
        { path: "b.fake", line: 1, character: 1, end_line: 1, end_character: 4, text: "two" },
      ],
      warnings: [{ code: "answer/dropped" }],
    });
    expect(outcome.text).toMatch(/^find_definition: 2 locations \(server fake, ready\)\nDocument: a\.fake\n/);
    expect(outcome.text).toContain("a.fake\n  2:3-2:8  👋 three two\nb.fake\n  1:1-1:4  two\n");
    expect(outcome.text).toContain("Warning answer/dropped: 1 result lies outside the workspace");
  });

  it("reads a hover and its range", async () => {
    const { call } = await open({
      files,
      servers: {
        fake: {
          scenario: {
            capabilities: { hoverProvider: true },
            replies: {
              "textDocument/hover": {
                contents: [{ language: "x", value: "code" }, "words"],
                range: range(1, 3, 8),
              },
            },
          },
        },
      },
    });
    const outcome = await call("get_hover", { file_path: "a.fake", line: 2, character: 3 });
    expect(outcome.structured).toMatchObject({
      contents: ["```x\ncode\n```", "words"],
      range: { line: 2, character: 3, end_line: 2, end_character: 8 },
    });
    expect(outcome.text).toContain("Range: 2:3-2:8\n```x\ncode\n```\nwords");
  });

  it.each(["utf-8", "utf-16", "utf-32"])("speaks %s with a server that does", async (encoding) => {
    const columns = { "utf-8": [5, 10], "utf-16": [3, 8], "utf-32": [2, 7] }[encoding] ?? [];
    const { call, received } = await open({
      files,
      servers: {
        fake: {
          scenario: {
            capabilities: { definitionProvider: true, positionEncoding: encoding },
            replies: {
              "textDocument/definition": { uri: a, range: range(1, columns[0] ?? 0, columns[1] ?? 0) },
            },
          },
        },
      },
    });
    const { structured } = await call("find_definition", { file_path: "a.fake", line: 2, character: 3 });
    expect(structured.locations).toMatchObject([{ line: 2, character: 3, end_character: 8 }]);
    expect(await received("textDocument/definition")).toMatchObject([
      { position: { line: 1, character: columns[0] } },
    ]);
  });

  it("is empty with a warning where the server lacks the method, list or not", async () => {
    const { call } = await open({ files, servers: { fake: { scenario: { capabilities: {} } } } });
    const list = await call("find_references", { file_path: "a.fake", line: 1, character: 1 });
    expect(list.structured).toMatchObject({
      ok: true,
      locations: [],
      warnings: [{ code: "answer/not-supported" }],
    });
    const hover = await call("get_hover", { file_path: "a.fake", line: 1, character: 1 });
    expect(hover.structured).toMatchObject({
      ok: true,
      contents: [],
      warnings: [{ code: "answer/not-supported", message: expect.stringContaining("textDocument/hover") }],
    });
    expect(hover.text).toContain("Warning answer/not-supported: ");
  });

  it("leaves no listener for its end, answered or refused", async () => {
    const { session } = await open({
      files,
      servers: { fake: { scenario: { capabilities: { hoverProvider: true } } } },
    });
    const { signal } = new AbortController();
    for (const file of ["a.fake", "none.fake"])
      await session.call("get_hover", { file_path: file, line: 1, character: 1 }, { signal });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("refuses arguments of any depth, and leaves no listener on the signal", async () => {
    const { session } = await open({ files });
    const { signal } = new AbortController();
    let deep: unknown = 1;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    const call = session.call("get_hover", { file_path: "a.fake", deep }, { signal });
    expect((await call).structured).toMatchObject({ ok: false, error: { code: "guard/invalid-arguments" } });
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });

  it("throws only for a tool that is not there", async () => {
    const { session } = await open({ files });
    const call = session.call("find_definitions", {}, { signal: new AbortController().signal });
    await expect(call).rejects.toThrow(Refusal);
    await expect(call).rejects.toThrow("Did you mean find_definition?");
  });
});

describe("a call that cannot be answered", () => {
  it("learns which arguments there are", async () => {
    const { text } = await refusing.call("get_document_symbols", { path: "a.fake" });
    expect(text).toContain("/path is unknown, did you mean file_path?");
    const wrong = { file_path: "a.fake", line: 5, column: 6 };
    const { text: column } = await refusing.call("find_definition", wrong);
    expect(column).toContain("/column is unknown, did you mean character?");
    expect(text).not.toContain("additionalProperties");
    // Everything is said once.
    expect(text.split("unknown")).toHaveLength(2);
  });

  it("learns the allowed value that is most similar", async () => {
    const named = { file_path: "a.fake", symbol_name: "x" };
    const { text } = await refusing.call("find_references", { ...named, symbol_kind: "functoin" });
    expect(text).toContain("There is no such kind, did you mean function? Known are ");
    const other = await refusing.call("find_references", { ...named, symbol_kind: "zzzzzzzzz" });
    expect(other.text).toContain("There is no such kind. Known are ");
    const severity = async (word: string) =>
      (await refusing.call("get_diagnostics", { file_path: "a.fake", min_severity: word })).text;
    expect(await severity("eror")).toContain('did you mean "error"?');
    expect(await severity("zzzzz")).toContain("/min_severity must be one of ");
    expect(await severity("zzzzz")).not.toContain("did you mean");
  });

  let refusing: TestWorkspace;
  beforeAll(async () => {
    refusing = await openTestWorkspace({
      files: { ...files, "c.txt": "" },
      servers: { fake: { scenario: { capabilities: { definitionProvider: true } } } },
    });
  });
  afterAll(() => refusing.close());

  it.each<[string, JsonObject, string]>([
    ["an outside path", { file_path: "../lspi.json", line: 1, character: 1 }, "guard/outside-root"],
    ["a missing file", { file_path: "no.fake", line: 1, character: 1 }, "guard/not-a-file"],
    ["a folder", { file_path: ".", line: 1, character: 1 }, "guard/not-a-file"],
    ["a file without a server", { file_path: "c.txt", line: 1, character: 1 }, "route/no-server"],
    ["half a position", { file_path: "a.fake", line: 1 }, "point/incomplete"],
    ["no position", { file_path: "a.fake" }, "point/incomplete"],
    ["nothing", {}, "point/incomplete"],
    ["a line past the end", { file_path: "a.fake", line: 99, character: 1 }, "point/out-of-range"],
    ["a wrong type", { file_path: 7 }, "guard/invalid-arguments"],
    ["an unknown argument", { path: "a.fake" }, "guard/invalid-arguments"],
  ])("is refused: %s", async (_what, args, code) => {
    const { isError, structured, text } = await refusing.call("find_definition", args);
    expect(isError).toBe(true);
    expect(structured).toMatchObject({ ok: false, tool: "find_definition", error: { code } });
    expect((structured.next_steps as unknown[]).length).toBeGreaterThan(0);
    expect(text.startsWith(`Error ${code}: `)).toBe(true);
  });
});
