/** Errors that are JSON-RPC errors instead of tool results. */
import type { DialectPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import { protocolError } from "../runtime/answer/answer-text.js";
import type { CallOutcome } from "../runtime/session.js";

/** JSON-RPC: the params of a request are invalid. */
export const INVALID_PARAMS = -32602;
/** The first code for errors that a server defines itself. */
const CALL_ABORTED = -32000;
const ABORT_MESSAGES = {
  shutdown: "The call was cancelled because the proxy is shutting down.",
  "session-ended": "The call was cancelled because its session ended or its token was removed.",
};

export type AbortReason = keyof typeof ABORT_MESSAGES;

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

/** The error of a call that was aborted. */
export function abortError(reason: AbortReason): ProtocolError {
  const message = ABORT_MESSAGES[reason];
  return new ProtocolError(CALL_ABORTED, message, undefined, new Refusal("call/cancelled", message));
}

/** The error of a refusal, with the dialect's own number where it has one for the code. */
export function refusalError(refusal: Refusal, errors: DialectPlan["errors"]): ProtocolError {
  const isNumbered = errors.form === "protocol" || Object.hasOwn(errors.numbers, refusal.code);
  if (isNumbered) return numberedError(protocolError(refusal, errors), refusal);
  return new ProtocolError(INVALID_PARAMS, refusal.message, undefined, refusal);
}

/** The error of an outcome, in the dialect's own form. */
export function numberedError(
  { number, message, data }: NonNullable<CallOutcome["error"]>,
  refusal?: Refusal,
): ProtocolError {
  return new ProtocolError(number, message, data, refusal);
}
