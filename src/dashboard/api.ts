/**
 * The JSON API of the dashboard, shared by the page and by what answers it: types and names only, no code that either
 * side would not load. Paths are relative to `/dashboard/`. Times are milliseconds since 1970; durations are
 * milliseconds.
 *
 * | request | answer |
 * |---|---|
 * | `GET api/state` | `DashboardState`: everything that the page shows first |
 * | `GET events` | server-sent events: `DashboardEvents` |
 * | `GET api/call?id=ID` | `CallDetail` |
 * | `GET api/tools?workspace=NAME` | `ToolInfo[]` |
 * | `GET api/config?workspace=NAME` | `ConfigInfo` |
 * | `GET api/setup?workspace=NAME` | `SetupInfo` |
 * | `GET api/file?workspace=NAME&path=PATH` | `WorkspaceFile` |
 * | `POST api/restart`, body `ServerAction` | `ActionDone` |
 * | `POST api/stop`, body `ServerAction` | `ActionDone` |
 * | `POST api/run`, body `RunRequest` | `RunAnswer` |
 *
 * A `POST` needs `Content-Type: application/json` and the header `CSRF_HEADER` with `DashboardState.csrf`. An error has
 * the body `ApiError`; 401 means that the cookie is not valid any more: a new link is needed (`lsp-proxy dashboard`).
 */
import type { Json, JsonObject } from "../base/json.js";
import type { Readiness, ServerState } from "../lsp/server-state.js";

export type * from "./config-api.js";
export type { Readiness, ServerState };

export const CSRF_HEADER = "x-lsp-proxy-csrf";

/** Everything that the page shows first. After it, events say what changed. */
export interface DashboardState {
  version: string;
  kind: "hub" | "gateway";
  pid: number;
  startedAt: number;
  /** The CSRF token, to be sent with every `POST`. */
  csrf: string;
  /** Whether arguments and answers of calls are kept: `dashboard.keep_answers`. */
  keepsAnswers: boolean;
  /** The workspaces, at least one. Requests name one of them. */
  workspaces: WorkspaceInfo[];
  live: LiveState;
  /** The last calls, the oldest first, running ones among them. */
  calls: CallRow[];
  charts: ChartData;
}

interface WorkspaceInfo {
  name: string;
  /** Absolute folders that may be read. */
  roots: string[];
}

/** What is sent again, whole, whenever a part of it has changed. */
export interface LiveState {
  /** Of the proxy's own process. */
  memoryMb: number;
  servers: ServerRow[];
  sessions: SessionRow[];
}

/** A language server at one root, running or not. */
export interface ServerRow {
  /** Names the row: unique among all. That of a server changes only when it gets its first root. */
  key: string;
  workspace: string;
  id: string;
  state: ServerState;
  readiness: Readiness;
  /** The server's own words about its progress. */
  progress: string | null;
  /** Absolute; null when it was never started. */
  root: string | null;
  otherRoots: string[];
  pid: number | null;
  version: string | null;
  startedAt: number | null;
  lastUsedAt: number | null;
  restarts: number;
  memoryMb: number | null;
  pendingRequests: number;
  openDocuments: number;
  lastError: string | null;
  /** The last lines that it wrote to stderr. */
  stderr: string[];
  /** File extensions and names that it handles. */
  files: string[];
  /** How it is installed, where it could not be started. */
  install: string | null;
}

export interface SessionRow {
  /** Short and unique; `CallRow.session` names it. The playground's is among them. */
  id: string;
  workspace: string;
  /** `playground` for the calls of the page itself. */
  kind: "agent" | "playground";
  client: string | null;
  clientVersion: string | null;
  openedAt: number;
  /** Absolute folders that it sees. */
  roots: string[];
  calls: number;
  errors: number;
  running: number;
  lastCallAt: number | null;
}

/** `running` until it has ended; `error` is a refusal or a fault, `cancelled` one that the client ended. */
type CallOutcomeKind = "running" | "ok" | "error" | "cancelled";

export interface CallRow {
  /** Grows with each call. An event with a known id replaces the row. */
  id: number;
  at: number;
  workspace: string;
  session: string;
  client: string | null;
  tool: string;
  /** What was pointed at, such as `src/a.ts:3:7` or a symbol's name; empty where nothing was. */
  target: string;
  /** The ids of the servers that answered, joined by commas. */
  server: string | null;
  outcome: CallOutcomeKind;
  /** The code of a refusal. */
  code: string | null;
  /** Null while it runs. The parts add up to `totalMs`. */
  time: CallTime | null;
  items: number | null;
  /** Bytes of the result as the client received it, and the tokens that a model reads, estimated. */
  bytes: number | null;
  tokens: number | null;
  readiness: Readiness | null;
}

export interface CallTime {
  totalMs: number;
  /** For a server to start, and for answers of one that still indexes. */
  waitingMs: number;
  /** For answers of servers. */
  serverMs: number;
  /** The rest: the proxy's own work. */
  ownMs: number;
}

/** A call with its arguments and its result as the agent saw it. */
export interface CallDetail {
  call: CallRow;
  /** Why `arguments` and `result` are missing or shortened: the setting, the size, or that the call still runs. */
  note: string | null;
  arguments: Json | null;
  result: ShownResult | null;
}

/** The result of a call as the page shows it. */
interface ShownResult {
  isError: boolean;
  /** The text blocks, joined. */
  text: string;
  structured: JsonObject | null;
}

export interface ChartData {
  /** By minute, the oldest first, without gaps; the last one is not over yet. */
  minutes: MinutePoint[];
  /** Of the last calls of each tool. */
  tools: ToolTimes[];
  /** Memory over time: one list of times, and one list of values for each line, null where it did not run. */
  memory: MemorySeries;
}

export interface MinutePoint {
  /** When the minute began. */
  at: number;
  calls: number;
  errors: number;
  tokens: number;
}

export interface ToolTimes {
  tool: string;
  calls: number;
  errors: number;
  p50Ms: number;
  p95Ms: number;
  tokens: number;
}

export interface MemorySeries {
  at: number[];
  /** `name` is `proxy` or the `key` of a server. In MB. */
  lines: { name: string; label: string; mb: (number | null)[] }[];
}

/** The server-sent events, by name; the data of each is JSON. */
export interface DashboardEvents {
  /** Sent first and whenever something of it has changed. */
  live: LiveState;
  /** A call has begun or ended. */
  call: CallRow;
  charts: ChartData;
  /** The tools or the config have changed: what was fetched of them is stale. */
  config: { workspace: string };
  /** The process ends. It does not come back under this address. */
  bye: { reason: string };
}

export type DashboardEventName = keyof DashboardEvents;

/** A file of the workspace, for marking the places of an answer. */
export interface WorkspaceFile {
  path: string;
  text: string;
  /** Whether the end is left out. */
  isCut: boolean;
}

export interface ServerAction {
  workspace: string;
  server: string;
}

export interface ActionDone {
  /** The ids of the servers that were restarted or stopped. */
  servers: string[];
}

export interface RunRequest {
  workspace: string;
  tool: string;
  arguments: JsonObject;
}

export interface RunAnswer {
  /** Null where so many calls came meanwhile that it is not among the last ones. */
  call: CallRow | null;
  result: ShownResult;
  /** The places in the answer, for marking them in the file. */
  places: FileRange[];
  /** What the columns of the places count: the config says it. */
  columnUnit: "utf-8" | "utf-16" | "utf-32";
}

/** A range of a file; the end is exclusive. Lines and columns from 1. */
export interface FileRange {
  path: string;
  line: number;
  column: number;
  endLine: number;
  endColumn: number;
}

export interface ApiError {
  error: { code: string; message: string; next: string | null };
}
