/** What the calls of a session leave behind in the runtime that many sessions share. */
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { Refusal } from "../../src/base/problem.js";
import { Listeners } from "../../src/base/timing.js";
import { SessionCalls } from "../../src/mcp/calls.js";
import type { Runtime } from "../../src/runtime/runtime.js";
import type { Session } from "../../src/runtime/session.js";
import { openTestWorkspace } from "../runtime/test-workspace.js";

it("a session that has ended is no longer notified of other tools", () => {
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

it("a call that runs in the workspace before the roots chose another one is aborted too", async () => {
  const scenario = {
    capabilities: { definitionProvider: true },
    on: { "textDocument/definition": [{ never: true }] },
  };
  const server = { scenario, config: { request_timeout_ms: 170_000 } };
  const [first, second] = [
    await openTestWorkspace({
      files: { "a.fake": "one\n" },
      servers: { fake: server },
      config: { limits: { timeout_ms: 170_000 } },
    }),
    await openTestWorkspace({}),
  ];
  try {
    let chosen = first.runtime;
    const workspaces = {
      choose: () => chosen,
      refusal: () => new Refusal("http/no-workspace", "no workspace is chosen"),
      session: { holder: "one" },
    };
    const calls = new SessionCalls(first.runtime, first.runtime.openSession(), { workspaces });
    calls.narrow([pathToFileURL(first.folder).href]);
    const args = { file_path: "a.fake", line: 1, character: 1 };
    const { signal } = new AbortController();
    const running = calls.call("find_definition", args, { signal }, undefined).catch(String);
    await expect.poll(() => first.received("textDocument/definition")).toHaveLength(1);
    chosen = second.runtime;
    calls.narrow([pathToFileURL(second.folder).href]);
    expect(calls.isBusy).toBe(true);
    calls.abort("session-ended");
    await expect.poll(() => calls.isBusy).toBe(false);
    expect(await running).toContain("its session ended");
    await expect.poll(() => first.received("$/cancelRequest")).toHaveLength(1);
  } finally {
    await first.close();
    await second.close();
  }
});
