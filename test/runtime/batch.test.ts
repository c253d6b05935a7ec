/** Several calls in one, through the whole line. */
import { afterEach, describe, expect, it } from "vitest";
import { openWorkshop, range, type Workshop } from "./workshop.js";

let workshop: Workshop | undefined;
afterEach(async () => {
  await workshop?.close();
  workshop = undefined;
});

const good = { tool: "find_definition", args: { file_path: "a.fake", line: 1, character: 1 } };
const bad = { tool: "find_definition", args: { file_path: "none.fake", line: 1, character: 1 } };
const wrong = { tool: "find_definition", args: { file_path: "a.fake", lines: 1 } };

async function open(config = {}): Promise<Workshop> {
  workshop = await openWorkshop({
    files: { "a.fake": "one two\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { definitionProvider: true },
          replies: { "textDocument/definition": [{ uri: "file:///work/a.fake", range: range(0, 0, 3) }] },
        },
      },
    },
    config: { extends: ["tools/core", "tools/batch", "tools/workflows"], ...config },
  });
  return workshop;
}

describe("a batch", () => {
  it("gives every operation its outcome, in order, and stops at the first failure", async () => {
    const { call } = await open();
    const { structured, text } = await call("batch_execute", {
      operations: [{ ...good, id: "first" }, bad, good],
    });
    expect(structured).toMatchObject({
      ok: true,
      total: 3,
      successful: 1,
      failed: 1,
      skipped: 1,
      operations: [
        { index: 0, id: "first", tool: "find_definition", outcome: "done", answer: { ok: true, total: 1 } },
        { index: 1, outcome: "failed", answer: { ok: false, error: { code: "guard/not-a-file" } } },
        { index: 2, outcome: "skipped" },
      ],
    });
    expect(text).toContain("Summary: 1 successful, 1 failed, 1 skipped");
    expect(text).toContain("[0] first find_definition: done");
  });

  it.each([true, false])("goes on when told to, side by side: %s", async (parallel) => {
    const { call } = await open();
    const operations = [bad, good, wrong, good];
    const { structured } = await call("batch_execute", { operations, parallel, stop_on_error: false });
    expect(structured).toMatchObject({
      successful: 2,
      failed: 2,
      skipped: 0,
      operations: [
        { index: 0, outcome: "failed" },
        { index: 1, outcome: "done" },
        { index: 2, outcome: "failed", answer: { error: { code: "guard/invalid-arguments" } } },
        { index: 3, outcome: "done" },
      ],
    });
  });

  it("refuses unknown tools, batches within, too many and none, before anything is called", async () => {
    const { call, received } = await open({ mcp: { tools: { exclude: ["get_hover"] } } });
    for (const operations of [
      [good, { tool: "nowhere" }],
      [good, { tool: "batch_execute", args: { operations: [good] } }],
      [good, { tool: "get_hover", args: good.args }],
      [],
      Array.from({ length: 51 }, () => good),
    ]) {
      const { structured } = await call("batch_execute", { operations });
      expect(structured).toMatchObject({ ok: false, error: { code: "guard/invalid-arguments" } });
    }
    expect(await received("textDocument/definition")).toEqual([]);
    const { structured } = await call("batch_execute", {
      operations: Array.from({ length: 50 }, () => good),
    });
    expect(structured).toMatchObject({ successful: 50 });
  });
});

describe("a workflow", () => {
  it("answers with the answers of its tools", async () => {
    const { call } = await open();
    const { structured } = await call("definition_and_references", good.args);
    expect(structured.value).toMatchObject({
      definition: { ok: true, tool: "find_definition", total: 1 },
      references: {
        ok: true,
        tool: "find_references",
        total: 0,
        warnings: [{ code: "answer/not-supported" }],
      },
    });
  });
});
