/**
 * The status notification that a plan names: what the server said with it last, since when, and whether the first one is
 * still to be waited for. A server that never sends it is waited for once.
 */
import type { ServerPlan } from "../abi/plan.js";
import { fromPointer, getAt } from "../base/pointer.js";

/** What is left of a patience after sums of fractions. */
const ROUNDING_MS = 1;
/** How long a server is waited for that may be listing its files again; it takes 0.2 s where nothing else is to be done. */
const LISTING_MS = 5_000;

export class ReadyStatus {
  readonly #ready: ServerPlan["ready"];
  readonly #field: string[];
  #told: boolean | undefined;
  /** How many times it has to say "ready" still: once, or once for each folder. */
  #missing = 1;
  #readySince = 0;
  /** How long the first one was waited for in vain, and until when that was counted: several may wait at a time. */
  #vainMs = 0;
  #vainUntil = 0;
  #isGivenUp = false;
  /** Until then the server may be listing its files again, and what it said before does not count. */
  #listsUntil = Number.NEGATIVE_INFINITY;

  constructor(ready: ServerPlan["ready"]) {
    this.#ready = ready;
    this.#field = fromPointer(ready.field ?? "");
  }

  /** Whether it says "ready"; undefined before the first. */
  get told(): boolean | undefined {
    return this.#isListing ? undefined : this.#told;
  }

  get #isListing(): boolean {
    return performance.now() < this.#listsUntil;
  }

  /** When it last turned to "ready". */
  get readySince(): number {
    return this.#readySince;
  }

  /** Whether the server has yet to send the status that it is known for. */
  get isAwaited(): boolean {
    return this.#ready.notification !== null && this.told === undefined && !this.#isGivenUp;
  }

  /** Whether it tells both ways: a boolean does, a text or a mere notification can only say "ready". */
  get isTwoWay(): boolean {
    return this.#ready.field !== null && this.#ready.text.length === 0;
  }

  /** Takes any notification of the server; whether it was the status. */
  take(method: string, params: unknown): boolean {
    if (method !== this.#ready.notification) return false;
    const told = this.#toldBy(getAt(params, this.#field));
    if (told === undefined) return false;
    if (told) this.#missing = Math.max(0, this.#missing - 1);
    if (this.#missing > 0 && told) return true;
    if (told && !this.told) this.#readySince = performance.now();
    this.#listsUntil = Number.NEGATIVE_INFINITY;
    this.#told = told;
    return true;
  }

  /** The server has more folders to tell of, where it tells of each. */
  foldersAdded(count: number): void {
    if (!this.#ready.eachFolder || count === 0) return;
    this.#missing += count;
    this.#told = undefined;
    this.#vainMs = 0;
    this.#isGivenUp = false;
  }

  /** Source files were added. pyright lists its files again, logs how many it found, and knows none of the new ones before. */
  filesAdded(): void {
    if (!this.#ready.eachFolder || this.#told !== true) return;
    this.#listsUntil = performance.now() + LISTING_MS;
    this.#vainMs = 0;
    this.#isGivenUp = false;
  }

  /** What a notification says; nothing where it is one text among many. */
  #toldBy(value: unknown): boolean | undefined {
    const { field, text } = this.#ready;
    if (field === null) return true;
    if (text.length === 0) return value === true;
    return typeof value === "string" && text.some((part) => value.includes(part)) ? true : undefined;
  }

  /** How much longer the first one may be waited for. */
  patienceLeft(patienceMs: number): number {
    const left = patienceMs - this.#vainMs;
    return this.#isListing ? Math.min(left, this.#listsUntil - performance.now()) : left;
  }

  /** It was waited for in vain, from a moment on for so long; once that is all of the patience, it is given up. */
  waitedInVain(since: number, waitMs: number, patienceMs: number): void {
    const until = Math.max(since + waitMs, this.#vainUntil);
    this.#vainMs += until - Math.max(since, this.#vainUntil);
    this.#vainUntil = until;
    this.#isGivenUp ||= this.patienceLeft(patienceMs) < ROUNDING_MS;
  }
}
