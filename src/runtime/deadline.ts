/** Time limits as signals: one that ends with its parent or after a time, and never outlives the work it guards. */
import { clearAlarm, setAlarm } from "../base/alarm.js";
import { Stop, type StopSignal } from "../base/stop.js";

/**
 * Runs work under a signal that aborts with one of its parents or, for a reason, after `ms`; `expired` tells which it was.
 */
export async function withDeadline<T>(
  parents: readonly StopSignal[],
  ms: number,
  work: (signal: StopSignal, expired: () => boolean) => Promise<T>,
  reason?: () => Error,
): Promise<T> {
  const stop = new Stop();
  let late = false;
  const expire = () => {
    if (stop.aborted) return;
    late = true;
    stop.abort(reason?.() ?? new DOMException("The time is up.", "TimeoutError"));
  };
  const unfollow = follow(stop, parents);
  if (ms <= 0) expire();
  const alarm = setAlarm(expire, ms);
  try {
    return await work(stop, () => late);
  } finally {
    clearAlarm(alarm);
    unfollow();
  }
}

/** The milliseconds that are left of so many from now on. */
export function countdown(ms: number): () => number {
  const end = performance.now() + ms;
  return () => Math.max(0, end - performance.now());
}

const mostReserveMs = 2000;
const reserveShare = 0.1;
/** Less than this is no time to ask anything in. */
const leastMs = 20;

/** What is left for calls within a call: some of its time is kept for the answer that is made of theirs. */
export function timeWithin(timeoutMs: number, remainingMs: number): number {
  const left = remainingMs - Math.min(mostReserveMs, timeoutMs * reserveShare);
  return isTimeToAsk(left) ? left : 0;
}

/** Whether so many milliseconds are enough to ask anything in. */
export function isTimeToAsk(ms: number): boolean {
  return ms >= leastMs;
}

/** Runs work under a signal that aborts with any of its parents. */
export async function underAny<T>(
  parents: readonly StopSignal[],
  work: (signal: StopSignal) => Promise<T>,
): Promise<T> {
  const stop = new Stop();
  const unfollow = follow(stop, parents);
  try {
    return await work(stop);
  } finally {
    unfollow();
  }
}

/** Aborts with any of the parents, until the function that it gives is called. */
function follow(stop: Stop, parents: readonly StopSignal[]): () => void {
  const pass = () => stop.abort(parents.find((parent) => parent.aborted)?.reason);
  if (parents.some((parent) => parent.aborted)) pass();
  for (const parent of parents) parent.addEventListener("abort", pass, { once: true });
  return () => {
    for (const parent of parents) parent.removeEventListener("abort", pass);
  };
}

/** The work's outcome, or the signal's reason as soon as it aborts, whatever the work does then; `ended` hears of either. */
export function untilAborted<T>(signal: StopSignal, work: Promise<T>, ended?: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = () => {
      signal.removeEventListener("abort", abort);
      ended?.();
    };
    const abort = () => {
      end();
      reject(signal.reason);
    };
    work.then(
      (value) => {
        if (!signal.aborted) end();
        resolve(value);
      },
      (error: unknown) => {
        if (!signal.aborted) end();
        reject(error);
      },
    );
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
