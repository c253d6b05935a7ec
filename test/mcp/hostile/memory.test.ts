/** The memory limit of the proxy, for real: a small limit, a server that sends too much, and a process that leaks. */
import { readFileSync } from "node:fs";
import { afterAll, expect, it, vi } from "vitest";
import type { Json } from "../../../src/base/json.js";
import type { Scenario } from "../../fake-server/index.js";
import { send } from "../http/support.js";
import {
  callOf,
  definition,
  endAll,
  initialize,
  PipeClient,
  requestText,
  socketTo,
  start,
  startGateway,
} from "./program.js";

vi.setConfig({ testTimeout: 180_000 });
afterAll(endAll);

const limits = { proxy_memory_mb: 256, max_message_bytes: 1_073_741_824, timeout_ms: 100_000 };
/** Begins one message of 900 MB and sends 320 MB of it: when it is started, or instead of its first answer. */
const huge = [
  { raw: "Content-Length: 900000000\r\n\r\n", once: "begun" },
  ...Array.from({ length: 32 }, (_, index) => ({
    raw: { $repeat: "x", times: 10_000_000 },
    once: `sent-${index}`,
  })),
];

/** The largest resident memory that a process has had, in MB. */
function peakMb(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

it.each([
  ["in an answer", "textDocument/definition"],
  ["while it starts", "initialize"],
])("a server that sends too much %s is ended and restarted; the call is told why", async (_name, method) => {
  const scenario: Scenario = { ...definition, on: { [method]: huge } };
  const config = { request_timeout_ms: 90_000, initialize_timeout_ms: 90_000 };
  const program = start({ servers: { fake: { scenario, config } }, config: { limits } });
  const client = new PipeClient(program).read();
  client.send(initialize);
  client.send(callOf(1));
  expect(JSON.stringify(await client.answer(1))).toContain("limits.proxy_memory_mb = 256");
  client.send(callOf(2));
  expect(await client.answer(2)).toMatchObject({ result: { structuredContent: { ok: true, total: 1 } } });
  expect(peakMb(program.pid)).toBeLessThan(600);
  await expect.poll(program.stderr).toContain("reached its memory limit");
});

it("a reply of 21 million values within the limit of bytes is refused before it is parsed", async () => {
  const reply: Json = {
    $text: [
      ...['{"jsonrpc":"2.0","id":', { $: "/id" }, ',"result":[{}'],
      ...[{ $repeat: ",{}", times: 21_000_000 }, "]}"],
    ],
  };
  const scenario: Scenario = {
    ...definition,
    // A second reply to the same request would count instead of the first one, if it came in the same turn.
    on: {
      "textDocument/definition": [
        { raw: { $body: reply }, once: "sent" },
        { never: true, once: "answered" },
      ],
    },
  };
  const program = start({ servers: { fake: { scenario } }, config: { limits: { timeout_ms: 100_000 } } });
  const client = new PipeClient(program).read();
  client.send(initialize);
  client.send(callOf(1));
  expect(JSON.stringify(await client.answer(1))).toContain("has more than 4000000 values");
  expect(peakMb(program.pid)).toBeLessThan(1_024);
  client.send(callOf(2));
  expect(await client.answer(2)).toMatchObject({ result: { structuredContent: { ok: true, total: 1 } } });
});

/** A script for `--import` that keeps more and more memory after a signal, at most 80 MB a second. */
const leaking = (what: string): string[] => [
  "--import",
  `data:text/javascript,globalThis.kept=[];process.once("SIGUSR2",()=>setInterval(()=>kept.push(${what}),40))`,
];

// At the same time: these processes mostly wait until they have kept enough.
it.concurrent.each([
  ["memory outside the heap", leaking("Buffer.alloc(1e6,1)"), 256],
  ["heap, up to V8's own limit", ["--max-old-space-size=300", ...leaking("Array(4e5).fill(0.5)")], 4096],
])("a process that keeps too much %s ends with a message, not by SIGABRT", async (_name, nodeArgs, limit) => {
  const options = { config: { limits: { proxy_memory_mb: limit } } };
  const program = start(options, [], nodeArgs);
  const client = new PipeClient(program).read();
  client.send(initialize);
  await client.answer("hello");
  const gateway = await startGateway(options, nodeArgs);
  for (const { child } of [program, gateway]) child.kill("SIGUSR2");
  expect(await program.ended).toBe(70);
  expect(program.stderr()).toContain(`memory limit (limits.proxy_memory_mb = ${limit}) and ends`);
  expect(await gateway.ended).toBe(70);
});

it("a client that begins hundreds of MB of requests is disconnected; servers and other clients are not", async () => {
  const gateway = await startGateway({
    config: {
      limits: { proxy_memory_mb: 256 },
      http: { max_body_bytes: 2_000_000, body_timeout_ms: 100_000 },
    },
  });
  const { url } = gateway;
  // Another client works meanwhile, so that a server sends while memory is short.
  const opened = await send(String(url), { body: initialize });
  const headers = { "mcp-session-id": String(opened.headers["mcp-session-id"]) };
  let [id, isOver] = [0, false];
  const answers: string[] = [];
  const others = (async () => {
    while (!isOver) answers.push((await send(String(url), { headers, body: callOf(++id) })).text);
  })();
  const body = "x".repeat(1_900_000);
  const sockets = Array.from({ length: 300 }, () => socketTo(url));
  // The last byte never comes.
  for (const socket of sockets) socket.write(requestText(url, body).slice(0, -1));
  await expect.poll(gateway.stderr, { timeout: 60_000 }).toContain("disconnects the client that holds most");
  await expect.poll(() => sockets.filter(({ destroyed }) => destroyed).length).toBeGreaterThan(50);
  expect((await send(String(url), { body: initialize })).status).toBe(200);
  isOver = true;
  await others;
  expect(answers.filter((text) => !text.includes('"total":1'))).toEqual([]);
  expect(gateway.stderr()).not.toContain("ends a server");
  for (const socket of sockets) socket.destroy();
});
