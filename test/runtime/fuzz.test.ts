import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

let work: TestWorkspace;
beforeAll(async () => {
  const place = [{ uri: "file:///work/a.fake", range: range(0, 4, 8) }];
  const request = { method: "textDocument/typeDefinition", params: "text_document_position" };
  work = await openTestWorkspace({
    config: {
      allow: { commands: [process.execPath], effects: ["read", "edit"] },
      tools: [
        { name: "edit_it", effect: "edit", input: ["position", "symbol"], output: "locations", request },
      ],
    },
    files: { "a.fake": "one     two\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: {
            definitionProvider: true,
            implementationProvider: true,
            typeDefinitionProvider: true,
          },
          // A server that has said that it is ready is asked once: an empty answer is believed.
          on: {
            initialized: ["begin", "end"].map((kind) => ({
              notify: "$/progress",
              params: { token: "index", value: { kind, title: "indexing" } },
            })),
          },
          replies: {
            "textDocument/definition": { $each: [[], place] },
            "textDocument/implementation": null,
            "textDocument/typeDefinition": null,
          },
        },
      },
    },
  });
});
afterAll(() => work.close());

it("asks at the word beside a place with nothing, once, and says which it was", async () => {
  const { structured } = await work.call("find_definition", {
    file_path: "a.fake",
    line: 1,
    character: 7,
  });
  const asked = await work.received("textDocument/definition");
  expect(asked.map(({ position }) => position)).toEqual([
    { line: 0, character: 6 },
    { line: 0, character: 8 },
  ]);
  expect(structured).toMatchObject({
    total: 1,
    readiness: "ready",
    warnings: [
      {
        code: "answer/fuzzed-position",
        message: "There is no symbol at the exact position; two in line 1, character 9, was used.",
        data: { line: 1, character: 9 },
      },
    ],
  });
});

it("leaves nothing on a word alone", async () => {
  const { structured } = await work.call("find_implementations", {
    file_path: "a.fake",
    line: 1,
    character: 2,
  });
  expect(structured).toMatchObject({ ok: true, locations: [], warnings: [] });
  const asked = await work.received("textDocument/implementation");
  expect(new Set(asked.map(({ position }) => JSON.stringify(position))).size).toBe(1);
});

it("says nothing was found when the words beside have nothing either", async () => {
  const { structured } = await work.call("find_implementations", {
    file_path: "a.fake",
    line: 1,
    character: 7,
  });
  expect(structured).toMatchObject({ ok: true, locations: [], warnings: [] });
});

it("never moves what edits, not even to a name beside", async () => {
  const at = { file_path: "a.fake", line: 1, character: 7 };
  const { structured } = await work.call("edit_it", at);
  expect(structured).toMatchObject({ ok: true, locations: [], warnings: [] });
  const asked = await work.received("textDocument/typeDefinition");
  expect(new Set(asked.map(({ position }) => JSON.stringify(position)))).toEqual(
    new Set([JSON.stringify({ line: 0, character: 6 })]),
  );
  const named = await work.call("edit_it", { ...at, symbol_name: "two" });
  expect(named.structured).toMatchObject({ ok: false, error: { code: "point/no-symbol" } });
});

it("moves onto names only: onto no number, and onto a keyword only where the file declares it", async () => {
  const other = await openTestWorkspace({
    files: { "k.fake": "const  12\n\n\n\ntype  13\n\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { definitionProvider: true, documentSymbolProvider: true },
          on: {
            initialized: ["begin", "end"].map((kind) => ({
              notify: "$/progress",
              params: { token: "index", value: { kind, title: "indexing" } },
            })),
          },
          replies: {
            "textDocument/documentSymbol": [{ name: "type", kind: 13, range: range(4, 0, 4) }],
            "textDocument/definition": {
              $each: [null, null, [{ uri: "file:///work/k.fake", range: range(4, 0, 4) }]],
            },
          },
        },
      },
    },
  });
  try {
    const near = (line: number, character: number) =>
      other.call("find_definition", { file_path: "k.fake", line, character });
    expect((await near(1, 7)).structured).toMatchObject({ total: 0, warnings: [] });
    expect((await near(5, 6)).structured).toMatchObject({
      total: 1,
      warnings: [{ code: "answer/fuzzed-position", data: { line: 5, character: 1 } }],
    });
    const asked = await other.received("textDocument/definition");
    expect(asked.map(({ position }) => position)).toEqual([
      { line: 0, character: 6 },
      { line: 4, character: 5 },
      { line: 4, character: 0 },
    ]);
  } finally {
    await other.close();
  }
});

it("never answers with a word of another line where the line has names, also past its end", async () => {
  const other = await openTestWorkspace({
    files: { "l.fake": "one  (;\n  two;\n\n\n  six\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { definitionProvider: true },
          on: {
            initialized: ["begin", "end"].map((kind) => ({
              notify: "$/progress",
              params: { token: "index", value: { kind, title: "indexing" } },
            })),
          },
          replies: { "textDocument/definition": null },
        },
      },
    },
  });
  try {
    const places = async (line: number, character: number) => {
      const before = (await other.received("textDocument/definition")).length;
      await other.call("find_definition", { file_path: "l.fake", line, character });
      const asked = (await other.received("textDocument/definition")).slice(before);
      return asked.map(({ position }) => position);
    };
    expect(await places(1, 5)).toEqual([
      { line: 0, character: 4 },
      { line: 0, character: 0 },
    ]);
    expect(await places(1, 600)).toEqual([{ line: 0, character: 7 }]);
    // A line without names may be one off.
    expect(await places(4, 3)).toContainEqual({ line: 4, character: 2 });
  } finally {
    await other.close();
  }
});
