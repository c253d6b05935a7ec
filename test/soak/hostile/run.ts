/** What the parts of one hostile run share: its seed, its end, what went wrong. */
import { generator } from "../chance.js";

/** `limits.timeout_ms` of the run's config: more than a server that behaves takes on a busy machine. No call ends by it. */
export const CALL_LIMIT_MS = 45_000;
/** The limits of a server, in its own config: one that hangs keeps a call this long. */
export const SERVER_LIMIT_MS = 3_000;
/** Only a proxy that hangs is so much later than a limit. What it may block is measured in processor time. */
export const MARGIN_MS = 30_000;
/** A process must have ended this long after its client has gone, language servers included. */
export const END_MS = 30_000;
/** `limits.proxy_memory_mb` and a quarter: no proxy of a run may ever have had more memory. */
export const PEAK_MB = 1_280;
/** What is in use after a collection may grow by a quarter and this much in a run: sessions keep their last lists. */
export const GROWTH_MB = 64;

/** Clients and writers have finished what they were doing this long after the end of a run. */
export const STOP_MS = 120_000;

/** The value, or undefined when there is none within the time. */
export function within<Value>(ms: number, value: Promise<Value>): Promise<Value | undefined> {
  return Promise.race([
    value,
    new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), ms).unref()),
  ]);
}

export interface Run {
  /** In the environment of every process of this run. */
  id: string;
  /** The folder of everything: config, state, workspace (`work`). */
  top: string;
  work: string;
  random(): number;
  pick<Item>(list: readonly Item[]): Item;
  /** Records what went wrong; the run goes on. */
  fail(what: string): void;
  failures: string[];
  counts: Map<string, number>;
  /** The most processor time that a proxy took without a turn for timers, in milliseconds. */
  blockedMs: number;
  /** Calls of clients that behave which have no answer yet. */
  inFlight: number;
  count(what: string): void;
  /** Resolves at once, or when the run goes on after a pause. False when it has ended. */
  goOn(): Promise<boolean>;
}

export class HostileRun implements Run {
  readonly failures: string[] = [];
  readonly counts = new Map<string, number>();
  readonly random: () => number;
  inFlight = 0;
  blockedMs = 0;
  #paused: Promise<void> | undefined;
  #resume: () => void = () => undefined;
  #ended = false;

  constructor(
    readonly id: string,
    readonly top: string,
    readonly work: string,
    seed: number,
  ) {
    this.random = generator(seed);
  }

  pick<Item>(list: readonly Item[]): Item {
    const item = list[Math.floor(this.random() * list.length)];
    if (item === undefined) throw new Error("nothing to pick from");
    return item;
  }

  fail(what: string): void {
    // The first ones say what is wrong; thousands more would hide them.
    if (this.failures.length < 20) this.failures.push(what);
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }

  pause(): void {
    this.#paused = new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#paused = undefined;
    this.#resume();
  }

  end(): void {
    this.#ended = true;
    this.resume();
  }

  async goOn(): Promise<boolean> {
    await this.#paused;
    return !this.#ended;
  }
}
