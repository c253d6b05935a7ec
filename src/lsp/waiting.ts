/** Waiting for a server: until an event, a condition, a time limit, or the cancellation of the call. */
import { Refusal } from "../base/problem.js";
import { countdown, untilAborted, withDeadline } from "../base/timing.js";

/** Registers a listener and returns the function that removes it. */
export type Subscribe = (listener: () => void) => () => void;

/** The listeners of one kind of event. */
export class Listeners {
  readonly #listeners = new Set<() => void>();

  readonly subscribe: Subscribe = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** The refusal of a cancelled call: the signal's own reason when that is a refusal. */
export function cancelled(signal: AbortSignal | undefined): Refusal {
  if (signal?.reason instanceof Refusal) return signal.reason;
  return new Refusal("call/cancelled", "the call was cancelled");
}

/** The promise's outcome, or a refusal as soon as the signal aborts. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await untilAborted(signal, promise);
  } catch (error) {
    throw signal.aborted && error === signal.reason ? cancelled(signal) : error;
  }
}

/** Waits for the next event of any source, at most `timeoutMs`. Throws when the signal aborts. */
export async function nextEvent(
  sources: readonly Subscribe[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const unsubscribe: (() => void)[] = [];
  const event = new Promise<void>((resolve) => {
    for (const subscribe of sources) unsubscribe.push(subscribe(resolve));
  });
  try {
    await withDeadline([signal], Math.max(1, timeoutMs), (limit, expired) =>
      untilAborted(limit, event).catch(() => {
        if (!expired()) throw cancelled(signal);
      }),
    );
  } finally {
    for (const stop of unsubscribe) stop();
  }
}

/** Waits until a condition holds (true) or the time is over (false). Throws when the signal aborts. */
export async function waitUntil(
  holds: () => boolean,
  sources: readonly Subscribe[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  if (signal.aborted) throw cancelled(signal);
  const left = countdown(timeoutMs);
  while (!holds()) {
    if (left() <= 0) return false;
    await nextEvent(sources, left(), signal);
  }
  return true;
}
