/** Errors that are JSON-RPC errors instead of tool results. */
import type { JsonObject } from "../base/json.js";
import type { Refusal } from "../base/problem.js";

/** A JSON-RPC error: an unknown tool, or any refusal in a dialect that reports refusals this way. */
export class ProtocolError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: JsonObject | undefined,
    /** The refusal that it reports. */
    override readonly cause?: Refusal,
  ) {
    super(message);
    this.name = "ProtocolError";
  }
}
