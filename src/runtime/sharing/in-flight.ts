/**
 * Calls that ask the same at the same time share one answer. The work ends early only when nobody waits for it any more;
 * whoever leaves, leaves alone.
 */
import type { Soon } from "../../base/soon.js";
import { Stop, type StopSignal } from "../../base/stop.js";

/** A piece of work under a signal, telling its progress. */
export type Work<T> = (signal: StopSignal, onProgress: (message: string) => void) => Promise<T>;

/** Who waits for work, alone or beside others. */
export interface Caller<T, U> {
  /** Aborts when the caller leaves. */
  signal: StopSignal;
  onProgress(message: string): void;
  /** What becomes of the result. */
  given(result: T): Soon<U>;
  /** What is told to a caller that left. */
  left(): Soon<U>;
}

interface Shared<T> {
  result: Promise<T>;
  stop: Stop;
  listeners: Set<(message: string) => void>;
}

/** The work under way, by key. */
export class InFlight<T> {
  readonly #under = new Map<string, Shared<T>>();

  /** Whether work of that key is under way. */
  has(key: string): boolean {
    return this.#under.has(key);
  }

  /** What a caller makes of the result of that key's work: of what is under way, else of new work. */
  join<U>(key: string, { signal, onProgress, given, left }: Caller<T, U>, work: Work<T>): Promise<U> {
    // Nothing is begun for nobody.
    if (signal.aborted && !this.#under.has(key)) return Promise.resolve(left());
    // A listener of one's own, so that two callers with the same function count twice.
    const listener = (message: string) => onProgress(message);
    const shared = this.#under.get(key) ?? this.#begin(key, work, listener);
    shared.listeners.add(listener);
    return new Promise((resolve, reject) => {
      let isOver = false;
      /** The caller waits no more: for the result, or because it left. */
      const end = (isLeft: boolean, told: () => Soon<U>) => {
        if (isOver) return;
        isOver = true;
        signal.removeEventListener("abort", leave);
        shared.listeners.delete(listener);
        const isOfOthers = isLeft && shared.listeners.size > 0;
        if (!isOfOthers && this.#under.get(key) === shared) this.#under.delete(key);
        if (isLeft && !isOfOthers) shared.stop.abort(signal.reason);
        try {
          resolve(told());
        } catch (error) {
          reject(error);
        }
      };
      const leave = () => end(true, left);
      const failed = (error: unknown) =>
        end(false, () => {
          throw error;
        });
      shared.result.then((result) => end(false, () => given(result)), failed);
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
    });
  }

  /** Begins work, which may tell of its progress at once. */
  #begin(key: string, work: Work<T>, first: (message: string) => void): Shared<T> {
    const stop = new Stop();
    const listeners: Shared<T>["listeners"] = new Set([first]);
    const tell = (message: string) => {
      for (const listener of listeners) listener(message);
    };
    const shared: Shared<T> = { result: work(stop, tell), stop, listeners };
    this.#under.set(key, shared);
    return shared;
  }
}
