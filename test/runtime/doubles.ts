/** Stand-ins for the pieces around one stage of a call: a server that has texts, a gate around `file:///w/`. */
import { Refusal } from "../../src/base/problem.js";
import { Lines, type PositionEncoding } from "../../src/base/text.js";
import type { LanguageServer, ServerPool } from "../../src/lsp/types.js";
import { Evidence } from "../../src/runtime/answer/evidence.js";
import { Pages } from "../../src/runtime/answer/pages.js";
import { Places } from "../../src/runtime/answer/places.js";
import type { CallState } from "../../src/runtime/call-state.js";
import { SessionPreviews } from "../../src/runtime/edits/session-previews.js";
import { SampleFiles } from "../../src/runtime/sample-files.js";
import type { Gate } from "../../src/workspace/gate-types.js";
import { fakePlan, serverPlan } from "../fake-server/index.js";

const notAsked = () => {
  throw new Error("not asked for here");
};

export const gate: Gate = {
  roots: ["/w"],
  admit: notAsked,
  admitFile: notAsked,
  admitEntry: notAsked,
  check: (path) =>
    path.startsWith("/w/")
      ? { path, uri: `file://${path}`, shown: path.slice(3), writable: true }
      : new Refusal("guard/outside-root", "outside"),
  show: (uri) => {
    if (!uri.startsWith("file:///w/")) return undefined;
    const shown = uri.slice("file:///w/".length);
    return { path: `/w/${shown}`, uri, shown, writable: true };
  },
};

/** A server that knows these texts and answers nothing. */
export function serverOf(
  texts: { [uri: string]: string },
  options: { id?: string; encoding?: PositionEncoding } = {},
): LanguageServer {
  const refuse = async () => {
    throw new Error("not asked for here");
  };
  return {
    plan: serverPlan(options.id ?? "fake", ["fake"], ["fake"], "fake"),
    root: "/w",
    encoding: options.encoding ?? "utf-16",
    generation: 1,
    readiness: "ready",
    hasUnwatchedFiles: false,
    partlyWatchedFolders: [],
    withheld: [],
    supports: () => false,
    offers: async () => false,
    options: () => [
      { legend: { tokenTypes: ["class", "method"], tokenModifiers: ["declaration", "static"] } },
    ],
    ensureOpen: refuse,
    openProjects: async () => ({ hasProject: true, notSearched: 0 }),
    opened: () => undefined,
    wantedFiles: () => [],
    tellFiles: () => {},
    textOf: async (uri) => (texts[uri] === undefined ? undefined : new Lines(texts[uri])),
    waitUntilReady: async () => "ready",
    request: refuse,
    notifyAny: notAsked,
    diagnostics: refuse,
    workspaceDiagnostics: refuse,
    crashNotice: () => undefined,
  };
}

const pool: ServerPool = {
  route: () => [],
  get: async () => {
    throw new Error("not asked for here");
  },
  running: () => [],
  status: () => [],
  changeCursor: async () => 0,
  changedSince: async () => new Set(),
  names: () => ({ readRoots: 0, cursor: 0, since: () => [], filesOf: () => undefined }),
  checkFiles: async () => ({ startedAt: 0, sourcesCursor: 0, changedAt: null }),
  restart: async () => [],
  stop: async () => [],
  within: () => pool,
  close: async () => {},
};

/** An output that leaves everything as the shape has it. */
export const plainOutput = {
  list: null,
  count: null,
  symbols: null,
  ids: false,
  marked: false,
  outcomes: "word" as const,
  snippet: {
    show: { kind: "literal" as const, value: true },
    contextLines: { kind: "literal" as const, value: 0 },
    maxChars: { kind: "literal" as const, value: 400 },
  },
  filter: null,
  maxChars: null,
  columns: [],
  members: [],
};

/** The state of a call of a tool with this output, about `file:///w/a.fake`. */
export function callState(overrides: Partial<CallState> = {}): CallState {
  const plan = overrides.plan ?? fakePlan([]);
  const evidence = new Evidence();
  const uri = "file:///w/a.fake";
  evidence.document = {
    admitted: { path: "/w/a.fake", uri, shown: "a.fake", writable: true },
    hash: "0".repeat(64),
  };
  return {
    loaded: { replyValidator: async () => undefined },
    plan,
    holder: undefined,
    configProblem: undefined,
    finder: { lookAgain: async () => undefined, laterLook: () => undefined },
    tool: {
      name: "the_tool",
      title: "",
      description: "",
      effect: "read",
      annotations: { readOnly: null, destructive: null, idempotent: null, openWorld: null },
      servers: null,
      serverArgument: null,
      input: ["document"],
      require: [],
      pointing: {},
      target: null,
      args: [],
      steps: [],
      output: {
        shape: "json",
        at: "",
        language: null,
        apply: "never",
        backups: null,
        schema: null,
        gather: [],
        ...plainOutput,
      },
      text: null,
      empty: null,
      defaultItems: null,
      maxItems: 200,
      maxBytes: 65_536,
      timeoutMs: 30_000,
      page: null,
      source: { file: "config", pointer: "/tools/the_tool" },
    },
    input: {},
    pool,
    gate,
    samples: new SampleFiles(gate, pool, [], {}),
    places: new Places(gate, plan.dialect),
    texts: {
      dialect: plan.dialect,
      text: undefined,
      empty: null,
      errorText: undefined,
      uriOf: (path) => path,
    },
    evidence,
    pages: new Pages(),
    fileCheck: undefined,
    edits: undefined,
    previews: new SessionPreviews(),
    savedPreviews: undefined,
    warnedFolders: new Set(),
    changeCursor: 0,
    log: () => {},
    attempt: undefined,
    signal: new AbortController().signal,
    remainingMs: () => 30_000,
    onProgress: () => {},
    ...overrides,
  };
}
