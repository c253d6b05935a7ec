/** Sessions over HTTP: their ids, limits and ends, and the calls in them. */
import { request } from "node:http";
import { connect as connectSocket, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { digestOf } from "../../../src/mcp/http/bearer-tokens.js";
import {
  answersIn,
  at,
  callOf,
  closeAll,
  connect,
  files,
  good,
  initialize,
  openGateway,
  openRaw,
  otherToken,
  send,
  silent,
  token,
} from "./support.js";

afterEach(closeAll);

const list: JsonObject = { jsonrpc: "2.0", id: 7, method: "tools/list" };

describe("a session with a real client", () => {
  it("lists tools, answers with text and structure, and reports refusals", async () => {
    const { url } = await openGateway();
    const client = await connect(url);
    expect((await client.listTools()).tools).toHaveLength(12);
    expect(await client.callTool({ name: "find_definition", arguments: at })).toMatchObject({
      structuredContent: { ok: true, locations: [{ path: "a.fake", character: 5 }] },
      content: [{ type: "text", text: expect.stringContaining("1:5-1:8  one two") }],
    });
    expect(
      await client.callTool({ name: "find_definition", arguments: { file_path: "../x" } }),
    ).toMatchObject({
      isError: true,
      structuredContent: { error: { code: "guard/outside-root" } },
    });
    await expect(client.callTool({ name: "find_everything" })).rejects.toMatchObject({ code: -32602 });
  });

  it("sends progress on the stream of the call", async () => {
    const { url } = await openGateway();
    const client = await connect(url);
    const heard: string[] = [];
    await client.callTool({ name: "find_definition", arguments: at }, undefined, {
      onprogress: ({ message }) => heard.push(message ?? ""),
    });
    expect(heard).toContain("starting fake");
  });

  it("passes a cancellation on to the language server", async () => {
    const { url, work } = await openGateway({ servers: { fake: { scenario: silent } } });
    const client = await connect(url);
    const cancel = new AbortController();
    const call = client.callTool({ name: "find_definition", arguments: at }, undefined, {
      signal: cancel.signal,
    });
    const failed = expect(call).rejects.toThrow();
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    cancel.abort("enough");
    await failed;
    await expect.poll(() => work.received("$/cancelRequest")).toHaveLength(1);
  });
});

describe("a call that is cancelled", () => {
  it("releases its slot while its client stays connected", async () => {
    const { url, work } = await openGateway({
      http: { max_calls_per_session: 1 },
      servers: { fake: { scenario: silent } },
    });
    const client = await connect(url);
    for (let round = 1; round <= 3; round++) {
      const cancel = new AbortController();
      const call = client.callTool({ name: "find_definition", arguments: at }, undefined, {
        signal: cancel.signal,
      });
      const failed = expect(call).rejects.toThrow("enough");
      await expect.poll(() => work.received("textDocument/definition")).toHaveLength(round);
      cancel.abort("enough");
      await failed;
      await expect
        .poll(() => client.callTool({ name: "find_definition", arguments: {} }).catch(() => undefined))
        .toMatchObject({ isError: true });
    }
  });

  it("is answered with 204 where only JSON is accepted", async () => {
    const { url, work } = await openGateway({ servers: { fake: { scenario: silent } } });
    const session = { ...(await openRaw(url)), accept: "application/json" };
    const call = send(url, { headers: session, body: callOf(1) });
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    const body = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    expect((await send(url, { headers: session, body })).status).toBe(202);
    expect(await call).toMatchObject({ status: 204, text: "" });
  });
});

describe("the id of a request", () => {
  it("is rejected while another request has it", async () => {
    const { url, work } = await openGateway({ servers: { fake: { scenario: silent } } });
    const session = await openRaw(url);
    const call = request(url, { method: "POST", headers: { ...good, ...session }, agent: false });
    call.once("error", () => undefined);
    call.end(JSON.stringify(callOf(1)));
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    const status = async (body: JsonObject | JsonObject[]) =>
      (await send(url, { headers: session, body })).status;
    expect(await status({ ...list, id: 1 })).toBe(400);
    expect(await status([list, list])).toBe(400);
    // The call ends when its client disconnects.
    call.destroy();
    await expect.poll(() => work.received("$/cancelRequest")).toHaveLength(1);
    expect(await status(list)).toBe(200);
    await expect.poll(() => status({ ...list, id: 1 })).toBe(200);
  });
});

describe("the form of an answer", () => {
  it("is a stream where both types are accepted, and one document where only JSON is", async () => {
    const { url } = await openGateway();
    const session = await openRaw(url);
    const ask = (accept: string, body: JsonObject | JsonObject[] = callOf(3)) =>
      send(url, { headers: { ...session, accept }, body });
    const streamed = await ask("application/json, text/event-stream");
    expect(streamed.headers["content-type"]).toBe("text/event-stream");
    for (const accept of ["application/json", "application/json, text/event-stream;q=0"]) {
      const whole = await ask(accept);
      expect(whole.headers["content-type"]).toBe("application/json");
      expect(JSON.parse(whole.text)).toEqual(answersIn(streamed).find(({ id }) => id === 3));
    }
    const batch = await ask("application/json", [callOf(1), callOf(2)]);
    expect((JSON.parse(batch.text) as JsonObject[]).map(({ id }) => id)).toEqual(
      expect.arrayContaining([1, 2]),
    );
    for (const accept of ["text/event-stream", "*/*", "text/html"])
      expect(await ask(accept)).toMatchObject({ status: 406, text: "" });
  });

  it("of a notification is 202 without a body", async () => {
    const { url } = await openGateway();
    const session = await openRaw(url);
    const body = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 99 } };
    expect(await send(url, { headers: session, body })).toMatchObject({ status: 202, text: "" });
  });
});

describe("the id of a session", () => {
  it("is random and unique", async () => {
    const { url } = await openGateway();
    const names = await Promise.all([1, 2, 3].map(async () => (await openRaw(url))["mcp-session-id"] ?? ""));
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(Buffer.from(name, "base64url")).toHaveLength(16);
  });

  it("is required, must exist, and works only with the token that opened the session", async () => {
    const { url } = await openGateway();
    const session = await openRaw(url);
    const status = async (headers: { [name: string]: string | undefined }, method = "POST") =>
      (await send(url, { method, headers: { ...session, ...headers }, body: method === "POST" ? list : "" }))
        .status;
    expect(await status({})).toBe(200);
    expect(await status({ "mcp-session-id": undefined })).toBe(400);
    for (const method of ["POST", "GET", "DELETE"]) {
      expect(await status({ "mcp-session-id": "AAAAAAAAAAAAAAAAAAAAAA" }, method)).toBe(404);
      expect(await status({ authorization: `Bearer ${otherToken}` }, method)).toBe(404);
    }
    expect(await status({ authorization: undefined })).toBe(401);
    expect(await status({})).toBe(200);
  });

  it("is unknown after the session ended", async () => {
    const { url } = await openGateway();
    const session = await openRaw(url);
    expect((await send(url, { method: "DELETE", headers: session })).status).toBe(200);
    expect((await send(url, { headers: session, body: list })).status).toBe(404);
  });

  it("is not given for an invalid handshake", async () => {
    const { url } = await openGateway({ http: { max_sessions: 1 } });
    const session = await openRaw(url);
    for (const body of [list, { jsonrpc: "2.0", id: 1, method: "initialize" }]) {
      const answer = await send(url, { body });
      expect(answer.status).toBe(400);
      expect(answer.headers["mcp-session-id"]).toBeUndefined();
    }
    // An invalid handshake must not keep the only place.
    const next = (await openRaw(url))["mcp-session-id"] ?? "";
    expect(Buffer.from(next, "base64url")).toHaveLength(16);
    expect(next).not.toBe(session["mcp-session-id"]);
  });
});

describe("the number of sessions", () => {
  it("is limited: a new one replaces the least recently used one", async () => {
    const { url } = await openGateway({ http: { max_sessions: 2 } });
    const [first, second] = [await openRaw(url), await openRaw(url)];
    const status = async (headers: { [name: string]: string }) =>
      (await send(url, { headers, body: list })).status;
    // The order of use is known by milliseconds.
    await expect.poll(async () => Date.now()).toBeGreaterThan(Date.now());
    expect(await status(first)).toBe(200);
    const third = await openRaw(url);
    expect([await status(first), await status(second), await status(third)]).toEqual([200, 404, 200]);
  });

  it("is limited: a token that opens many ends none of another token", async () => {
    const { url } = await openGateway({ http: { max_sessions: 3 } });
    const mine = await openRaw(url);
    for (let opened = 0; opened < 8; opened++) await openRaw(url, otherToken);
    expect((await send(url, { headers: mine, body: list })).status).toBe(200);
  });

  it("is limited: one with a running call is not replaced", async () => {
    const { url, work } = await openGateway({
      http: { max_sessions: 1 },
      servers: { fake: { scenario: silent } },
    });
    const session = await openRaw(url);
    const call = request(url, { method: "POST", headers: { ...good, ...session }, agent: false });
    call.once("error", () => undefined);
    call.end(JSON.stringify(callOf(1)));
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    const answer = await send(url, { body: initialize() });
    expect([answer.status, answer.text, answer.headers["retry-after"]]).toEqual([429, "", "1"]);
    call.destroy();
  });
});

describe("the number of calls", () => {
  it("is limited so that one token does not take all from the others", async () => {
    const { url, work } = await openGateway({
      http: { max_calls: 8, max_calls_per_session: 4 },
      files,
      servers: { fake: { scenario: silent } },
      config: { limits: { timeout_ms: 60_000 } },
    });
    const mine = await openRaw(url);
    let id = 0;
    const call = (headers: { [name: string]: string }) =>
      send(url, { headers, body: callOf(++id, {}, "get_server_status") });
    const greedy: { [name: string]: string }[] = [];
    for (let opened = 0; opened < 4; opened++) greedy.push(await openRaw(url, otherToken));
    for (const headers of [...greedy, ...greedy, ...greedy, ...greedy]) {
      const held = request(url, { method: "POST", headers: { ...good, ...headers }, agent: false });
      held.once("error", () => undefined);
      held.end(JSON.stringify(callOf(++id)));
    }
    // The same question of several calls is asked once; the slots are seen by what is refused.
    await expect.poll(() => work.received("textDocument/definition")).not.toEqual([]);
    for (const headers of greedy) await expect.poll(async () => (await call(headers)).status).toBe(429);
    expect((await call(mine)).status).toBe(200);
  });

  it("counts the reading of resources, which calls tools", async () => {
    const { url, work } = await openGateway({
      http: { max_calls_per_session: 1 },
      files,
      servers: { fake: { scenario: silent } },
      config: {
        limits: { timeout_ms: 60_000 },
        resources: [{ name: "status", uri: "lsp://status", tool: "get_server_status" }],
      },
    });
    const headers = await openRaw(url);
    const read = (id: number) =>
      send(url, {
        headers,
        body: { jsonrpc: "2.0", id, method: "resources/read", params: { uri: "lsp://status" } },
      });
    expect((await read(1)).status).toBe(200);
    const held = request(url, { method: "POST", headers: { ...good, ...headers }, agent: false });
    held.once("error", () => undefined);
    held.end(JSON.stringify(callOf(2)));
    await expect.poll(() => work.received("textDocument/definition")).not.toEqual([]);
    expect((await read(3)).status).toBe(429);
  });

  it("is limited in one session, and in all", async () => {
    const { url, work } = await openGateway({
      http: { max_calls: 3, max_calls_per_session: 2 },
      files: { ...files, "b.fake": "b\n", "c.fake": "c\n" },
      servers: { fake: { scenario: silent } },
      config: { limits: { timeout_ms: 60_000 } },
    });
    const [one, other] = [await openRaw(url), await openRaw(url)];
    let id = 0;
    const begin = (headers: { [name: string]: string }, path: string) => {
      const call = request(url, { method: "POST", headers: { ...good, ...headers }, agent: false });
      call.once("error", () => undefined);
      call.end(JSON.stringify(callOf(++id, { ...at, file_path: path })));
      return call;
    };
    const status = async (headers: { [name: string]: string }, body: JsonObject = callOf(99, {})) =>
      (await send(url, { headers, body })).status;
    begin(one, "a.fake");
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(1);
    expect(await status(one)).toBe(200);
    begin(one, "b.fake");
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(2);
    expect(await status(one)).toBe(429);
    expect(await status(one, list)).toBe(200);
    expect(await status(other)).toBe(200);
    const last = begin(other, "c.fake");
    await expect.poll(() => work.received("textDocument/definition")).toHaveLength(3);
    expect(await status(other)).toBe(429);
    // The call of a client that disconnects ends, and its slot is free.
    last.destroy();
    await expect.poll(() => status(other)).toBe(200);
  });

  it("is reduced when a client disconnects, also with other calls running in its session", async () => {
    const { url, work } = await openGateway({
      http: { max_calls_per_session: 2 },
      files: { ...files, "b.fake": "b\n" },
      servers: { fake: { scenario: silent } },
      config: { limits: { timeout_ms: 60_000 } },
    });
    const session = await openRaw(url);
    const begin = (id: number, path: string) => {
      const call = request(url, { method: "POST", headers: { ...good, ...session }, agent: false });
      call.once("error", () => undefined);
      call.end(JSON.stringify(callOf(id, { ...at, file_path: path })));
      return call;
    };
    const reached = (count: number) =>
      expect.poll(() => work.received("textDocument/definition")).toHaveLength(count);
    begin(1, "a.fake");
    await reached(1);
    const dropped = begin(2, "b.fake");
    await reached(2);
    const status = async () => (await send(url, { headers: session, body: callOf(3, {}) })).status;
    expect(await status()).toBe(429);
    dropped.destroy();
    await expect.poll(status).toBe(200);
  });
});

describe("a token that was removed", () => {
  it("ends its open streams and sessions, and no others", async () => {
    let counting = [token, otherToken];
    const tokens = { name: "test", digests: () => counting.map(digestOf) };
    const { url } = await openGateway({ tokens });
    const [mine, theirs] = [await openRaw(url), await openRaw(url, otherToken)];
    const listen = (headers: { [name: string]: string }) =>
      new Promise<{ ended: () => boolean }>((resolve) => {
        const stream = request(url, { method: "GET", headers: { ...good, ...headers }, agent: false });
        stream.once("error", () => undefined);
        stream.once("response", (response) => {
          let ended = false;
          response.resume().once("close", () => {
            ended = true;
          });
          expect(response.statusCode).toBe(200);
          resolve({ ended: () => ended });
        });
        stream.end();
      });
    const [first, second] = [await listen(mine), await listen(theirs)];
    counting = [otherToken];
    await expect.poll(() => first.ended()).toBe(true);
    expect(second.ended()).toBe(false);
    counting = [token, otherToken];
    const status = async (headers: { [name: string]: string }) =>
      (await send(url, { headers, body: list })).status;
    expect([await status(mine), await status(theirs)]).toEqual([404, 200]);
  });
});

describe("the number of connections", () => {
  it("is limited, and there is room again when they close", async () => {
    const { url } = await openGateway();
    const { hostname, port } = new URL(url);
    const sockets: Socket[] = [];
    let rejected = 0;
    const open = () =>
      new Promise<void>((resolve) => {
        const socket = connectSocket(Number(port), hostname, resolve);
        socket.on("error", () => undefined);
        socket.once("close", () => {
          rejected++;
          resolve();
        });
        sockets.push(socket);
      });
    // In groups: the gateway accepts in this process, and the system drops connections above its queue.
    for (let opened = 0; opened < 1_100; opened += 50) await Promise.all(Array.from({ length: 50 }, open));
    await expect.poll(() => rejected).toBe(1_100 - 1_024);
    for (const socket of sockets) socket.destroy();
    const health = () => send(url, { method: "GET", path: "/health", headers: {} }).catch(() => undefined);
    await expect.poll(async () => (await health())?.status).toBe(200);
  });
});
