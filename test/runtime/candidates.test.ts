/** The servers of a document: opened once in a call, a failure reported once, the next one asked in its place. */
import { expect, it, vi } from "vitest";
import { Refusal } from "../../src/base/problem.js";
import { Lines } from "../../src/base/text.js";
import type { LanguageServer, OpenDocument } from "../../src/lsp/types.js";
import { askCandidates } from "../../src/runtime/ask/ask.js";
import { candidatesForDocument, candidatesForWorkspace } from "../../src/runtime/ask/candidates.js";
import { noServerFor, noServerHere } from "../../src/runtime/ask/no-server.js";
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
    get: async (id: string) => {
      const found = servers.find((server) => server.plan.id === id);
      if (found === undefined) throw new Error(`no server ${id}`);
      return found;
    },
  };
  return { ...state, plan, pool, gate: { ...gate, admitFile: async () => admitted } };
}

it("opens a document once in a call, and adds the warnings of its server", async () => {
  const ensureOpen = vi.fn(async () => document);
  const server = { ...serverOf({}), hasUnwatchedFiles: true, ensureOpen };
  const fileCheck = { startedAt: 7, sourcesCursor: 0, changedAt: null };
  const call = { ...callOf(server), fileCheck };
  const { candidates } = await openTarget(call, "a.fake");
  expect(await candidates.attach(server.plan, call.signal)).toEqual([{ server, document }]);
  expect(ensureOpen.mock.calls).toEqual([[admitted.path, call.signal, 7]]);
  expect(call.evidence.warnings).toMatchObject([{ code: "answer/not-watched" }]);
  expect(call.evidence.learned.awaited).toEqual([["fake", server]]);
});

it("asks a server that cannot take the document once in a call, even if it could later", async () => {
  const full = new Refusal("lsp/busy", "full");
  const ensureOpen = vi.fn(async (): Promise<OpenDocument> => {
    throw full;
  });
  const busy = { ...serverOf({}, { id: "busy" }), ensureOpen };
  const other = { ...serverOf({}, { id: "other" }), ensureOpen: async () => document };
  const call = callOf(busy, other);
  const candidates = await candidatesForDocument(call, admitted);
  await expect(candidates.attach(busy.plan, call.signal)).rejects.toBe(full);
  ensureOpen.mockResolvedValue(document);
  await expect(candidates.attach(busy.plan, call.signal)).rejects.toBe(full);
  expect(ensureOpen).toHaveBeenCalledOnce();
  expect(await candidates.attach(other.plan, call.signal)).toEqual([{ server: other, document }]);
});

it("asks the next server where the first cannot take the document", async () => {
  const busy = {
    ...serverOf({}, { id: "busy" }),
    ensureOpen: async () => {
      throw new Refusal("lsp/busy", "full");
    },
  };
  const other = { ...serverOf({}, { id: "other" }), ensureOpen: async () => document };
  const target = await openTarget(callOf(busy, other), "a.fake");
  expect(target.document).toBe(document);
  await expect(openTarget(callOf(busy), "a.fake")).rejects.toMatchObject({ code: "lsp/busy" });
});

it("awaits the running servers when the call is about the whole workspace", async () => {
  const server = serverOf({});
  const call = callOf(server);
  const candidates = candidatesForWorkspace(call);
  expect(await candidates.attach(server.plan, call.signal)).toEqual([{ server, document: undefined }]);
  expect(call.evidence.learned.awaited).toEqual([["fake", server]]);
});

it("asks a server that runs for several roots until the first answer where one is wanted, else for all", async () => {
  const servers = ["one", "two"].map((root) => ({ ...serverOf({}), root }));
  const call = callOf(...servers.slice(0, 1));
  const attached = servers.map((server) => ({ server, document: undefined }));
  const candidates = { servers: call.plan.servers, attach: async () => attached };
  const send = vi.fn(async ({ server }: { server: LanguageServer }) => server.root);
  const answers = async (merge: "first" | "all") =>
    (await askCandidates(call, candidates, merge, send)).map(({ answer }) => answer);
  expect(await answers("first")).toEqual(["one"]);
  expect(send).toHaveBeenCalledTimes(1);
  expect(await answers("all")).toEqual(["one", "two"]);
  expect(send).toHaveBeenCalledTimes(3);
});

it("says to call again where a server that was installed meanwhile may not be seen yet", async () => {
  const stepsWith = async (when: string | undefined) => {
    const suggestServers = { isListed: false, file: async () => "one", workspace: async () => ["one"] };
    const finder = { lookAgain: async () => undefined, laterLook: () => when };
    const call = callState({ suggestServers, finder, gate: { ...gate, roots: ["/w"] } });
    const refusals = await Promise.all([noServerFor(call, admitted), noServerHere(call, [])]);
    return refusals.map(({ nextSteps }) => nextSteps.map((step) => "text" in step && step.text));
  };
  const install = "lsp-proxy install one";
  const again = "If one is installed already, call again: the workspace is looked at again in 9 s.";
  expect(await stepsWith(undefined)).toEqual([[install], [install]]);
  expect(await stepsWith("in 9 s")).toEqual([
    [install, again],
    [install, again],
  ]);
});
