/** What servers replied, inside the opaque `Reply` that a handler passes on: each part still knows its server. */
import type { Params, Reply } from "../../abi/handler.js";
import type { Json, JsonObject } from "../../base/json.js";
import { Fault, type Refusal } from "../../base/problem.js";
import type { LanguageServer, OpenDocument } from "../../lsp/types.js";

/** A running server with the call's document open in it; without a document for calls about the workspace. */
export interface Attached {
  server: LanguageServer;
  document: OpenDocument | undefined;
}

/** One server's part of a reply. */
export interface ReplyPart {
  /** The server that replied; undefined for what the runtime or another tool said. */
  server: LanguageServer | undefined;
  value: unknown;
  /** What was asked about, when the request was sent once per item. */
  item?: unknown;
}

/** A whole reply, from one server or several. */
export interface ReplyData {
  parts: ReplyPart[];
  /** Whether the parts are a list of their own (one per item), rather than one answer from several servers. */
  perItem: boolean;
  /** For items that were asked about again: the reply they came from. */
  source?: ReplyData;
  /** Why there is nothing: nobody supports an optional step. */
  skipped?: Refusal;
  /** For diagnostics: what is known. */
  diagnostics?: { status: "diagnostics" | "clean" | "unknown"; why: string };
}

/** Parameters as a function of the server that gets them. */
export type ParamsMaker = (attached: Attached) => JsonObject;

class ReplyBox {
  constructor(readonly data: ReplyData) {}
}

class ParamsBox {
  constructor(
    readonly make: ParamsMaker,
    /** Whether they hold the place that the call points at. */
    readonly isPlaced: boolean,
  ) {}
}

/** Hides a reply from the handler. */
export function sealReply(data: ReplyData): Reply {
  return new ReplyBox(data) as unknown as Reply;
}

/** What is inside a reply that a handler passed back. */
export function openReply(reply: Reply): ReplyData {
  if (reply instanceof ReplyBox) return reply.data;
  throw new Fault("a handler passed something that is not a reply");
}

/** Hides parameters from the handler. */
export function sealParams(make: ParamsMaker, isPlaced = false): Params {
  return new ParamsBox(make, isPlaced) as unknown as Params;
}

/** What is inside parameters that a handler passed back. */
export function openParams(params: Params): ParamsBox {
  if (params instanceof ParamsBox) return params;
  throw new Fault("a handler passed something that is not parameters");
}

/** Whether a value says nothing: null, or an empty list. */
export function isEmpty(value: unknown): boolean {
  return value === null || value === undefined || (Array.isArray(value) && value.length === 0);
}

/** The reply as one JSON value: of one server its value, of several servers or items a list. */
export function wholeValue(reply: ReplyData): Json {
  const values = reply.parts.map((part) => (part.value ?? null) as Json);
  if (reply.perItem) return values;
  if (values.length <= 1) return values[0] ?? null;
  const lists = values.filter((value) => value !== null);
  return lists.every((value) => Array.isArray(value)) ? lists.flat() : lists;
}
