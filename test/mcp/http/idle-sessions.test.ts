/** Sessions over HTTP that nobody uses end, and no others. */
import { request } from "node:http";
import { afterAll, describe, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { Session } from "../../../src/runtime/session.js";
import { callOf, closeAll, good, initialize, openGateway, openRaw, send } from "./support.js";

afterAll(closeAll);

/** Idle time in these tests: longer than a request takes on a busy machine. */
const IDLE_MS = 4_000;
const list: JsonObject = { jsonrpc: "2.0", id: 7, method: "tools/list" };

// At the same time: these tests mostly wait.
describe.concurrent("idle sessions", () => {
  it("do not include one whose call outlives its connection, which is not replaced either", async ({
    expect,
  }) => {
    const { url, logged } = await openGateway({ http: { max_sessions: 1, session_idle_ms: IDLE_MS } });
    const session = await openRaw(url);
    let finish: (outcome: never) => void = () => undefined;
    // A call that ignores its cancellation, such as one that writes files.
    const stubborn = vi.spyOn(Session.prototype, "call").mockImplementation(
      () =>
        new Promise((resolve) => {
          finish = resolve;
        }),
    );
    try {
      const call = request(url, { method: "POST", headers: { ...good, ...session }, agent: false });
      call.once("error", () => undefined);
      call.end(JSON.stringify(callOf(1)));
      await expect.poll(() => stubborn.mock.calls.length).toBe(1);
      call.destroy();
      // Twice the idle time: a session that counted as idle would have ended by then.
      await new Promise((resolve) => setTimeout(resolve, 2 * IDLE_MS));
      expect((await send(url, { body: initialize() })).status).toBe(429);
      expect(logged.filter((line) => line.includes("was idle"))).toEqual([]);
      finish({ error: null, isError: true, structured: {}, text: "" } as never);
      await expect.poll(() => logged.filter((line) => line.includes("was idle"))).toHaveLength(1);
    } finally {
      stubborn.mockRestore();
    }
  });

  it("are ended; an open stream keeps a session", async ({ expect }) => {
    const { url, logged } = await openGateway({ http: { session_idle_ms: IDLE_MS } });
    const [left, kept] = [await openRaw(url), await openRaw(url)];
    const stream = request(url, { method: "GET", headers: { ...good, ...kept }, agent: false });
    const opened = new Promise((resolve) => stream.once("response", resolve));
    stream.once("error", () => undefined);
    stream.end();
    await opened;
    // A request would keep the session, so its end is read from the log.
    await expect.poll(() => logged.filter((line) => line.includes("was idle"))).toHaveLength(1);
    const status = async (headers: { [name: string]: string }) =>
      (await send(url, { headers, body: list })).status;
    expect([await status(left), await status(kept)]).toEqual([404, 200]);
    stream.destroy();
  });

  it("that were ended have no idle timer left", async ({ expect }) => {
    const { url, logged } = await openGateway({ http: { session_idle_ms: IDLE_MS } });
    const ended = await openRaw(url);
    expect((await send(url, { method: "DELETE", headers: ended })).status).toBe(200);
    await openRaw(url);
    // The first would be logged before the second.
    const told = () => logged.filter((line) => line.includes("was idle"));
    await expect.poll(told).not.toEqual([]);
    expect(told()).toHaveLength(1);
  });
});
