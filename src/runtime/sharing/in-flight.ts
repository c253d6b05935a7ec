/**
 * Calls that ask the same at the same time share one answer. The work ends early only when nobody waits for it any more;
 * whoever leaves, leaves alone.
 */
import { Stop, type StopSignal } from "../../base/stop.js";
import { untilAborted } from "../deadline.js";

/** A piece of work under a signal, telling its progress. */
export type Work<T> = (signal: StopSignal, onProgress: (message: string) => void) => Promise<T>;

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

  /** The result of the work of that key: of what is under way, else of new work. Rejects when the signal aborts first. */
  join(key: string, signal: StopSignal, onProgress: (message: string) => void, work: Work<T>): Promise<T> {
    // A listener of one's own, so that two callers with the same function count twice.
    const listener = (message: string) => onProgress(message);
    const shared = this.#under.get(key) ?? this.#begin(key, work, listener);
    shared.listeners.add(listener);
    const ended = (isLeft: boolean) => {
      shared.listeners.delete(listener);
      if (isLeft && shared.listeners.size > 0) return;
      if (this.#under.get(key) === shared) this.#under.delete(key);
      if (isLeft) shared.stop.abort(signal.reason);
    };
    return untilAborted(signal, shared.result, { ended });
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
