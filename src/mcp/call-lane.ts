/**
 * Calls of tools on their shortest way. The SDK looks at each message with half a dozen schemas, which takes longer than
 * answering from what is known. Only what is plainly a call goes this way, and is answered as the SDK would; whatever is
 * wrong with a message, or more than a call, is the SDK's.
 */
import type { JSONRPCErrorResponse, JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { isTable } from "../base/json.js";
import type { SessionCalls } from "./calls.js";
import { tellProgress } from "./progress.js";
import { ProtocolError } from "./result.js";

const internalError = -32603;
const callMembers: ReadonlySet<string> = new Set(["jsonrpc", "id", "method", "params"]);
const paramMembers: ReadonlySet<string> = new Set(["name", "arguments", "_meta"]);
/** What the protocol keeps for itself beside a call; whatever else a client writes there for its own ends means nothing here. */
const reserved = /(^|\.)(modelcontextprotocol|mcp)[./]/;

/** The id of a request. */
export type Id = string | number;

/** A plain call of a tool. */
export interface PlainCall {
  id: Id;
  name: string;
  args: Record<string, unknown> | undefined;
  progressToken: Id | undefined;
  /** What the protocol has said beside it. */
  envelope: Record<string, unknown> | undefined;
}

/** Sends an answer, or what belongs to the call of this id. */
export type Send = (message: JSONRPCMessage, relatedRequestId: Id) => Promise<void>;

/** What the lane needs from the connection. */
export interface LaneContext {
  calls: SessionCalls;
  /** The name that the client gave itself. */
  client: () => string | undefined;
  /** The way of all answers that have none of their own. */
  send: Send;
}

/** The lane of one connection. */
export class CallLane {
  readonly #context: LaneContext;
  readonly #under = new Map<Id, AbortController>();

  constructor(context: LaneContext) {
    this.#context = context;
  }

  /** Takes a message that is a plain call, or takes one back; false for everything else. */
  take(message: unknown): boolean {
    const cancelled = cancelledId(message);
    if (cancelled !== undefined) return this.#cancel(cancelled);
    const call = this.recognise(message);
    if (call !== undefined) this.begin(call, this.#context.send);
    return call !== undefined;
  }

  /** The plain call that a message is, if none of its id is under way. */
  recognise(message: unknown): PlainCall | undefined {
    const call = plainCall(message);
    if (call === undefined || call.envelope !== undefined || this.#under.has(call.id)) return undefined;
    return call;
  }

  /** Answers a call, on a way of its own. */
  begin(call: PlainCall, send: Send): void {
    void this.#answer(call, send);
  }

  /** Cancels all calls; nobody is there to hear of them. */
  close(): void {
    for (const stop of this.#under.values()) stop.abort();
    this.#under.clear();
  }

  #cancel(id: Id): boolean {
    this.#under.get(id)?.abort();
    return this.#under.delete(id);
  }

  async #answer(call: PlainCall, send: Send): Promise<void> {
    const { id } = call;
    const { calls, client } = this.#context;
    const controller = new AbortController();
    const { signal } = controller;
    this.#under.set(id, controller);
    const answer = await answerTo(call, { calls, client: client(), signal, send });
    if (this.#under.get(id) === controller) this.#under.delete(id);
    // A client that went away cannot be told anything; the transport's end is handled where it is seen.
    if (!signal.aborted) await send(answer, id).catch(() => undefined);
  }
}

/** How a plain call is answered. */
export interface Answering {
  calls: SessionCalls;
  client: string | undefined;
  signal: AbortSignal;
  /** Tells its progress. */
  send: Send;
}

/** The answer to a call. */
export function answerTo(
  { id, name, args, progressToken }: PlainCall,
  { calls, client, signal, send }: Answering,
): Promise<JSONRPCMessage> {
  const onProgress = tellProgress(progressToken, signal, (params) =>
    send({ jsonrpc: "2.0", method: "notifications/progress", params }, id),
  );
  return calls.call(name, args, { signal, onProgress }, client).then(
    (result) => ({ result, jsonrpc: "2.0", id }),
    (error: unknown) => ({ jsonrpc: "2.0", id, error: errorOf(error) }),
  );
}

function errorOf(error: unknown): JSONRPCErrorResponse["error"] {
  if (!(error instanceof ProtocolError))
    return { code: internalError, message: error instanceof Error ? error.message : "Internal error" };
  const { code, message, data } = error;
  return data === undefined ? { code, message } : { code, message, data };
}

/** The plain call that a message is. */
export function plainCall(message: unknown): PlainCall | undefined {
  if (!isTable(message) || message.method !== "tools/call" || message.jsonrpc !== "2.0") return undefined;
  const { id, params } = message;
  if (!isId(id) || !isTable(params) || !hasOnly(message, callMembers) || !hasOnly(params, paramMembers))
    return undefined;
  const { name, arguments: args, _meta: meta = {} } = params;
  if (typeof name !== "string" || (args !== undefined && !isTable(args))) return undefined;
  if (!isTable(meta)) return undefined;
  const { progressToken } = meta;
  if (progressToken !== undefined && !isId(progressToken)) return undefined;
  return { id, name, args, progressToken, envelope: envelopeIn(meta) };
}

function envelopeIn(meta: Record<string, unknown>): Record<string, unknown> | undefined {
  let envelope: Record<string, unknown> | undefined;
  for (const member in meta)
    if (reserved.test(member)) {
      envelope ??= {};
      envelope[member] = meta[member];
    }
  return envelope;
}

function cancelledId(message: unknown): Id | undefined {
  if (!isTable(message) || message.method !== "notifications/cancelled" || !isTable(message.params))
    return undefined;
  const { requestId } = message.params;
  return isId(requestId) ? requestId : undefined;
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || Number.isSafeInteger(value);
}

function hasOnly(table: Record<string, unknown>, members: ReadonlySet<string>): boolean {
  for (const member in table) if (!members.has(member)) return false;
  return true;
}
