/**
 * Time and waiting: delays, timeouts, deadlines as abort signals, waits for events and conditions, turns between slices
 * of long work, and work in parallel.
 */
import { setMaxListeners } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Refusal } from "./problem.js";

/** Node fires timers longer than this at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** `setTimeout` that also takes delays longer than Node's timers can hold. */
export function startTimer(callback: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(callback, Math.min(Math.max(0, ms), MAX_TIMER_MS));
}

/** Resolves after a time, or rejects with the signal's reason when that aborts first. */
export async function delay(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = startTimer(resolve, ms);
  });
  try {
    await (signal === undefined ? elapsed : untilAborted(signal, elapsed));
  } finally {
    clearTimeout(timer);
  }
}

/** The promise's value, or undefined when it takes longer than `ms`. */
export async function withTimeout<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<undefined>((resolve) => {
    timer = startTimer(() => resolve(undefined), ms);
  });
  try {
    return await Promise.race([promise, expired]);
  } finally {
    clearTimeout(timer);
  }
}

/** A controller whose signal any number of calls listen to. Node warns of a leak at the eleventh listener otherwise. */
export function sharedAbortController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/** The promise's outcome. As soon as the signal aborts, it rejects with that reason, or with the error given for it. */
export async function untilAborted<T>(
  signal: AbortSignal,
  promise: Promise<T>,
  errorOf?: (signal: AbortSignal) => Error,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(errorOf === undefined ? signal.reason : errorOf(signal));
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

/**
 * A signal that aborts with one of its parents or after `ms`. Call `clear` when the guarded work is over. Unlike
 * `AbortSignal.any`, which needs Node 20.3, it tells its own timeout from a parent's abort and releases its listeners.
 */
export class Deadline {
  readonly #controller = sharedAbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #parents: readonly AbortSignal[];
  #isOver = false;

  constructor(parents: readonly AbortSignal[], ms: number, reason?: () => Error) {
    this.#parents = parents;
    const expire = () => {
      if (this.signal.aborted) return;
      this.#isOver = true;
      this.#controller.abort(reason?.() ?? new DOMException("The time is up.", "TimeoutError"));
    };
    if (parents.some((parent) => parent.aborted)) this.#follow();
    for (const parent of parents) parent.addEventListener("abort", this.#follow, { once: true });
    if (ms <= 0) expire();
    this.#timer = startTimer(expire, ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the time, not a parent, ended it. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Releases the timer and the listeners. */
  clear(): void {
    clearTimeout(this.#timer);
    for (const parent of this.#parents) parent.removeEventListener("abort", this.#follow);
  }

  readonly #follow = (): void => {
    this.#controller.abort(this.#parents.find((parent) => parent.aborted)?.reason);
  };
}

/** Runs work under a deadline; `expired` says whether the time ended it. */
export async function withDeadline<T>(
  parents: readonly AbortSignal[],
  ms: number,
  work: (signal: AbortSignal, expired: () => boolean) => Promise<T>,
  reason?: () => Error,
): Promise<T> {
  const deadline = new Deadline(parents, ms, reason);
  try {
    return await work(deadline.signal, () => deadline.isOver);
  } finally {
    deadline.clear();
  }
}

/** Returns a function that gives the milliseconds left. */
export function countdown(ms: number): () => number {
  const end = performance.now() + ms;
  return () => Math.max(0, end - performance.now());
}

/** Resolves when the signal aborts. */
export function whenAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true });
  });
}

/** Resolves in the next turn of the event loop, so that other work can run. */
export { nextTurn };

const SLICE_MS = 4;

/** The time slices of one piece of work. Use as `if (turns.isDue) await turns.yield();` in a loop. */
export class Turns {
  #until: number;

  constructor(
    private readonly signal?: AbortSignal,
    private readonly sliceMs = SLICE_MS,
  ) {
    this.#until = performance.now() + sliceMs;
  }

  /** Whether the current slice is used up, so that it is time to yield. */
  get isDue(): boolean {
    return performance.now() >= this.#until;
  }

  /** Lets other work run; throws when the signal aborted. */
  async yield(): Promise<void> {
    await nextTurn();
    this.signal?.throwIfAborted();
    this.#until = performance.now() + this.sliceMs;
  }
}

/** Runs work for every item, begun in their order, at most `atOnce` at a time. Rejects with the first error. */
export async function forEachInParallel<T>(
  items: readonly T[],
  atOnce: number,
  run: (item: T, index: number) => Promise<void>,
): Promise<void> {
  // All workers take from one iterator.
  const entries = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of entries) await run(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, work));
}

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
