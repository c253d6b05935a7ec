/**
 * The while after files changed. A server may go on answering from the old ones after it was told of the new, and says
 * nothing of it: what it knows of the whole workspace is then asked for again while it is empty, told of, and not kept.
 */
import type { RetryPlan } from "../../abi/plan.js";
import type { CallState } from "../call-state.js";

/** How long a server may take. */
export const digestMs = 10_000;
const attempts = 8;
const delayMs = 250;

/** Whether files changed so shortly before the call that servers may not have taken them in. */
export function isDigesting({ mark }: Pick<CallState, "mark">): boolean {
  const changedAt = mark?.changedAt ?? null;
  return changedAt !== null && Date.now() - changedAt < digestMs;
}

/** How often an empty answer is asked for again: more often while it may only be early. */
export function patience(call: CallState, retry: RetryPlan): RetryPlan {
  if (!isDigesting(call)) return retry;
  return {
    attempts: Math.max(retry.attempts, attempts),
    delayMs: Math.max(retry.delayMs, delayMs),
    while: "always",
  };
}

/** Says that what was found in the whole workspace may lack what has just been written. */
export function tellDigesting(call: CallState): void {
  if (!isDigesting(call)) return;
  call.evidence.warn(
    "answer/files-changed",
    `Files changed less than ${digestMs / 1000} seconds ago; the server may not have taken them in yet.`,
  );
}
