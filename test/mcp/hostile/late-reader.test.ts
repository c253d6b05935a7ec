/** Clients on stdio that do not read, or are gone: nothing blocks, nothing grows, and the program ends. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import type { Scenario } from "../../fake-server/index.js";
import { callOf, definition, endAll, initialize, MODERN, PipeClient, start } from "./program.js";

/** Only what hangs, or costs n², takes so long on a busy machine. */
const LIMIT_MS = 240_000;
vi.setConfig({ testTimeout: LIMIT_MS + 60_000 });
/** A call that waits for the processor must not end by its own limit. */
const patient = { limits: { timeout_ms: 100_000 } };
const slowServer = { request_timeout_ms: 90_000, initialize_timeout_ms: 90_000 };
afterEach(endAll);

/** The resident memory of a process in MB. */
function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

function inTime<T>(promise: Promise<T>): Promise<T> {
  return Promise.race([
    promise,
    new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error(`nothing happened within ${LIMIT_MS} ms`)), LIMIT_MS).unref();
    }),
  ]);
}

const progress = (value: object) => ({ notify: "$/progress", params: { token: "index", value } });
/** Sends this many progress reports before it answers. */
function chatty(reports: number): Scenario {
  const report = { kind: "report", message: { $text: ["file ", { $: "/i" }] } };
  return {
    ...definition,
    on: {
      "textDocument/definition": [
        progress({ kind: "begin", title: "indexing" }),
        { flood: "$/progress", times: reports, params: { token: "index", value: report } },
        progress({ kind: "end" }),
        // Answered only after the reports were handled.
        { request: "workspace/workspaceFolders" },
        { save: "reported.json" },
      ],
    } as never,
  };
}
const never: Scenario = { ...definition, on: { "textDocument/definition": [{ never: true }] } };

/** Their answers are less than a client may leave unread: more would be a race with its disconnection. */
const BAD_LINES = 10_000;

it("20 KB of bad lines before the client reads are all answered, and a call after them", async () => {
  const client = new PipeClient(
    start({ servers: { fake: { scenario: definition, config: slowServer } }, config: patient }),
  );
  client.send(initialize);
  client.send("x\n".repeat(BAD_LINES));
  client.send(callOf(1));
  await new Promise((resolve) => setTimeout(resolve, 3000));
  client.read();
  const answer = await inTime(client.answer(1));
  expect(answer).toMatchObject({ result: { structuredContent: { ok: true } } });
  expect(client.heard.filter(({ id }) => id === null)).toHaveLength(BAD_LINES);
  // Node warns of listeners that grow with the messages; n of them cost n².
  expect(client.program.stderr()).not.toContain("MaxListenersExceededWarning");
});

/** Many times what a pipe holds. */
const REPORTS = 8_000;

it.each([
  ["with a handshake", {}],
  ["without one", MODERN],
])("8,000 progress reports that nobody reads delay no answer: a client %s", async (_name, meta) => {
  const client = new PipeClient(
    start({ servers: { fake: { scenario: chatty(REPORTS), config: slowServer } }, config: patient }),
  );
  if (!("io.modelcontextprotocol/protocolVersion" in meta)) client.send(initialize);
  client.send(callOf(1, { progressToken: "p", ...meta }));
  const { folder } = client.program;
  await expect.poll(() => existsSync(join(folder, "reported.json")), { timeout: LIMIT_MS }).toBe(true);
  client.read();
  const answer = await inTime(client.answer(1));
  expect(answer).toMatchObject({ result: { structuredContent: { ok: true, total: 1 } } });
  const reports = client.heard.filter(({ method }) => method === "notifications/progress");
  expect(reports.length).toBeGreaterThan(0);
  expect(reports.length).toBeLessThan(REPORTS / 4);
  // No report follows the answer of its call.
  const last = client.heard.findLastIndex(({ method }) => method === "notifications/progress");
  expect(last).toBeLessThan(client.heard.findIndex(({ id }) => id === 1));
});

it("a client that floods and never reads is not read from, and then disconnected; the program ends", async () => {
  const program = start();
  const client = new PipeClient(program);
  client.send(initialize);
  const line = "x\n".repeat(50_000);
  let isOver = false;
  const flood = () => {
    if (!isOver && program.child.stdin.write(line)) setImmediate(flood);
  };
  program.child.stdin.on("drain", flood);
  flood();
  let highest = 0;
  const meter = setInterval(() => {
    // It is not a number once the program has ended.
    highest = Math.max(highest, residentMb(program.pid) || 0);
  }, 200);
  try {
    expect(await inTime(program.ended)).toBe(0);
  } finally {
    isOver = true;
    clearInterval(meter);
  }
  expect(program.stderr()).toContain("the client does not read its answers");
  expect(highest).toBeLessThan(400);
});

it.each(["closes its input", "is gone"])(
  "a client with unread answers that %s ends the program",
  async (how) => {
    const program = start({ servers: { fake: { scenario: never } } });
    const client = new PipeClient(program);
    client.send(initialize);
    client.send(callOf(1));
    client.send("x\n".repeat(10_000));
    await new Promise((resolve) => setTimeout(resolve, 2000));
    program.child.stdin.destroy();
    if (how === "is gone") program.child.stdout.destroy();
    expect(await inTime(program.ended)).toBe(0);
  },
);

it("many calls of one session at once are no leak of listeners", async () => {
  const scenario: Scenario = { ...definition, on: { "textDocument/definition": [{ never: true }] } };
  const program = start({ servers: { fake: { scenario } }, config: { limits: { timeout_ms: 3_000 } } });
  const client = new PipeClient(program).read();
  client.send(initialize);
  const ids = Array.from({ length: 40 }, (_, index) => index);
  for (const id of ids)
    client.send(callOf(id, {}, { file_path: "a.fake", line: 1, character: 1 + (id % 7) }));
  for (const id of ids) expect(JSON.stringify(await client.answer(id))).toContain("lsp/timeout");
  expect(program.stderr()).not.toContain("MaxListenersExceededWarning");
});
