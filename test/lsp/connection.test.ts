/** The connection to a server: order of messages, limits, cancellation, partial results and trace. */
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import { ResponseError } from "vscode-jsonrpc/node";
import type { Transport } from "../../src/lsp/process/launch.js";
import { ServerConnection } from "../../src/lsp/wire/connection.js";

type Body = Record<string, unknown>;

/** A connection whose other end is this test; `heard` is everything in the order in which it came. */
function open() {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const heard: string[] = [];
  const sent: Body[] = [];
  output.on("data", (chunk: Buffer) => {
    for (const body of chunk.toString().split(/Content-Length: \d+\r\n\r\n/))
      if (body) sent.push(JSON.parse(body));
  });
  const transport = {
    ...{ input, output, stderr: [], pid: undefined },
    ended: new Promise<string>(() => undefined),
    kill: async () => undefined,
  } as unknown as Transport;
  const connection = new ServerConnection(transport, {
    name: "test",
    maxBytes: 1_000_000,
    onSkipped: () => undefined,
    onTimeout: () => undefined,
    onRequest: (method) => {
      heard.push(method);
      return null;
    },
    onNotification: (method) => void heard.push(method),
  });
  const ask = (method: string) =>
    connection.request(method, {}, { timeoutMs: 20_000 }).then(
      (value) => void heard.push(`${method} ${JSON.stringify(value)}`),
      (error: unknown) =>
        void heard.push(`${method} ${error instanceof ResponseError ? error.code : "lost"}`),
    );
  const say = (...bodies: Body[]) => {
    // A chunk each, all in one turn.
    for (const body of bodies) {
      const text = JSON.stringify({ jsonrpc: "2.0", ...body });
      input.write(`Content-Length: ${text.length}\r\n\r\n${text}`);
    }
  };
  return { ask, say, heard, sent };
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
  // Whoever waits for an answer goes on in the turn after it; what was said before it has been heard by then.
  const before = (first: string, then: string) =>
    expect(heard.indexOf(first)).toBeLessThan(heard.indexOf(then));
  before("news/1", 'b "two"');
  before("question", 'b "two"');
  before("news/2", "a -32801");
  before("news/2", "c null");
});

it("an answer that nobody waits for, or to nobody's question, is let by", async () => {
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
