/** A plain call's answer on its own connection: in which pieces it goes out, and how it ends without one. */
import type { ServerResponse } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, describe, expect, it, vi } from "vitest";
import { DirectAnswer } from "../../../src/mcp/http/direct-answer.js";
import { digestOf } from "../../../src/mcp/http/tokens.js";
import { callOf, closeAll, openGateway, openRaw, send, silent, token } from "./support.js";

const answer = { jsonrpc: "2.0", id: 1, result: { word: "é" } } as unknown as JSONRPCMessage;
const event = `event: message\ndata: ${JSON.stringify(answer)}\n\n`;
const progress: JSONRPCMessage = {
  jsonrpc: "2.0",
  method: "notifications/progress",
  params: { progressToken: 1, progress: 1 },
};

afterEach(async () => {
  vi.useRealTimers();
  await closeAll();
});

/** An answer, and what was done to its response. */
function open(isStreamed: boolean, session: string | null = "session") {
  vi.useFakeTimers();
  const done: unknown[] = [];
  const response = {
    headersSent: false,
    destroyed: false,
    writableNeedDrain: false,
    writeHead(status: number, headers: { [name: string]: unknown }) {
      done.push(["head", status, headers["content-type"], headers["content-length"]]);
      this.headersSent = true;
    },
    flushHeaders: () => done.push(["shown"]),
    write: (text: string) => done.push(["part", text]),
    end: (text: string) => done.push(["end", text]),
  };
  const exchange = { response: response as unknown as ServerResponse, isStreamed, trace: undefined };
  return { done, response, answering: new DirectAnswer(exchange, session ?? undefined) };
}

describe("an answer", () => {
  it("is one piece with its length, an event for a client that reads streams", async () => {
    const { done, answering } = open(true);
    await answering.send(answer);
    await answering.done;
    expect(done).toEqual([
      ["head", 200, "text/event-stream", Buffer.byteLength(event)],
      ["end", event],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is a document for one that does not, without what came before it", async () => {
    const { done, answering } = open(false);
    await answering.send(progress);
    await answering.send(answer);
    const text = JSON.stringify(answer);
    expect(done).toEqual([
      ["head", 200, "application/json", Buffer.byteLength(text)],
      ["end", text],
    ]);
  });

  it("is a document where there are no sessions, and a stream once something came before it", async () => {
    const text = JSON.stringify(answer);
    const plain = open(true, null);
    vi.advanceTimersByTime(60_000);
    await plain.answering.send(answer);
    expect(plain.done).toEqual([
      ["head", 200, "application/json", Buffer.byteLength(text)],
      ["end", text],
    ]);
    const { done, answering } = open(true, null);
    await answering.send(progress);
    vi.advanceTimersByTime(15_000);
    await answering.send(answer);
    expect(done).toEqual([
      ["head", 200, "text/event-stream", undefined],
      ["part", `event: message\ndata: ${JSON.stringify(progress)}\n\n`],
      ["part", ": keepalive\n\n"],
      ["end", event],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("has its head shown when it takes long, and then signs of life", async () => {
    const { done, answering } = open(true);
    vi.advanceTimersByTime(999);
    expect(done).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(done.splice(0)).toEqual([["head", 200, "text/event-stream", undefined], ["shown"]]);
    vi.advanceTimersByTime(30_000);
    expect(done.splice(0)).toEqual([
      ["part", ": keepalive\n\n"],
      ["part", ": keepalive\n\n"],
    ]);
    await answering.send(answer);
    expect(done).toEqual([["end", event]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("follows its progress, which is not kept for a client that does not read", async () => {
    const { done, response, answering } = open(true);
    await answering.send(progress);
    response.writableNeedDrain = true;
    await answering.send(progress);
    await answering.send(answer);
    expect(done).toEqual([
      ["head", 200, "text/event-stream", undefined],
      ["part", `event: message\ndata: ${JSON.stringify(progress)}\n\n`],
      ["end", event],
    ]);
  });

  it.each([
    [true, 200, 0],
    [false, 204, undefined],
  ])("that will not come ends once (a stream: %s)", async (isStreamed, status, length) => {
    const { done, answering } = open(isStreamed);
    answering.end();
    answering.end();
    await answering.send(answer);
    await answering.done;
    expect(done).toEqual([
      ["head", status, expect.any(String), length],
      ["end", ""],
    ]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("is not written to a client that has left", async () => {
    const { done, response, answering } = open(true);
    response.destroyed = true;
    await answering.send(answer);
    await answering.done;
    expect(done).toEqual([]);
  });
});

describe("a call under way", () => {
  const words = "The session of the call has ended, or its token was removed, and the call with it.";

  it.each(["application/json, text/event-stream", "application/json"])(
    "ends with its session, and says so (%s)",
    async (accept) => {
      const { url, workshop } = await openGateway({ servers: { fake: { scenario: silent } } });
      const headers = await openRaw(url);
      const call = send(url, { headers: { ...headers, accept }, body: callOf(1) });
      await expect
        .poll(() => workshop.received("textDocument/definition"), { timeout: 15_000 })
        .toHaveLength(1);
      expect((await send(url, { method: "DELETE", headers })).status).toBe(200);
      expect(await call).toMatchObject({ status: 200, text: expect.stringContaining(words) });
      await expect.poll(() => workshop.received("$/cancelRequest"), { timeout: 15_000 }).toHaveLength(1);
      expect((await send(url, { headers, body: callOf(2) })).status).toBe(404);
    },
  );

  it("ends with its token, and says so", async () => {
    let counting = [token];
    const tokens = { name: "test", digests: () => counting.map(digestOf) };
    const { url, workshop } = await openGateway({ tokens, servers: { fake: { scenario: silent } } });
    const call = send(url, { headers: await openRaw(url), body: callOf(1) });
    await expect
      .poll(() => workshop.received("textDocument/definition"), { timeout: 15_000 })
      .toHaveLength(1);
    counting = [];
    expect(await call).toMatchObject({ status: 200, text: expect.stringContaining(words) });
  });
});
