/** Event streams do not hold more than they may: so many at once, and none that is not read. */
import { connect } from "node:net";
import { afterEach, expect, it } from "vitest";
import { followDashboard } from "../../src/dashboard/follow.js";
import type { WatchedSession } from "../../src/runtime/call-observer.js";
import { closeAll, linkOf, openDashboard, type Stream, visit } from "./support.js";

const streams: Stream[] = [];
afterEach(async () => {
  for (const stream of streams.splice(0)) stream.close();
  await closeAll();
});

it("are sixteen at most, and an ended one makes room", async () => {
  const dashboard = await openDashboard();
  const visitor = await visit(dashboard);
  for (let count = 0; count < 16; count++) streams.push(visitor.events());
  await expect.poll(() => streams.every((stream) => stream.heard().length > 0)).toBe(true);
  expect((await visitor.get("events")).status).toBe(503);
  // Another process that follows is told, and does not believe that the dashboard has ended.
  const link = new URL(await linkOf(dashboard), dashboard.url).href;
  const followed = followDashboard(link, new AbortController().signal);
  await expect(followed.next()).rejects.toThrow("events was answered with 503");
  streams.pop()?.close();
  let next = visitor.events();
  streams.push(next);
  await expect
    .poll(() => {
      // It was refused: the end of the other one was not seen yet.
      if (next.isEnded) {
        next = visitor.events();
        streams.push(next);
      }
      return next.heard().length;
    })
    .toBeGreaterThan(0);
});

it("are closed when the page does not read them", async () => {
  const dashboard = await openDashboard();
  const visitor = await visit(dashboard);
  const { port, host } = new URL(dashboard.url);
  const socket = connect(Number(port), "127.0.0.1");
  let [isClosed, bytes] = [false, 0];
  socket
    .once("error", () => undefined)
    .once("close", () => {
      isClosed = true;
    });
  socket.pause();
  socket.write(`GET /dashboard/events HTTP/1.1\r\nHost: ${host}\r\nCookie: ${visitor.cookie}\r\n\r\n`);
  const reader = visitor.events();
  streams.push(reader);
  await expect.poll(() => reader.heard()).not.toEqual([]);
  // Far more than the buffers of the system.
  const session: WatchedSession = { client: undefined, roots: [], running: 0, isClosed: false };
  const watch = dashboard.work.runtime.watch;
  const args = { file_path: "x".repeat(200) };
  const rounds = 60;
  for (let round = 0; round < rounds; round++) {
    for (let count = 0; count < 200; count++)
      watch?.began(session, "find_definition", args).ended({ content: [] });
    // The one that reads keeps up, also where the system delivers late.
    await expect.poll(() => reader.calls().length, { interval: 1 }).toBe((round + 1) * 400);
  }
  socket.on("data", (part) => {
    bytes += part.length;
  });
  socket.resume();
  await expect.poll(() => isClosed).toBe(true);
  expect(bytes).toBeLessThan(rounds * 400 * 500);
  // The one that reads has all of it.
  expect(reader.calls()).toHaveLength(rounds * 400);
  expect(reader.isEnded).toBe(false);
});
