/** How a document's servers are had: at hand without a wait, opened once in a call, and a failure is told once. */
import { expect, it, vi } from "vitest";
import { Refusal } from "../../src/base/problem.js";
import { Lines } from "../../src/base/text.js";
import type { LanguageServer, OpenDocument } from "../../src/lsp/types.js";
import { askCandidates } from "../../src/runtime/ask/ask.js";
import { candidatesForDocument, candidatesForWorkspace } from "../../src/runtime/ask/candidates.js";
import type { Attempt } from "../../src/runtime/ask/retry-on-change.js";
import { openTarget } from "../../src/runtime/point/target.js";
import { callState, gate, serverOf } from "./doubles.js";

const admitted = { path: "/w/a.fake", uri: "file:///w/a.fake", shown: "a.fake", writable: true };
const document: OpenDocument = {
  ...{ path: admitted.path, uri: admitted.uri, languageId: "fake", version: 1, edition: 1, hash: "h" },
  lines: new Lines("one\n"),
};

/** A call about a file of these servers, all of which run. */
function callOf(...servers: LanguageServer[]) {
  const state = callState();
  const plan = { ...state.plan, servers: servers.map((server) => server.plan) };
  const pool = {
    ...state.pool,
    route: () => plan.servers,
    running: () => servers,
    at: (id: string) => servers.find((server) => server.plan.id === id),
  };
  return { ...state, plan, pool, gate: { ...gate, admitFile: async () => admitted } };
}

it("has a document at hand, looked at once, and tells what is to be known of its server", async () => {
  const synced = vi.fn(() => document);
  const server = { ...serverOf({}), unwatched: true, synced };
  const call = callOf(server);
  const { candidates } = await openTarget(call, "a.fake");
  expect(candidates.attach(server.plan, call.signal)).toEqual([{ server, document }]);
  expect(synced).toHaveBeenCalledOnce();
  expect(call.evidence.warnings).toMatchObject([{ code: "answer/not-watched" }]);
  expect(call.evidence.learned.awaited).toEqual([["fake", server]]);
});

it("takes a document to be as it was only before a look that the call waits for", () => {
  const synced = vi.fn((): OpenDocument => document);
  const server = { ...serverOf({}), synced };
  const attempt = { startedAt: 0, isFirst: true, isLast: false, signal: new Stop(), giveUp: () => {} };
  const seenSoon = (isAhead: boolean, own: Attempt | undefined) => {
    const mark = {
      ...{ lookedAt: 7, files: "", all: "", sources: "", changedAt: null },
      ...{ holds: () => true, isAhead: () => isAhead, onRefuted: () => undefined },
    };
    const call = { ...callOf(server), attempt: own, mark };
    candidatesForDocument(call, admitted).atHand(server.plan);
    return synced.mock.lastCall;
  };
  expect(seenSoon(true, attempt)).toEqual([admitted.path, 7, true]);
  expect(seenSoon(false, attempt)).toEqual([admitted.path, 7, false]);
  expect(seenSoon(true, undefined)).toEqual([admitted.path, 7, false]);
});

it("opens a document that is not at hand in the server that runs, once", async () => {
  const sync = vi.fn(async () => document);
  const server = { ...serverOf({}), sync };
  const call = callOf(server);
  const { candidates } = await openTarget(call, "a.fake");
  expect(await candidates.attach(server.plan, call.signal)).toEqual([{ server, document }]);
  expect(sync).toHaveBeenCalledOnce();
});

it("asks a server that cannot take the document once in a call, whatever it could later", async () => {
  const full = new Refusal("lsp/busy", "full");
  const synced = vi.fn((): OpenDocument => {
    throw full;
  });
  const busy = { ...serverOf({}, { id: "busy" }), synced };
  const other = { ...serverOf({}, { id: "other" }), synced: () => document };
  const call = callOf(busy, other);
  const candidates = candidatesForDocument(call, admitted);
  await expect(candidates.attach(busy.plan, call.signal)).rejects.toBe(full);
  synced.mockReturnValue(document);
  await expect(candidates.attach(busy.plan, call.signal)).rejects.toBe(full);
  expect(synced).toHaveBeenCalledOnce();
  expect(await candidates.attach(other.plan, call.signal)).toEqual([{ server: other, document }]);
});

it("gives way to the next server where the first cannot take the document", async () => {
  const busy = {
    ...serverOf({}, { id: "busy" }),
    synced: () => {
      throw new Refusal("lsp/busy", "full");
    },
  };
  const other = { ...serverOf({}, { id: "other" }), synced: () => document };
  const target = await openTarget(callOf(busy, other), "a.fake");
  expect(target.document).toBe(document);
  await expect(openTarget(callOf(busy), "a.fake")).rejects.toMatchObject({ code: "lsp/busy" });
});

it("of the whole workspace awaits the servers that run", () => {
  const server = serverOf({});
  const call = callOf(server);
  const candidates = candidatesForWorkspace(call);
  expect(candidates.attach(server.plan, call.signal)).toEqual([{ server, document: undefined }]);
  expect(call.evidence.learned.awaited).toEqual([["fake", server]]);
});

it("has one answer of a server that runs for several roots where the first is wanted, else all", async () => {
  const servers = ["one", "two"].map((root) => ({ ...serverOf({}), root }));
  const call = callOf(...servers.slice(0, 1));
  const attached = servers.map((server) => ({ server, document: undefined }));
  const candidates = { servers: call.plan.servers, attach: () => attached };
  const answers = async (merge: "first" | "all") =>
    (await askCandidates(call, candidates, merge, ({ server }) => server.root)).map(({ answer }) => answer);
  expect(await answers("first")).toEqual(["one"]);
  expect(await answers("all")).toEqual(["one", "two"]);
});
