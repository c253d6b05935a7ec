/** The record of calls stays small, whatever clients send. */
import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { Refusal } from "../../src/base/problem.js";
import { CallStatistics } from "../../src/dashboard/call-statistics.js";
import { CallRecord } from "../../src/dashboard/record.js";
import { ProtocolError } from "../../src/mcp/protocol-error.js";
import type { WatchedSession } from "../../src/runtime/call-observer.js";
import { fakePlan } from "../fake-server/index.js";

const MB = 1024 * 1024;
const session: WatchedSession = { client: undefined, roots: [], running: 0, isClosed: false };
const workspace = { name: "work", kind: "agent" as const, plan: () => fakePlan([]) };

setFlagsFromString("--expose-gc");
const collect: () => void = runInNewContext("gc");

async function used(): Promise<number> {
  collect();
  await nextTurn();
  collect();
  return process.memoryUsage().heapUsed + process.memoryUsage().external;
}

it("is bounded under a flood of large calls with made-up names", async () => {
  const record = new CallRecord(true);
  const watch = record.watch(workspace);
  let rows = 0;
  record.subscribe(() => rows++);
  const before = await used();
  for (let count = 0; count < 600; count++) {
    // A new text each time: it must not be kept by a part of it.
    const text = `${count} `.padEnd(100_000, "x");
    const name = `${count}`.padEnd(50_000, "n");
    const args = { file_path: text, symbol_name: text, [name]: 1 };
    const hostile = { ...session, client: { name, version: name } };
    const call = watch.began(hostile, name, args);
    call.ended({ content: [{ type: "text", text }], structuredContent: { text } });
    hostile.isClosed = true;
  }
  // Before anything reads the rows, which copies their texts.
  expect((await used()) - before).toBeLessThan(32 * MB);
  expect(rows).toBe(1_200);
  expect(record.rows()).toHaveLength(500);
  expect(record.bytes).toBeLessThanOrEqual(8 * MB);
  expect(JSON.stringify(record.rows()).length).toBeLessThan(MB);
  expect(record.sessions()).toHaveLength(0);
  expect(record.statistics.tools().map(({ tool, calls }) => [tool, calls])).toEqual([["(unknown)", 600]]);
  const last = record.rows().at(-1);
  expect(last?.tool.length).toBeLessThan(200);
  expect(last?.target.length).toBeLessThan(300);
  const detail = record.detail(last?.id ?? 0);
  expect(detail?.arguments).toBeNull();
  expect(detail?.note).toContain("too large");
  expect(detail?.result?.structured).toBeNull();
  expect(detail?.result?.text.length).toBeLessThan(65_536);
});

it("has whole characters where a target is cut", () => {
  const record = new CallRecord(true);
  record.watch(workspace).began(session, "a_tool", { symbol_name: `a${"👋".repeat(500)}` });
  expect(record.rows()[0]?.target).toMatch(/^a(?:👋)+\.\.\.$/u);
});

it("drops the arguments and answers of the oldest calls first", () => {
  const record = new CallRecord(true);
  const watch = record.watch(workspace);
  for (let count = 0; count < 300; count++)
    watch
      .began(session, "a_tool", { count })
      .ended({ content: [{ type: "text", text: "y".repeat(60_000) }] });
  expect(record.bytes).toBeLessThanOrEqual(8 * MB);
  expect(record.rows()).toHaveLength(300);
  expect(record.detail(1)).toMatchObject({
    arguments: null,
    result: null,
    note: expect.stringContaining("room"),
  });
  expect(record.detail(300)).toMatchObject({ arguments: { count: 299 }, note: null });
});

it("counts an answer's bytes in both forms, and its tokens in the larger one", () => {
  const record = new CallRecord(true);
  const content = [{ type: "text" as const, text: "é".repeat(100) }];
  record
    .watch(workspace)
    .began(session, "a_tool", {})
    .ended({ content, structuredContent: { a: 1 } });
  expect(record.rows()[0]).toMatchObject({ bytes: 207, tokens: 50 });
});

it("has the code of a refusal, also of one that was reported as a protocol error", () => {
  const record = new CallRecord(true);
  const refusal = (code: "guard/unknown-tool" | "call/cancelled") => new Refusal(code, "no");
  for (const error of [
    refusal("guard/unknown-tool"),
    new ProtocolError(-32602, "no", undefined, refusal("guard/unknown-tool")),
    new ProtocolError(-32000, "no", undefined, refusal("call/cancelled")),
    new Error("no"),
  ])
    record.watch(workspace).began(session, "a_tool", {}).failed(error);
  expect(record.rows().map(({ outcome, code }) => [outcome, code])).toEqual([
    ["error", "guard/unknown-tool"],
    ["error", "guard/unknown-tool"],
    ["cancelled", "call/cancelled"],
    ["error", null],
  ]);
});

it("adds up the last hour by minute, and the last calls by tool", () => {
  const statistics = new CallStatistics();
  const row = (tool: string, totalMs: number, outcome: "ok" | "error" = "ok") => ({
    ...{ id: 1, at: 0, workspace: "", session: "", client: null, tool, target: "", server: null, outcome },
    ...{ code: null, items: null, bytes: 4, tokens: 1, readiness: null },
    time: { totalMs, waitingMs: 0, serverMs: 0, ownMs: totalMs },
  });
  const hour = 3_600_000;
  statistics.add(row("old", 1), 0);
  for (let ms = 1; ms <= 100; ms++) statistics.add(row("a", ms, ms === 1 ? "error" : "ok"), hour + 60_000);
  statistics.add(row("a", 1000), hour + 180_000);
  const minutes = statistics.minutes(hour + 180_000);
  expect(minutes.map(({ calls }) => calls)).toEqual([100, 0, 1]);
  expect(minutes[0]).toEqual({ at: hour + 60_000, calls: 100, errors: 1, tokens: 100 });
  expect(statistics.tools()).toMatchObject([
    { tool: "a", calls: 101, errors: 1, p50Ms: 51, p95Ms: 96 },
    { tool: "old", calls: 1 },
  ]);
});
