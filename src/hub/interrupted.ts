/** The mark of a call whose hub ended before its answer. The next hub refuses it: nobody knows whether it was done. */
import { Refusal } from "../base/problem.js";

/** A member of `_meta`. */
export const INTERRUPTED = "lsp-proxy/interrupted";

export const INTERRUPTED_TEXT =
  "The process that ran this call ended before its answer. An edit was made as a whole or not at all: look at the files, then call again if it was not made.";

export function interruptedCall(): Refusal {
  return new Refusal("call/interrupted", INTERRUPTED_TEXT);
}
