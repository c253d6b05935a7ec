/**
 * The status notification with which some servers say whether they are ready, as the plan describes it. Tracks its last
 * value, and whether the first one is still to be waited for. A server that never sends it is waited for once.
 */
import type { ServerPlan } from "../abi/plan.js";
import { fromPointer, getAt } from "../base/pointer.js";

/** Tolerance for sums of fractions of milliseconds. */
const ROUNDING_MS = 1;
/** How long to wait for a server that lists its files again; an idle one takes 0.2 s. */
const LISTING_MS = 5_000;

export class ReadyStatus {
  readonly #ready: ServerPlan["ready"];
  readonly #field: string[];
  #isReady: boolean | undefined;
  /** How many "ready" notifications are still missing: one, or one for each folder. */
  #missing = 1;
  #readySince = 0;
  /** How long the first status was waited for in vain, and up to when; waits may overlap. */
  #vainMs = 0;
  #vainUntil = 0;
  #isGivenUp = false;
  /** Until this time the server may list its files again, and its earlier status does not count. */
  #listsUntil = Number.NEGATIVE_INFINITY;

  constructor(ready: ServerPlan["ready"]) {
    this.#ready = ready;
    this.#field = fromPointer(ready.field ?? "");
  }

  /** The last status; undefined before the first, and while the server lists its files again. */
  get isReady(): boolean | undefined {
    return performance.now() < this.#listsUntil ? undefined : this.#isReady;
  }

  /** When the status last became "ready". */
  get readySince(): number {
    return this.#readySince;
  }

  /** Whether the first status is still expected. */
  get isAwaited(): boolean {
    return this.#ready.notification !== null && this.isReady === undefined && !this.#isGivenUp;
  }

  /** Whether the status can also say "not ready": a boolean field can, a text or a bare notification cannot. */
  get isTwoWay(): boolean {
    return this.#ready.field !== null && this.#ready.text.length === 0;
  }

  /** Takes any notification; returns whether it was the status. */
  take(method: string, params: unknown): boolean {
    if (method !== this.#ready.notification) return false;
    const isReady = this.#read(getAt(params, this.#field));
    if (isReady === undefined) return false;
    if (isReady) this.#missing = Math.max(0, this.#missing - 1);
    if (isReady && this.#missing > 0) return true;
    if (isReady && !this.isReady) this.#readySince = performance.now();
    this.#listsUntil = Number.NEGATIVE_INFINITY;
    this.#isReady = isReady;
    return true;
  }

  /** Expects further "ready" notifications from a server that sends one for each folder. */
  foldersAdded(count: number): void {
    if (!this.#ready.eachFolder || count === 0) return;
    this.#missing += count;
    this.#isReady = undefined;
    this.#vainMs = 0;
    this.#isGivenUp = false;
  }

  /** Source files were added: pyright lists its files again, logs how many it found, and knows no new one before. */
  filesAdded(): void {
    if (!this.#ready.eachFolder || this.#isReady !== true) return;
    this.#listsUntil = performance.now() + LISTING_MS;
    this.#vainMs = 0;
    this.#isGivenUp = false;
  }

  /** The meaning of a value; undefined for a text that says nothing about readiness. */
  #read(value: unknown): boolean | undefined {
    const { field, text } = this.#ready;
    if (field === null) return true;
    if (text.length === 0) return value === true;
    return typeof value === "string" && text.some((part) => value.includes(part)) ? true : undefined;
  }

  /** How much longer the first status may be waited for. */
  patienceLeft(patienceMs: number): number {
    const left = patienceMs - this.#vainMs;
    const listingMs = this.#listsUntil - performance.now();
    return listingMs > 0 ? Math.min(left, listingMs) : left;
  }

  /** Records a wait in vain. When the whole patience is used up, the status is given up. */
  waitedInVain(since: number, waitMs: number, patienceMs: number): void {
    const until = Math.max(since + waitMs, this.#vainUntil);
    this.#vainMs += until - Math.max(since, this.#vainUntil);
    this.#vainUntil = until;
    this.#isGivenUp ||= this.patienceLeft(patienceMs) < ROUNDING_MS;
  }
}
