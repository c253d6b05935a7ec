/** Which messages are answered without the SDK, and that they are answered as it would. */
import { expect, it, test } from "vitest";
import { CallLane } from "../../src/mcp/call-lane.js";
import type { SessionCalls } from "../../src/mcp/calls.js";
import { ProtocolError, type ToolResult } from "../../src/mcp/result.js";

const result: ToolResult = { content: [{ type: "text", text: "yes" }] };
const plain = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { name: "t", arguments: { a: 1 } } };
const withParams = (params: unknown) => ({ ...plain, params });

/** A lane whose calls end as `answer` says. */
function open(answer: SessionCalls["call"]) {
  const sent: Record<string, unknown>[] = [];
  const calls = { call: answer } as unknown as SessionCalls;
  const send = async (message: Record<string, unknown>) => {
    sent.push(message);
  };
  return { lane: new CallLane({ calls, client: () => "me", send }), sent };
}

it("answers a plain call, and tells its progress where that is asked for", async () => {
  const asked: unknown[] = [];
  const { lane, sent } = open(async (name, args, { onProgress }, client) => {
    asked.push([name, args, client]);
    onProgress?.("half");
    return result;
  });
  expect(lane.take(plain)).toBe(true);
  expect(lane.take({ ...withParams({ name: "u", _meta: { progressToken: "p" } }), id: "x" })).toBe(true);
  await expect.poll(() => sent.length).toBe(3);
  expect(asked).toEqual([
    ["t", { a: 1 }, "me"],
    ["u", undefined, "me"],
  ]);
  expect(sent).toEqual([
    {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { progressToken: "p", progress: 1, message: "half" },
    },
    { jsonrpc: "2.0", id: 7, result },
    { jsonrpc: "2.0", id: "x", result },
  ]);
});

test.each<[string, unknown]>([
  ["another method", { ...plain, method: "tools/list" }],
  ["another protocol", { ...plain, jsonrpc: "1.0" }],
  ["no id", { jsonrpc: "2.0", method: "tools/call", params: plain.params }],
  ["an id that is none", { ...plain, id: 1.5 }],
  ["a member that no message has", { ...plain, more: 1 }],
  ["no parameters", withParams(undefined)],
  ["no name", withParams({ arguments: {} })],
  ["arguments that are no table", withParams({ name: "t", arguments: [] })],
  ["a task", withParams({ name: "t", task: {} })],
  ["a meaning beside the call", withParams({ name: "t", _meta: { "io.modelcontextprotocol/x": {} } })],
  ["another of the protocol's own", withParams({ name: "t", _meta: { "tools.mcp.com/x": 1 } })],
  ["a token that is none", withParams({ name: "t", _meta: { progressToken: {} } })],
  ["a list", [plain]],
  ["nothing", null],
])("leaves to the SDK: %s", (_, message) => {
  const { lane } = open(() => Promise.reject(new Error("not to be called")));
  expect(lane.take(message)).toBe(false);
});

it("takes a call with a client's own notes beside it", () => {
  const { lane } = open(() => new Promise(() => undefined));
  expect(lane.take(withParams({ name: "t", _meta: { "client.example/use": "1", progressToken: 3 } }))).toBe(
    true,
  );
});

it("leaves a second call of an id that is under way to the SDK", () => {
  const { lane } = open(() => new Promise(() => undefined));
  expect(lane.take(plain)).toBe(true);
  expect(lane.take(plain)).toBe(false);
});

it("takes a call back that is under way, and answers it no more", async () => {
  const signals: AbortSignal[] = [];
  let finish = () => {};
  const { lane, sent } = open((_name, _args, { signal }) => {
    signals.push(signal);
    return new Promise((resolve) => {
      finish = () => resolve(result);
    });
  });
  const cancel = (requestId: unknown) => ({
    jsonrpc: "2.0",
    method: "notifications/cancelled",
    params: { requestId },
  });
  lane.take(plain);
  expect(lane.take(cancel(8))).toBe(false);
  expect(signals[0]?.aborted).toBe(false);
  expect(lane.take(cancel(7))).toBe(true);
  expect(signals[0]?.aborted).toBe(true);
  finish();
  await new Promise((done) => setImmediate(done));
  expect(sent).toEqual([]);
});

it("tells an error of the protocol with its number, and any other without detail of its kind", async () => {
  const errors = [new ProtocolError(-32602, "no such tool", { code: "x" }), new Error("lost")];
  const { lane, sent } = open(() => Promise.reject(errors.shift()));
  lane.take(plain);
  lane.take({ ...plain, id: 8 });
  await expect.poll(() => sent.length).toBe(2);
  expect(sent).toEqual([
    { jsonrpc: "2.0", id: 7, error: { code: -32602, message: "no such tool", data: { code: "x" } } },
    { jsonrpc: "2.0", id: 8, error: { code: -32603, message: "lost" } },
  ]);
});

it("cancels all at its end", () => {
  const signals: AbortSignal[] = [];
  const { lane } = open((_name, _args, { signal }) => {
    signals.push(signal);
    return new Promise(() => undefined);
  });
  lane.take(plain);
  lane.take({ ...plain, id: 8 });
  lane.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});
