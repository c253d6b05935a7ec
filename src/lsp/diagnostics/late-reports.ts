/**
 * Whether what a server finds beside its answers is in. Some check in the background after a change and push what that
 * finds seconds after a pull has said "nothing" (rust-analyzer runs cargo). Signs decide, never the clock alone: open
 * progress, progress that began after the change, a push; and what the server was seen to do before.
 */
import type { ReadinessState } from "../readiness.js";

/** A server that tells of its work has so long to begin after a change, until it was seen not to. */
const FOLLOW_MS = 2_000;
/** A server that never speaks of its work has so long, after its first "nothing", to take that back. */
const RECANT_MS = 2_000;
/** It is new for so long. */
const NEW_MS = 60_000;
/** At the start the first check may begin a moment after the project has loaded. */
const START_QUIET_MS = 500;

/** The background work of one server. */
export class LateReports {
  readonly #readiness: ReadinessState;
  /** Whether it is expected to speak of its work after a change, though it has not done so yet. */
  readonly #isExpected: boolean;
  /** Whether it has pushed something that it found in an open file: an empty push may only clear what was closed. */
  #pushes = false;
  /** Whether progress followed the last change that could tell. */
  #follows = true;
  #pushedAt: number | undefined;
  #unsaved = false;
  #changes = 0;
  #toldAt = 0;
  #begunBefore = 0;
  #recantsUntil: number | undefined;

  constructor(readiness: ReadinessState, isExpected: boolean) {
    this.#readiness = readiness;
    this.#isExpected = isExpected;
  }

  /** The server said "nothing": milliseconds in which a new one that has shown nothing of itself may still take it back. */
  recantMs(): number {
    const { isSilent, signAt } = this.#readiness;
    const now = performance.now();
    if (!isSilent || this.#pushedAt !== undefined || now > signAt + NEW_MS) return 0;
    this.#recantsUntil ??= now + RECANT_MS;
    return Math.max(0, this.#recantsUntil - now);
  }

  /** The server was told of a change, `saved` when it was told of a saved document as well. */
  changed(saved: boolean): void {
    this.#unsaved = !saved;
    this.#changes++;
    this.#pushedAt = undefined;
    this.#toldAt = performance.now();
    this.#begunBefore = this.#readiness.begun;
  }

  /** The server pushed a report on a file of its own kind, `isFinding` when it tells of something in an open one. */
  pushed(isFinding: boolean): void {
    this.#pushes ||= isFinding;
    this.#pushedAt = performance.now();
  }

  /**
   * Whether nothing was saved since the last change, said once: rust-analyzer checks after a save, and not when it hears
   * that files changed.
   */
  takeUnsaved(): boolean {
    const unsaved = this.#unsaved;
    this.#unsaved = false;
    return unsaved;
  }

  /** When it last pushed such a report, since the last change. */
  get pushedAt(): number | undefined {
    return this.#pushedAt;
  }

  /** Milliseconds until everything may be in, 0 when it is; `pushedAt` is when the file's report since the change came. */
  dueMs(pushedAt: number | undefined, settleMs: number): number {
    const { atWork, begun, signAt } = this.#readiness;
    const now = performance.now();
    if (atWork) return Number.POSITIVE_INFINITY;
    const began = begun > this.#begunBefore;
    if (began || pushedAt !== undefined) {
      if (began && this.#changes > 0) this.#follows = true;
      const quiet = this.#changes === 0 ? Math.max(settleMs, START_QUIET_MS) : settleMs;
      return Math.max(0, Math.max(began ? signAt : 0, pushedAt ?? 0) + quiet - now);
    }
    if (this.#pushes) return Number.POSITIVE_INFINITY;
    if ((begun === 0 && !(this.#isExpected && this.#changes > 0)) || !this.#follows) return 0;
    const left = this.#toldAt + FOLLOW_MS - now;
    if (left <= 0) this.#follows = false;
    return Math.max(0, left);
  }
}
