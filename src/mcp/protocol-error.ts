/** Errors that are JSON-RPC errors instead of tool results. */
import type { JsonObject } from "../base/json.js";

/** A JSON-RPC error: an unknown tool, or any refusal in a dialect that reports refusals this way. */
export class ProtocolError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data: JsonObject | undefined,
  ) {
    super(message);
    this.name = "ProtocolError";
  }
}
