/** Messages read back out of the SDKs' responses. */
import { describe, expect, it } from "vitest";
import type { Trace } from "../../../src/lsp/types.js";
import { dropUnreadReports, observeMessages, toJsonDocument } from "../../../src/mcp/http/responses.js";
import { callOf, closeAll, openGateway, openRaw, send } from "./support.js";

const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
const answer = { jsonrpc: "2.0", id: 1, result: { word: "é" } };

/** A response whose bytes come in pieces of this size; `isRead` is called when the last one was taken. */
function slowly(text: string, type: string, size = 1, isRead = () => {}): Response {
  const bytes = Buffer.from(text);
  let at = 0;
  // Given when asked for: a long queue in a stream of Node costs the square of its length.
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(bytes.subarray(at, at + size));
      else controller.close();
      if (at >= bytes.length) isRead();
      at += size;
    },
  });
  return new Response(body, { headers: { "content-type": type, "mcp-session-id": "s" } });
}

const event = (message: object) => `event: message\ndata: ${JSON.stringify(message)}\n\n`;
const stream = () => slowly(`: keepalive\n\n${event(progress)}${event(answer)}`, "text/event-stream");

describe("an event stream", () => {
  it.each([
    ["in single bytes", 1],
    ["in pieces of several events", 1_000],
    ["event by event", event(progress).length],
  ])("whose reports wait unread loses some of them and no answer, when it comes %s", async (_what, size) => {
    const text = event(progress).repeat(2_000) + event(answer) + event(progress).repeat(10);
    let unread = new Response();
    // The whole source is read before the client reads the first byte.
    await new Promise<void>((resolve) => {
      unread = dropUnreadReports(slowly(text, "text/event-stream", size, resolve));
    });
    await new Promise((resolve) => setImmediate(resolve));
    const kept = await unread.text();
    const events = kept.split(/(?<=\n\n)/);
    expect(events.filter((each) => each !== event(progress))).toEqual([event(answer)]);
    expect(events.length).toBeLessThan(1_500);
  });

  it("is observed while it is passed on unchanged", async () => {
    const seen: unknown[] = [];
    const text = await observeMessages(stream(), (message) => seen.push(message)).text();
    expect(seen).toEqual([progress, answer]);
    expect(text).toBe(await stream().text());
  });

  it("becomes one document with its answers alone", async () => {
    const document = await toJsonDocument(stream(), false);
    expect(Object.fromEntries(document.headers)).toEqual({
      "content-type": "application/json",
      "mcp-session-id": "s",
    });
    expect(await document.json()).toEqual(answer);
    expect(await (await toJsonDocument(stream(), true)).json()).toEqual([answer]);
  });

  it("becomes 204 when it has no answer", async () => {
    const document = await toJsonDocument(slowly(event(progress), "text/event-stream"), false);
    expect([document.status, await document.text()]).toEqual([204, ""]);
  });
});

it("a JSON document is observed whole and stays as it is", async () => {
  const seen: unknown[] = [];
  const document = observeMessages(slowly(JSON.stringify([answer]), "application/json"), (message) =>
    seen.push(message),
  );
  expect(await (await toJsonDocument(document, false)).json()).toEqual([answer]);
  expect(seen).toEqual([answer]);
});

it.each(["application/json, text/event-stream", "application/json"])(
  "the trace has both directions (%s)",
  async (accept) => {
    const traced: Parameters<Trace>[0][] = [];
    const { url } = await openGateway({ trace: (entry) => traced.push(entry) });
    const session = await openRaw(url);
    await send(url, { headers: { ...session, accept }, body: callOf(7) });
    const mcp = traced.filter(({ side }) => side === "mcp");
    expect(mcp.slice(-2)).toMatchObject([
      { direction: "received", message: { id: 7, method: "tools/call" } },
      { direction: "sent", message: { id: 7, result: { structuredContent: { ok: true } } } },
    ]);
    await closeAll();
  },
);
