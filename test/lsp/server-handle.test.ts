/** A read is sent again to the next start of a server that ended; everything else fails. */
import { expect, it, vi } from "vitest";
import { Refusal } from "../../src/base/problem.js";
import type { Instance } from "../../src/lsp/instance.js";
import { ServerHandle } from "../../src/lsp/server-handle.js";
import { serverPlan } from "../fake-server/index.js";

const { signal } = new AbortController();
const gone = new Refusal("lsp/exited", "gone");
const answered = { value: 1, readiness: "ready" };

/** A start of a server that answers a question so, at once or later. */
function start(generation: number, request: () => unknown): Instance {
  const instance = { root: "/w", generation, request };
  return instance as unknown as Instance;
}

function handleOf(first: () => unknown, next: () => unknown = () => Promise.resolve(answered)) {
  const renew = vi.fn(async () => start(2, next));
  const source = {
    plan: serverPlan("fake", ["fake"], ["fake"], "fake"),
    renew,
    crashSince: () => undefined,
    roots: undefined,
  };
  return { handle: new ServerHandle(start(1, first), source), renew };
}

const thrown = (error: Error) => () => {
  throw error;
};
const rejected = (error: Error) => () => Promise.reject(error);

it.each([
  ["had died before", thrown(gone)],
  ["dies meanwhile", rejected(gone)],
])("asks the next start of a server that %s, once", async (_when, first) => {
  const { handle, renew } = handleOf(first);
  expect(await handle.request("workspace/symbol", { query: "" }, { signal })).toBe(answered);
  expect(renew).toHaveBeenCalledOnce();
  const again = handleOf(first, rejected(gone));
  await expect(again.handle.request("workspace/symbol", { query: "" }, { signal })).rejects.toBe(gone);
  expect(again.renew).toHaveBeenCalledOnce();
});

it.each([
  ["what may have been done already", "workspace/executeCommand", gone],
  ["what was refused otherwise", "workspace/symbol", new Refusal("lsp/busy", "full")],
])("does not ask again for %s", async (_what, method, error) => {
  for (const first of [thrown(error), rejected(error)]) {
    const { handle, renew } = handleOf(first);
    await expect(handle.request(method, {}, { signal })).rejects.toBe(error);
    expect(renew).not.toHaveBeenCalled();
  }
});
