/** The connection to a server: order of messages, limits, cancellation, partial results and trace. */
import { PassThrough, Writable } from "node:stream";
import { expect, it } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";
import { Refusal } from "../../src/base/problem.js";
import type { Transport } from "../../src/lsp/process/launch.js";
import type { Trace } from "../../src/lsp/types.js";
import { type SendOptions, ServerConnection } from "../../src/lsp/wire/connection.js";

type Body = Record<string, unknown>;

/** A connection whose other end is this test; `heard` is everything in the order in which it came. */
function open({ output = new PassThrough(), trace }: { output?: Writable; trace?: Trace } = {}) {
  const input = new PassThrough();
  const heard: string[] = [];
  const sent: Body[] = [];
  let received = "";
  output.on("data", (chunk: Buffer) => {
    received += chunk.toString();
    const bodies = received.split(/Content-Length: \d+\r\n\r\n/).slice(1);
    sent.splice(0, sent.length, ...bodies.flatMap(parsed));
  });
  let end: (reason: string) => void = () => undefined;
  const ended = new Promise<string>((resolve) => {
    end = resolve;
  });
  const transport = {
    ...{ input, output, stderr: [], pid: undefined, ended },
    kill: async () => undefined,
  } as unknown as Transport;
  const connection = new ServerConnection(transport, {
    name: "test",
    maxBytes: 1_000_000,
    neverCancel: [],
    trace,
    onSkipped: () => undefined,
    onTimeout: ({ message }) => void heard.push(message),
    onRequest: (method) => {
      heard.push(method);
      return null;
    },
    onNotification: (method) => void heard.push(method),
  });
  const ask = (method: string, options: Partial<SendOptions> = {}) =>
    connection.request(method, {}, { timeoutMs: 20_000, ...options }).then(
      (value) => void heard.push(`${method} ${JSON.stringify(value)}`),
      (error: unknown) => void heard.push(`${method} ${codeOf(error)}`),
    );
  const say = (...bodies: Body[]) => {
    // A chunk each, all in one turn.
    for (const body of bodies) {
      const text = JSON.stringify({ jsonrpc: "2.0", ...body });
      input.write(`Content-Length: ${text.length}\r\n\r\n${text}`);
    }
  };
  return { connection, ask, say, heard, sent, input, end };
}

/** A body that is whole. */
function parsed(text: string): Body[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return [];
  }
}

function codeOf(error: unknown): string | number {
  return error instanceof ResponseError || error instanceof Refusal ? error.code : "lost";
}

it("answers come after what stood before them, whatever that was", async () => {
  const { ask, say, heard } = open();
  const answers = [ask("a"), ask("b"), ask("c")];
  say(
    { method: "news/1", params: {} },
    { method: "question", id: "s1", params: {} },
    { id: 1, result: "two" },
    { method: "news/2", params: {} },
    { id: 0, error: { code: -32801, message: "moved" } },
    { id: 2, result: null },
    { method: "news/3", params: {} },
  );
  await Promise.all(answers);
  await expect.poll(() => heard).toHaveLength(7);
  // A waiting caller goes on in the turn after it; what was said before it has been heard by then.
  const before = (first: string, then: string) =>
    expect(heard.indexOf(first)).toBeLessThan(heard.indexOf(then));
  before("news/1", 'b "two"');
  before("question", 'b "two"');
  before("news/2", "a -32801");
  before("news/2", "c null");
});

it("a reply whose request has ended, or to no request, is ignored", async () => {
  const { ask, say, heard, sent } = open();
  const answer = ask("a");
  say({ id: 7, result: 1 }, { id: "0", result: 2 }, { id: null, result: 3 }, { id: 0, result: 4 });
  await answer;
  say({ id: 0, result: 5 });
  const next = ask("b");
  say({ id: 1, result: 6 });
  await next;
  expect(heard).toEqual(["a 4", "b 6"]);
  expect(sent.map(({ id, method }) => [id, method])).toEqual([
    [0, "a"],
    [1, "b"],
  ]);
});

it("a timeout and an abort reach the server as $/cancelRequest, and a late answer is ignored", async () => {
  const { ask, say, heard, sent } = open();
  const abort = new AbortController();
  const slow = ask("slow", { timeoutMs: 20 });
  const aborted = ask("aborted", { signal: abort.signal });
  await slow;
  abort.abort();
  await aborted;
  await expect
    .poll(() => sent.filter(({ method }) => method === "$/cancelRequest").map(({ params }) => params))
    .toEqual([{ id: 0 }, { id: 1 }]);
  say({ id: 0, result: "late" }, { id: 1, result: "late" });
  const next = ask("next");
  say({ id: 2, result: "now" });
  await next;
  const timeout = 'server "test" did not answer slow within 20 ms';
  expect(heard).toEqual([timeout, "slow lsp/timeout", "aborted call/cancelled", 'next "now"']);
});

it("partial results go to their request until it has ended, other progress to everybody", async () => {
  const { ask, say, heard, sent } = open();
  const taken: unknown[] = [];
  const parts = { begin: () => undefined, take: (part: unknown) => void taken.push(part) };
  const answer = ask("symbols", { parts });
  await expect.poll(() => sent).toHaveLength(1);
  const token = (sent[0]?.params as { partialResultToken: string } | undefined)?.partialResultToken;
  const part = (value: unknown) => ({ method: "$/progress", params: { token, value } });
  say(part([1]), part([2]), { method: "$/progress", params: { token: "work", value: {} } });
  say({ id: 0, result: [] }, part([3]));
  await answer;
  await expect.poll(() => heard).toHaveLength(3);
  expect(taken).toEqual([[1], [2]]);
  expect(heard).toEqual(expect.arrayContaining(["$/progress", "symbols []", "$/progress"]));
});

it("the trace has every message in both directions", async () => {
  const traced: unknown[] = [];
  const { connection, ask, say } = open({
    trace: ({ server, direction, message }) => {
      const { method, id } = message as Body;
      traced.push([server, direction, method ?? "reply", id]);
    },
  });
  connection.notify("note", { a: 1 });
  const answer = ask("question");
  say({ method: "request", id: "s1" }, { method: "notice" }, { id: 0, result: 1 });
  await answer;
  await expect.poll(() => traced).toHaveLength(6);
  expect(traced).toEqual(
    expect.arrayContaining([
      ["test", "sent", "note", undefined],
      ["test", "sent", "question", 0],
      ["test", "received", "request", "s1"],
      ["test", "sent", "reply", "s1"],
      ["test", "received", "notice", undefined],
      ["test", "received", "reply", 0],
    ]),
  );
});

it("a server that does not read its input is refused further work", async () => {
  const { connection } = open({ output: new Writable({ write: () => undefined }) });
  for (let n = 0; n < 999; n++) connection.notify("note", { n });
  connection.refuseWhenFull();
  connection.notify("note");
  expect(() => connection.refuseWhenFull()).toThrow("does not keep up");
  await expect(connection.request("question", {}, { timeoutMs: 10 })).rejects.toMatchObject({
    code: "lsp/busy",
  });
});

it("the end of the server rejects what is pending, after its last answers", async () => {
  const { ask, say, heard, input, end } = open();
  const answers = [ask("a"), ask("b")];
  end("exited with code 1");
  say({ id: 1, result: "last words" });
  input.end();
  await Promise.all(answers);
  await ask("c");
  expect(heard).toEqual(['b "last words"', "a lsp/exited", "c lsp/exited"]);
});
