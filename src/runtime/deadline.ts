/** Time limits as signals: one that ends with its parent or after a time, and never outlives the work it guards. */
import { type Alarm, clearAlarm, setAlarm } from "../base/alarm.js";
import { Stop, type StopSignal } from "../base/stop.js";

/** A signal that aborts with one of its parents or, for a reason, after `ms`. */
export class Deadline {
  readonly signal = new Stop();
  readonly #alarm: Alarm;
  readonly #unfollow: () => void;
  #isOver = false;

  constructor(parents: readonly StopSignal[], ms: number, reason?: () => Error) {
    const expire = () => {
      if (this.signal.aborted) return;
      this.#isOver = true;
      this.signal.abort(reason?.() ?? new DOMException("The time is up.", "TimeoutError"));
    };
    this.#unfollow = follow(this.signal, parents);
    if (ms <= 0) expire();
    this.#alarm = setAlarm(expire, ms);
  }

  /** Whether it was the time that ended it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Nothing waits for it any more. */
  callOff(): void {
    clearAlarm(this.#alarm);
    this.#unfollow();
  }
}

/** Runs work under a deadline; `expired` tells whether it was the time that ended it. */
export async function withDeadline<T>(
  parents: readonly StopSignal[],
  ms: number,
  work: (signal: StopSignal, expired: () => boolean) => Promise<T>,
  reason?: () => Error,
): Promise<T> {
  const deadline = new Deadline(parents, ms, reason);
  try {
    return await work(deadline.signal, () => deadline.isOver);
  } finally {
    deadline.callOff();
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

/** A signal that aborts with any of its parents, until it is done with. */
export function underAny(parents: readonly StopSignal[]): { signal: Stop; done: () => void } {
  const signal = new Stop();
  return { signal, done: follow(signal, parents) };
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

/**
 * The work's outcome, or the signal's reason as soon as it aborts, whatever the work does then; but for work that is bound, which
 * must not be left and is waited for, whatever the signal says.
 */
export function untilAborted<T>(
  signal: StopSignal,
  work: Promise<T>,
  isBound: () => boolean = () => false,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      if (!isBound()) reject(signal.reason);
    };
    work.then(
      (value) => {
        signal.removeEventListener("abort", abort);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener("abort", abort);
        reject(error);
      },
    );
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
