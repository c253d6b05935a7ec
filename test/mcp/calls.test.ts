/** What the calls of a session leave behind in the runtime that many sessions share. */
import { expect, it } from "vitest";
import { Listeners } from "../../src/base/timing.js";
import { SessionCalls } from "../../src/mcp/calls.js";
import type { Runtime } from "../../src/runtime/runtime.js";
import type { Session } from "../../src/runtime/session.js";

it("a session that has ended is no longer told of other tools", () => {
  const updates = new Listeners();
  const closed = new AbortController();
  const runtime = { onUpdated: updates.subscribe } as unknown as Runtime;
  const session = { closed: closed.signal } as unknown as Session;
  const calls = new SessionCalls(runtime, session);
  const told: string[] = [];
  calls.onToolsChanged(() => told.push("first"));
  // A later listener replaces the earlier one.
  calls.onToolsChanged(() => told.push("second"));
  updates.notify();
  expect(told).toEqual(["second"]);
  closed.abort();
  updates.notify();
  expect(told).toEqual(["second"]);
});
