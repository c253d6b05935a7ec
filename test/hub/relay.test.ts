/** What a session does with messages that come while its hub ends. */
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, it, vi } from "vitest";
import { type PrivateKind, privateLine } from "../../src/hub/lines.js";
import { relay, type Upstream } from "../../src/hub/relay.js";

interface FakeHub {
  upstream: Upstream;
  /** What it was told. */
  told: () => { id?: number; method: string }[];
  says(kind: PrivateKind): void;
  answers(id: number): void;
  ends(): void;
}

function fakeHub(): FakeHub {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let text = "";
  output.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  return {
    upstream: { input, output, reads: new Set(), bundle: "b", destroy: () => output.end() },
    told: () => text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)])),
    says: (kind) => input.write(privateLine(kind)),
    answers: (id) => input.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: {} })}\n`),
    ends: () => input.end(),
  };
}

const nothing = () => undefined;

it("a refused session goes on as soon as a hub can be used, and its client reads the tools again", async () => {
  const [first, second] = [fakeHub(), fakeHub()];
  const waiting = [first, undefined, undefined, second];
  const [input, output] = [new PassThrough(), new PassThrough()];
  let told = "";
  output.setEncoding("utf8").on("data", (part: string) => {
    told += part;
  });
  const connect = async () => {
    const next = waiting.shift();
    if (next === undefined) throw new Error("no hub");
    return next.upstream;
  };
  const watches: (() => void)[] = [];
  const ends = vi.fn();
  const whenUsable = (listener: () => void) => {
    watches.push(listener);
    return ends;
  };
  const signal = new AbortController().signal;
  const ended = relay({ input, output, connect, refusal: async () => "why", whenUsable, signal });
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: 0, method: "initialize" });
  await expect.poll(() => first.told()).toHaveLength(1);
  first.answers(0);
  send({ method: "notifications/initialized" });
  await expect.poll(() => first.told()).toHaveLength(2);
  first.ends();
  await expect.poll(() => watches).toHaveLength(1);
  send({ id: 1, method: "tools/list" });
  await expect.poll(() => told).toContain('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"why"}}');
  expect(second.told()).toEqual([]);
  watches[0]?.();
  await expect
    .poll(() => second.told().map(({ method }) => method))
    .toEqual(["initialize", "notifications/initialized"]);
  expect(told).toContain("notifications/tools/list_changed");
  expect([watches.length, ends.mock.calls.length]).toEqual([1, 1]);
  input.end();
  second.ends();
  await ended;
});

it("a request that waits for the next hub can be cancelled", async () => {
  const hubs = [fakeHub(), fakeHub()] as const;
  const waiting = [...hubs];
  const [input, output] = [new PassThrough(), new PassThrough()];
  const connect = async () => {
    const next = waiting.shift();
    if (next === undefined) throw new Error("no more hubs");
    return next.upstream;
  };
  const signal = new AbortController().signal;
  const ended = relay({
    input,
    output: output.resume(),
    connect,
    refusal: async () => "why",
    whenUsable: () => nothing,
    signal,
  });
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const cancel = (requestId: number) => send({ method: "notifications/cancelled", params: { requestId } });
  const edit = { method: "tools/call", params: { name: "rename_symbol" } };
  const [first, second] = hubs;
  send({ id: 1, ...edit });
  await expect.poll(() => first.told().map(({ id }) => id)).toEqual([1]);
  first.says("drain");
  send({ id: 2, ...edit });
  cancel(2);
  first.answers(1);
  await expect.poll(() => first.upstream.output.writableEnded).toBe(true);
  first.ends();
  const methods = () => second.told().map(({ method }) => method);
  await expect.poll(methods).toEqual(["tools/call", "notifications/cancelled"]);
  input.end();
  second.ends();
  await ended;
});

it("no timer is left when the process is asked to end and its input closes after that", async () => {
  vi.useFakeTimers();
  try {
    const hub = fakeHub();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const controller = new AbortController();
    const connect = async () => hub.upstream;
    const ended = relay({
      input,
      output: output.resume(),
      connect,
      refusal: async () => "why",
      whenUsable: () => nothing,
      signal: controller.signal,
    });
    await vi.waitFor(() => expect(input.isPaused()).toBe(false));
    controller.abort();
    await ended;
    input.destroy();
    await once(input, "close");
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
