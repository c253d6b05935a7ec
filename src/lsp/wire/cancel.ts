/** What an aborted call is told, and how a wait ends with it. */

import { Refusal } from "../../base/problem.js";

/** The refusal of an aborted call: the signal's own, when it carries one. */
export function cancelled(signal: AbortSignal | undefined): Refusal {
  if (signal?.reason instanceof Refusal) return signal.reason;
  return new Refusal("call/cancelled", "the call was cancelled");
}

/** The promise, or a refusal as soon as the signal aborts. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(cancelled(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
