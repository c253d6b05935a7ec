/** Bytes from a client, on stdio and over HTTP: nothing but the protocol comes back, and honest clients are served. */
import { connect } from "node:net";
import { PassThrough } from "node:stream";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { serveStdio } from "../../src/mcp/stdio.js";
import { closeAll, good, openGateway, send, token } from "../mcp/http/support.js";
import { openTestWorkspace } from "../runtime/test-workspace.js";
import { holdMemory, nearly, noise, patience, rounds } from "./rounds.js";

holdMemory();

afterEach(closeAll);

const initialize = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "x", version: "0" } },
};
const call = {
  jsonrpc: "2.0",
  id: 2,
  method: "tools/call",
  params: { name: "find_definition", arguments: { file_path: "a.fake", line: 1, character: 1 } },
};
const valid = fc.constantFrom(
  initialize,
  call,
  { jsonrpc: "2.0", id: 3, method: "tools/list" },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } },
);
const lines = fc.array(
  fc.oneof(
    nearly(valid.map((message) => `${JSON.stringify(message)}\n`)),
    fc.jsonValue().map((value) => Buffer.from(`${JSON.stringify(value)}\n`)),
    noise,
  ),
  { maxLength: 6 },
);

test("stdio", { timeout: patience }, async () => {
  const chunks = fc.sample(lines, rounds(150)).flat();
  const work = await openTestWorkspace({ files: { "a.fake": "x\n" } });
  const [input, output] = [new PassThrough(), new PassThrough()];
  let text = "";
  output.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  const served = serveStdio(work.runtime, { input, output, log: () => undefined });
  input.write(`${JSON.stringify(initialize)}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n`);
  for (const chunk of chunks) input.write(chunk);
  const last = { jsonrpc: "2.0", id: "the last", method: "ping" };
  input.write(`\n${JSON.stringify(last)}\n`);
  const isAnswered = () =>
    text.split("\n").some((line) => line.includes('"the last"') && line.includes('"result"'));
  while (!isAnswered()) await new Promise((done) => setTimeout(done, 20));
  input.end();
  await served;
  for (const line of text.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  await work.close();
});

/** What a server answers to raw bytes, until it closes or says nothing more. */
function raw(url: string, bytes: Buffer): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((done) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => socket.end(bytes));
    socket.setEncoding("latin1").on("data", (part: string) => {
      text += part;
    });
    socket.on("error", () => undefined);
    socket.once("close", () => done(text));
  });
}

test("HTTP: no request without the token is served", { timeout: patience }, async () => {
  const { url } = await openGateway({ http: { headers_timeout_ms: 1_000, body_timeout_ms: 1_000 } });
  const { host, pathname } = new URL(url);
  const body = JSON.stringify(initialize);
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n`;
  const without = `${head}Connection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const forged = `${head}Authorization: Bearer ${token.slice(0, -1)}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  await fc.assert(
    fc.asyncProperty(fc.oneof(nearly(fc.constantFrom(without, forged)), noise), async (bytes) => {
      const answer = await raw(url, bytes);
      expect(answer).not.toMatch(/^HTTP\/1\.1 2|serverInfo/m);
      expect(answer).not.toContain(token);
    }),
    rounds(80),
  );
  expect((await send(url, { body: initialize })).status).toBe(200);
});

test("HTTP: bodies of any kind with the token", { timeout: patience }, async () => {
  const { url, logged } = await openGateway();
  const bodies = fc.oneof(
    nearly(valid.map((message) => JSON.stringify(message))),
    fc.json().map((text) => Buffer.from(text)),
    noise,
  );
  await fc.assert(
    fc.asyncProperty(bodies, async (bytes) => {
      const { status } = await send(url, { headers: good, body: bytes.toString("latin1") });
      expect(status).toBeLessThan(500);
    }),
    rounds(80),
  );
  expect((await send(url, { body: initialize })).status).toBe(200);
  expect(logged.join("\n")).not.toContain(token);
});
