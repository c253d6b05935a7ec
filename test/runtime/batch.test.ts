/** Several calls in one, through the whole line. */
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

let work: TestWorkspace | undefined;
afterEach(async () => {
  await work?.close();
  work = undefined;
});

const good = { tool: "find_definition", args: { file_path: "a.fake", line: 1, character: 1 } };
const bad = { tool: "find_definition", args: { file_path: "none.fake", line: 1, character: 1 } };
const wrong = { tool: "find_definition", args: { file_path: "a.fake", lines: 1 } };

async function open(config = {}): Promise<TestWorkspace> {
  work = await openTestWorkspace({
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
  return work;
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
        {
          index: 2,
          outcome: "skipped",
          summary: "Skipped: operation 1 failed, and `stop_on_error` is not false.",
        },
      ],
    });
    expect(text).toContain("Summary: 1 successful, 1 failed, 1 skipped");
    expect(text).toContain("[0] first find_definition: done");
  });

  it.each([true, false])("continues after a failure when asked to, in parallel: %s", async (parallel) => {
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

describe("a batch that is larger than an answer", () => {
  it("keeps every outcome, leaves out the largest answers, and says how to get them", async () => {
    work = await openTestWorkspace({
      files: { "a.fake": `${"word ".repeat(60)}\n`.repeat(150) },
      servers: {
        fake: {
          scenario: {
            capabilities: { definitionProvider: true, referencesProvider: true },
            replies: {
              "textDocument/definition": [{ uri: "file:///work/a.fake", range: range(0, 0, 3) }],
              "textDocument/references": Array.from({ length: 90 }, (_, index) => ({
                uri: "file:///work/a.fake",
                range: range(index, 0, 4),
              })),
            },
          },
        },
      },
      config: { extends: ["tools/core", "tools/batch"], limits: { max_items: 3 } },
    });
    const large = {
      tool: "find_references",
      args: { file_path: "a.fake", line: 1, character: 1, page_size: 3 },
    };
    const operations = Array.from({ length: 50 }, (_, index) =>
      index % 2 === 0 ? { ...large, id: `n${index}` } : index === 49 ? bad : good,
    );
    const { structured, text } = await work.call("batch_execute", { operations, stop_on_error: false });
    const told = structured.operations as JsonObject[];
    expect(told).toHaveLength(50);
    expect(structured).toMatchObject({ total: 50, shown: 50, successful: 49, failed: 1, truncated: true });
    expect(JSON.stringify(structured).length).toBeLessThanOrEqual(40_000);
    expect(text.length).toBeLessThanOrEqual(40_000);
    const dropped = told.filter((item) => item.answer_dropped === true);
    expect(dropped.length).toBeGreaterThan(0);
    for (const item of dropped) {
      expect(item.tool).toBe("find_references");
      expect(item).toMatchObject({ outcome: "done", summary: expect.stringContaining("of 90 locations") });
      expect(item.answer).toBeUndefined();
    }
    expect(told.at(-1)).toMatchObject({ outcome: "failed", code: "guard/not-a-file", answer: { ok: false } });
    expect(structured.warnings).toContainEqual({
      code: "answer/answers-dropped",
      message: expect.any(String),
      data: { operations: dropped.map(({ index }) => index) },
    });
    expect(structured.next_steps).toContainEqual(
      expect.objectContaining({ kind: "tool", tool: "find_references", arguments: large.args }),
    );
    expect(text).toContain("[0] n0 find_references: done");
  });
});

describe("an operation that asks back", () => {
  it("is marked, and its candidates are its answer", async () => {
    work = await openAmbiguous();
    const { structured } = await work.call("batch_execute", {
      operations: [{ tool: "find_definition", args: { file_path: "a.fake", symbol_name: "twin" } }],
    });
    expect(structured.operations).toMatchObject([
      {
        outcome: "done",
        needs_disambiguation: true,
        answer: { candidates: [{ name: "twin" }, { name: "twin" }] },
      },
    ]);
  });
});

/** A file with two symbols of one name. */
function openAmbiguous(): Promise<TestWorkspace> {
  const symbol = (line: number) => ({ name: "twin", kind: 12, range: range(line, 0, 4) });
  return openTestWorkspace({
    files: { "a.fake": "twin\ntwin\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { definitionProvider: true, referencesProvider: true, documentSymbolProvider: true },
          replies: { "textDocument/documentSymbol": [symbol(0), symbol(1)] },
        },
      },
    },
    config: { extends: ["tools/core", "tools/batch", "tools/workflows"] },
  });
}

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

  it("is refused when every step is, for the reason that they share", async () => {
    const { call } = await open();
    const { isError, structured } = await call("definition_and_references", bad.args);
    expect(isError).toBe(true);
    expect(structured).toMatchObject({ ok: false, error: { code: "guard/not-a-file" } });
  });

  it("reports a step that failed beside others that did not, and all when their reasons differ", async () => {
    const step = (id: string, args: object) => ({ id, tool: "find_definition", args });
    const far = { file_path: "a.fake", line: 99, character: 1 };
    const { call } = await open({
      tools: [
        { name: "half", output: "json", steps: [step("one", good.args), step("two", bad.args)] },
        { name: "none", output: "json", steps: [step("one", far), step("two", bad.args)] },
        { name: "last", output: "json", steps: [step("only", bad.args)] },
      ],
    });
    const half = await call("half", {});
    expect(half.structured).toMatchObject({
      ok: true,
      value: { one: { ok: true }, two: { ok: false } },
      warnings: [{ code: "answer/step-failed", data: { step: "two", code: "guard/not-a-file" } }],
    });
    expect((await call("none", {})).structured).toMatchObject({
      error: {
        code: "call/steps-failed",
        data: {
          steps: [
            { step: "one", code: "point/out-of-range" },
            { step: "two", code: "guard/not-a-file" },
          ],
        },
      },
    });
    expect((await call("last", {})).structured).toMatchObject({ error: { code: "guard/not-a-file" } });
  });

  it("needs disambiguation at its top when a step does", async () => {
    work = await openAmbiguous();
    const { structured, text } = await work.call("definition_and_references", {
      file_path: "a.fake",
      symbol_name: "twin",
    });
    expect(structured).toMatchObject({
      ok: true,
      needs_disambiguation: true,
      candidates: [
        { name: "twin", line: 1 },
        { name: "twin", line: 2 },
      ],
      value: { definition: { needs_disambiguation: true }, references: { needs_disambiguation: true } },
    });
    expect(text).toContain("Warning answer/several-matches");
  });
});

describe("calls within a call that runs out of time", () => {
  const hover = (character: number) => ({ tool: "get_hover", args: { ...good.args, character } });
  /** Each waits for most of what is left, so that after them nothing is. */
  const hovers = [1, 2, 3, 4, 5, 6].map(hover);
  const openHanging = async (batch: JsonObject = {}) => {
    work = await openTestWorkspace({
      files: { "a.fake": "one two\n" },
      servers: {
        fake: {
          scenario: {
            capabilities: { definitionProvider: true, hoverProvider: true },
            replies: { "textDocument/definition": [{ uri: "file:///work/a.fake", range: range(0, 0, 3) }] },
            on: { "textDocument/hover": [{ never: true }] },
          },
        },
      },
      config: {
        extends: ["tools/core", "tools/batch"],
        tools: [
          { name: "batch_execute", timeout_ms: 6000, ...batch },
          {
            name: "both",
            input: "position",
            output: "json",
            timeout_ms: 6000,
            steps: [
              { id: "first", tool: "find_definition", args: { from: "input" } },
              ...hovers.map((step, index) => ({ id: `slow_${index}`, ...step })),
              { id: "after", tool: "find_type_definition", args: { from: "input" } },
            ],
          },
        ],
      },
    });
    // The server is up before the clock runs.
    await work.call("find_definition", good.args);
    return work;
  };

  it("keep what is done; what has no time any more is skipped, whatever errors mean", async () => {
    const { call } = await openHanging();
    const operations = [good, ...hovers];
    const { structured } = await call("batch_execute", { operations, stop_on_error: false });
    expect(structured).toMatchObject({ ok: true, successful: 1 });
    const told = structured.operations as JsonObject[];
    expect(told[0]).toMatchObject({ outcome: "done", answer: { total: 1 } });
    expect(told[1]).toMatchObject({ outcome: "failed", code: "lsp/timeout", answer: { ok: false } });
    const late = "Skipped: the time of the whole call was up before it began.";
    expect(told.at(-1)).toMatchObject({ outcome: "skipped", summary: late });
    const stopped = await call("batch_execute", { operations: [good, hover(1), good] });
    expect(stopped.structured).toMatchObject({ successful: 1, failed: 1, skipped: 1 });
    const why = "Skipped: operation 1 did not end in time, and `stop_on_error` is not false.";
    expect((stopped.structured.operations as JsonObject[])[2]).toMatchObject({ summary: why });
  });

  it("say why they were skipped where an operation only reports its success", async () => {
    const { call } = await openHanging({ output: { shape: "batch", outcomes: "success" } });
    const asked = { operations: [good, ...hovers, good] };
    const last = async (args: JsonObject) =>
      ((await call("batch_execute", { ...asked, ...args })).structured.operations as JsonObject[]).at(-1);
    expect(await last({})).toMatchObject({
      success: false,
      error: "Skipped: operation 1 did not end in time, and `stop_on_error` is not false.",
    });
    expect(await last({ stop_on_error: false })).toMatchObject({
      success: false,
      error: "Skipped: the time of the whole call was up before it began.",
    });
  });

  it("keep what is done in a workflow, within less than its time, and skip the rest", async () => {
    const { call } = await openHanging();
    const { structured } = await call("both", good.args);
    expect(structured).toMatchObject({
      ok: true,
      value: {
        first: { ok: true, total: 1 },
        slow_0: { ok: false, error: { code: "lsp/timeout" } },
        after: { ok: false, error: { code: "call/not-begun" } },
      },
      warnings: expect.arrayContaining([
        {
          code: "answer/step-failed",
          message:
            "The step after was skipped: find_type_definition was not started: no time was left for it.",
          data: { step: "after", code: "call/not-begun" },
        },
        expect.objectContaining({ data: { step: "slow_0", code: "lsp/timeout" } }),
      ]),
    });
    // A tenth of the time is kept for the answer; without it the whole call would end with the slow step.
    const { slow_0 } = structured.value as { slow_0: { error: { message: string } } };
    const [, given] = /within (\d+) ms/.exec(slow_0.error.message) ?? [];
    expect(Number(given)).toBeLessThanOrEqual(5400);
  });
});

describe("a cut within a call", () => {
  it("is reported at the top, with the step or the operations", async () => {
    work = await openTestWorkspace({
      files: { "a.fake": "one two\n" },
      servers: {
        fake: {
          scenario: {
            capabilities: { referencesProvider: true },
            replies: {
              "textDocument/references": [0, 1, 2].map((start) => ({
                uri: "file:///work/a.fake",
                range: range(0, start, 3),
              })),
            },
          },
        },
      },
      config: {
        extends: ["tools/core", "tools/batch"],
        tools: [
          {
            name: "short",
            input: "position",
            output: "json",
            steps: [
              {
                id: "few",
                tool: "find_references",
                args: { file_path: "a.fake", line: 1, character: 1, page_size: 2 },
              },
              { id: "all", tool: "find_references", args: { from: "input" } },
            ],
          },
        ],
      },
    });
    const { structured } = await work.call("short", good.args);
    expect(structured).toMatchObject({
      truncated: true,
      value: { few: { truncated: true }, all: { truncated: false } },
      warnings: [{ code: "answer/truncated", data: { step: "few" } }],
    });
    const whole = { tool: "find_references", args: good.args };
    const part = { tool: "find_references", args: { ...good.args, page_size: 1 } };
    const batch = await work.call("batch_execute", { operations: [whole, part] });
    expect(batch.structured).toMatchObject({
      truncated: true,
      warnings: [{ code: "answer/truncated", data: { operations: [1] } }],
    });
  });
});
