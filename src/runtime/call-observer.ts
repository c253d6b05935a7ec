/** How calls are measured, by a process that shows them: what they waited for, and what they gave. */
import type { JsonObject } from "../base/json.js";
import type { Refusal } from "../base/problem.js";
import type { ServerPool } from "../lsp/types.js";
import type { Evidence } from "./answer/evidence.js";
import type { CallOutcome } from "./answer/outcome.js";

/** The result of a call, and the evidence that it collected. */
export interface Performed {
  outcome: CallOutcome;
  evidence: Evidence;
  refusal: Refusal | undefined;
}

export interface CallObserver {
  /** The pool that the call uses instead: the same servers, whose answers are timed. */
  timed(pool: ServerPool): ServerPool;
  ended(performed: Performed): void;
}

/** A session of a client, as it is shown. */
export interface WatchedSession {
  /** The client's name and version, once it has sent them. */
  readonly client: ClientInfo | undefined;
  readonly roots: readonly string[];
  readonly running: number;
  /** Whether it is over. */
  readonly isClosed: boolean;
}

export interface ClientInfo {
  name: string;
  version: string | undefined;
}

/** A call that is measured. Of `ended` and `failed` one is called, once. */
export interface WatchedCall {
  observer: CallObserver;
  /** It was answered with this result. */
  ended(result: CallToolResult): void;
  /** It was answered with a protocol error. */
  failed(error: unknown): void;
}

/** MCP's result of a tool call, the same in every protocol version. */
export interface CallToolResult {
  // The result types of the SDKs allow additional members.
  [member: string]: unknown;
  content: { type: "text"; text: string }[];
  structuredContent?: JsonObject;
  isError?: true;
}

/** Follows all sessions and calls of a runtime. */
export interface CallWatch {
  opened(session: WatchedSession): void;
  began(session: WatchedSession, tool: string, args: unknown): WatchedCall;
}
