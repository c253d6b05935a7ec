/**
 * The seconds after files changed. A server may answer from the old files for a while after it was notified of the new
 * ones: empty workspace-wide answers are then retried, and the answer carries a warning.
 */
import type { RetryPlan } from "../../abi/plan.js";
import type { CallState } from "../call-state.js";

/** How long a server may take to read changed files. */
const CATCH_UP_MS = 10_000;
const RETRY_ATTEMPTS = 8;
const RETRY_DELAY_MS = 250;

/** Whether files changed so shortly before the call that servers may not have read them yet. */
export function filesChangedRecently({ fileCheck }: Pick<CallState, "fileCheck">): boolean {
  const changedAt = fileCheck?.changedAt ?? null;
  return changedAt !== null && Date.now() - changedAt < CATCH_UP_MS;
}

/** How often an empty answer is retried: more often while it may only be early. */
export function retryPlanFor(call: CallState, retry: RetryPlan): RetryPlan {
  if (!filesChangedRecently(call)) return retry;
  return {
    ...retry,
    attempts: Math.max(retry.attempts, RETRY_ATTEMPTS),
    delayMs: Math.max(retry.delayMs, RETRY_DELAY_MS),
    while: "always",
  };
}

/** Warns that a workspace-wide answer may lack what was just written. */
export function warnOfRecentChanges(call: CallState): void {
  if (!filesChangedRecently(call)) return;
  call.evidence.warn(
    "answer/files-changed",
    `Files changed less than ${CATCH_UP_MS / 1000} seconds ago; the server may not have read them yet.`,
  );
}
