/** Shutdown of the gateway: running calls are answered or aborted with an error, and nothing new starts. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import {
  answersIn,
  at,
  callOf,
  closeAll,
  connect,
  definition,
  good,
  initialize,
  openGateway,
  openRaw,
  type RawRequest,
  send,
  silent,
  type TestGateway,
} from "./support.js";

afterEach(closeAll);

const list: JsonObject = { jsonrpc: "2.0", id: 7, method: "tools/list" };
/** Longer than any test may take. */
const patient = { drain_ms: 600_000 };

async function reached({ work }: TestGateway): Promise<void> {
  await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
}

it("answers running calls and rejects new requests", async () => {
  const go = join(tmpdir(), `lsp-proxy-go-${randomUUID()}`);
  const { url, work, stop } = await openGateway({
    http: patient,
    servers: {
      fake: { scenario: { ...definition, on: { "textDocument/definition": [{ waitFile: go }] } } },
    },
  });
  const session = await openRaw(url);
  const call = send(url, { headers: session, body: callOf(5) });
  await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
  const ended = stop();
  const health = () => send(url, { method: "GET", path: "/health", headers: { authorization: undefined } });
  expect(await health()).toMatchObject({ status: 503, text: '{"status":"ending"}' });
  expect((await send(url, { headers: session, body: list })).status).toBe(503);
  expect((await send(url, { body: initialize() })).status).toBe(503);
  writeFileSync(go, "");
  const answer = await call;
  expect(answersIn(answer).find(({ id }) => id === 5)).toMatchObject({
    result: { structuredContent: { ok: true } },
  });
  await ended;
  rmSync(go);
  expect(work.runtime.pool.running()).toEqual([]);
});

it("rejects a request whose body was still being sent", async () => {
  const go = join(tmpdir(), `lsp-proxy-go-${randomUUID()}`);
  const { url, work, stop } = await openGateway({
    http: patient,
    servers: {
      fake: { scenario: { ...definition, on: { "textDocument/definition": [{ waitFile: go }] } } },
    },
  });
  const session = await openRaw(url);
  const call = send(url, { headers: session, body: callOf(5) });
  await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
  const headers = { ...good, ...session, expect: "100-continue" };
  const begun = request(url, { method: "POST", headers, agent: false });
  const answered = new Promise<number | undefined>((resolve, reject) => {
    begun.once("response", (response) => resolve(response.statusCode));
    begun.once("error", reject);
  });
  begun.flushHeaders();
  await once(begun, "continue");
  const ended = stop();
  begun.end(JSON.stringify(list));
  expect(await answered).toBe(503);
  writeFileSync(go, "");
  expect((await call).status).toBe(200);
  await ended;
  rmSync(go);
});

it.each<[string, RawRequest]>([
  ["its call", { body: { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 5 } } }],
  ["its session", { method: "DELETE" }],
])("ends early when the client cancels %s", async (_what, message) => {
  const gateway = await openGateway({ http: patient, servers: { fake: { scenario: silent } } });
  const { url, stop } = gateway;
  const session = await openRaw(url);
  const call = send(url, { headers: session, body: callOf(5) });
  await reached(gateway);
  const ended = stop();
  expect((await send(url, { headers: session, body: list })).status).toBe(503);
  expect((await send(url, { ...message, headers: session })).status).toBeLessThan(300);
  await call;
  await ended;
});

it("accepts the answer to `roots/list` that was sent before", async () => {
  const { url, stop } = await openGateway({ http: patient });
  const client = await connect(url, { roots: [] });
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  let tell = () => {};
  const mayTell = new Promise<void>((resolve) => {
    tell = resolve;
  });
  client.setRequestHandler(ListRootsRequestSchema, async () => {
    asked();
    await mayTell;
    return { roots: [{ uri: "file:///" }] };
  });
  const call = client.callTool({ name: "find_definition", arguments: at });
  await isAsked;
  const ended = stop();
  await expect.poll(async () => (await send(url, { method: "GET", path: "/health" })).status).toBe(503);
  tell();
  expect(await call).toMatchObject({ structuredContent: { ok: true, locations: [{ path: "a.fake" }] } });
  await ended;
});

const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientCapabilities": {},
};
const modern: RawRequest = {
  headers: {
    "mcp-protocol-version": "2026-07-28",
    "mcp-method": "tools/call",
    "mcp-name": "find_definition",
  },
  body: {
    ...callOf(5),
    params: { name: "find_definition", arguments: at, _meta: envelope },
  },
};

it.each(["a stream", "one document", "2026-07-28"])(
  "aborts calls after `drain_ms`, with an error: %s",
  async (form) => {
    const gateway = await openGateway({ http: { drain_ms: 200 }, servers: { fake: { scenario: silent } } });
    const { url, work, stop } = gateway;
    const session = await openRaw(url);
    const plain = { headers: session, body: callOf(5) };
    const json = { ...plain, headers: { ...session, accept: "application/json" } };
    const call = send(url, form === "2026-07-28" ? modern : form === "a stream" ? plain : json);
    await reached(gateway);
    await stop();
    expect(answersIn(await call).find(({ id }) => id === 5)).toMatchObject({
      error: { code: -32000, message: expect.stringContaining("shutting down") },
    });
    expect(work.runtime.pool.running()).toEqual([]);
  },
);

it("aborts a call that waits for its client's roots", async () => {
  const { url, stop } = await openGateway({ http: { drain_ms: 200 } });
  const client = await connect(url, { roots: [] });
  let asked = () => {};
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  client.setRequestHandler(ListRootsRequestSchema, () => {
    asked();
    return new Promise(() => undefined);
  });
  const call = client.callTool({ name: "find_definition", arguments: at });
  const refused = expect(call).rejects.toMatchObject({ code: -32000 });
  await isAsked;
  await stop();
  await refused;
});
