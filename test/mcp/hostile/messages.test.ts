/** Messages that are almost right, on stdio and over HTTP, with and without sessions: cancellations and `__proto__`. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import type { Scenario } from "../../fake-server/index.js";
import type { TestWorkspaceOptions } from "../../runtime/test-workspace.js";
import { answersIn, send } from "../http/support.js";
import {
  at,
  callOf,
  definition,
  endAll,
  initialize,
  MODERN,
  PipeClient,
  start,
  startGateway,
} from "./program.js";

vi.setConfig({ testTimeout: 120_000 });
afterAll(endAll);

/** A client of one of the ways: sends a text, and gives the answer to the request with this id. */
interface Way {
  folder: string;
  meta: JsonObject;
  /** Resolves with the answer; with undefined for a message that has none, when it was received. */
  post(text: string, id?: number): Promise<JsonObject | undefined>;
}

/** Answers a definition only when it is asked for a hover. */
const waiting: Scenario = {
  capabilities: { definitionProvider: true, hoverProvider: true },
  replies: { ...definition.replies, "textDocument/hover": { contents: "hovered" } },
  on: { "textDocument/definition": [{ save: "asked.json" }, { wait: "textDocument/hover" }] },
};
/** Both servers of the tests; each has its own files. */
const options: TestWorkspaceOptions = {
  files: { "a.fake": "one two\n", "a.waiting": "one two\n" },
  servers: {
    fake: { scenario: definition },
    waiting: { scenario: waiting, config: { extensions: ["waiting"] } },
  },
};
const atWaiting = { ...at, file_path: "a.waiting" };

async function overStdio(meta: JsonObject): Promise<Way> {
  const program = start(options);
  const client = new PipeClient(program).read();
  client.send(meta === MODERN ? callOf("hello", meta, {}, "get_server_status") : initialize);
  await client.answer("hello");
  const post: Way["post"] = async (text, id) => {
    client.send(`${text}\n`);
    return id === undefined ? undefined : client.answer(id);
  };
  return { folder: program.folder, meta, post };
}

/** One gateway for both ways over HTTP. */
let gateway: ReturnType<typeof startGateway> | undefined;

async function overHttp(meta: JsonObject): Promise<Way> {
  gateway ??= startGateway(options);
  const { url, folder } = await gateway;
  const { headers } = await send(String(url), { body: initialize });
  const session = {
    "mcp-session-id": String(headers["mcp-session-id"]),
    "mcp-protocol-version": "2025-11-25",
  };
  const post: Way["post"] = async (text, id) => {
    const { method, params } = JSON.parse(text) as { method: string; params?: { name?: string } };
    const name = params?.name === undefined ? {} : { "mcp-name": params.name };
    const modern = { "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...name };
    const answer = await send(String(url), { headers: meta === MODERN ? modern : session, body: text });
    if (id === undefined) return undefined;
    return answersIn(answer).find((message) => message.id === id);
  };
  return { folder, meta, post };
}

const ways: [string, () => Promise<Way>][] = [
  ["stdio", () => overStdio({})],
  ["stdio, no sessions", () => overStdio(MODERN)],
  ["HTTP", () => overHttp({})],
  ["HTTP, no sessions", () => overHttp(MODERN)],
];

/** Changes of a cancellation of the request 1. None of them is one. */
const notCancellations: JsonObject[] = [
  { id: 91 },
  { id: 92, params: { requestId: 92 } },
  { params: {} },
  { params: [1] },
  { params: { requestId: 5 } },
  { params: { requestId: "1" } },
  { params: { requestId: [1] } },
  { params: { requestId: 1, reason: 5 } },
  { params: { requestId: 1, _meta: 5 } },
  { extra: true },
  { jsonrpc: "1.0" },
];

describe.each(ways)("%s", (_name, connect) => {
  let way: Way;
  beforeAll(async () => {
    way = await connect();
  });

  it("malformed cancellations cancel nothing, and a request of that name is answered", async () => {
    const { post, meta, folder } = way;
    rmSync(join(folder, "asked.json"), { force: true });
    const answer = post(JSON.stringify(callOf(1, meta, atWaiting)), 1);
    await expect.poll(() => existsSync(join(folder, "asked.json"))).toBe(true);
    for (const change of notCancellations) {
      const message = {
        ...{ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
        ...change,
      };
      const id = change.id as number | undefined;
      const told = await post(JSON.stringify(message), id);
      if (id !== undefined) expect(told).toMatchObject({ id, error: { code: expect.any(Number) } });
    }
    await post(JSON.stringify(callOf(2, meta, atWaiting, "get_hover")), 2);
    expect(await answer).toMatchObject({ result: { structuredContent: { ok: true, total: 1 } } });
  });

  it("`__proto__` in arguments is nothing, at any depth", async () => {
    const { post, meta } = way;
    const text = JSON.stringify(callOf(11, meta, { ...at, page_size: 7 }));
    const inside = JSON.stringify(callOf(12, meta, { ...at, page_size: { x: 1 } }));
    const hostile = '"__proto__":{"page_size":0,"polluted":true},';
    const top = await post(text.replace('"file_path"', `${hostile}"file_path"`), 11);
    expect(top).toMatchObject({ result: { structuredContent: { ok: true, total: 1 } } });
    const nested = await post(inside.replace('"x"', `${hostile}"x"`), 12);
    expect(nested).toMatchObject({
      result: { isError: true, structuredContent: { error: { code: "guard/invalid-arguments" } } },
    });
    // Nothing has changed for those who come later.
    expect(await post(JSON.stringify(callOf(13, meta)), 13)).toMatchObject({
      result: { structuredContent: { ok: true, total: 1 } },
    });
  });
});
