/**
 * Whether the results of a server's background checks have arrived. Some servers check after a change and push the
 * results seconds after a pull has returned nothing (rust-analyzer runs cargo). The evidence is open progress, progress
 * that began after the change, pushed reports, and what followed earlier changes; never time alone.
 */
import type { ReadinessState } from "../readiness.js";

/** How long a server that reports progress may take to begin after a change. */
const FOLLOW_MS = 2_000;
/** A server that never reports progress has this long to correct its first empty answer. */
const CORRECT_MS = 2_000;
/** How long after its last sign a server counts as new. */
const NEW_MS = 60_000;
/** At the start the first check may begin a moment after the project has loaded. */
const START_QUIET_MS = 500;

export class BackgroundChecks {
  /** Whether the server has pushed findings in an open file. An empty push may only clear a closed file. */
  #pushesFindings = false;
  /** Whether progress follows a change; false after a change that no progress followed in time. */
  #reportsAfterChange = true;
  /** When the server last pushed a report since the last change. */
  pushedAt: number | undefined;
  #isUnsaved = false;
  #changes = 0;
  #changedAt = 0;
  #begunBefore = 0;
  #correctsUntil: number | undefined;

  constructor(
    private readonly readiness: ReadinessState,
    /** Whether progress is expected after a change although the server has not reported any yet. */
    private readonly expectsProgress: boolean,
  ) {}

  /** After an empty answer: milliseconds in which a new and silent server may still correct it. */
  correctionMs(): number {
    const { isSilent, signAt } = this.readiness;
    const now = performance.now();
    if (!isSilent || this.pushedAt !== undefined || now > signAt + NEW_MS) return 0;
    this.#correctsUntil ??= now + CORRECT_MS;
    return Math.max(0, this.#correctsUntil - now);
  }

  /** The server was notified of a change; `isSaved` when also of a saved document. */
  changed(isSaved: boolean): void {
    this.#isUnsaved = !isSaved;
    this.#changes++;
    this.pushedAt = undefined;
    this.#changedAt = performance.now();
    this.#begunBefore = this.readiness.begun;
  }

  /** The server pushed a report on one of its files; `isFinding` when it found something in an open one. */
  pushed(isFinding: boolean): void {
    this.#pushesFindings ||= isFinding;
    this.pushedAt = performance.now();
  }

  /** True once after a change without a save: rust-analyzer checks saved documents, not files that change on disk. */
  takeUnsaved(): boolean {
    const isUnsaved = this.#isUnsaved;
    this.#isUnsaved = false;
    return isUnsaved;
  }

  /** Milliseconds until everything may have arrived; `pushedAt` is the time of the file's report since the change. */
  dueMs(pushedAt: number | undefined, settleMs: number): number {
    const { isWorking, begun, signAt } = this.readiness;
    const now = performance.now();
    if (isWorking) return Number.POSITIVE_INFINITY;
    const hasBegun = begun > this.#begunBefore;
    if (hasBegun || pushedAt !== undefined) {
      if (hasBegun && this.#changes > 0) this.#reportsAfterChange = true;
      const quietMs = this.#changes === 0 ? Math.max(settleMs, START_QUIET_MS) : settleMs;
      return Math.max(0, Math.max(hasBegun ? signAt : 0, pushedAt ?? 0) + quietMs - now);
    }
    if (this.#pushesFindings) return Number.POSITIVE_INFINITY;
    if ((begun === 0 && !(this.expectsProgress && this.#changes > 0)) || !this.#reportsAfterChange) return 0;
    const left = this.#changedAt + FOLLOW_MS - now;
    if (left <= 0) this.#reportsAfterChange = false;
    return Math.max(0, left);
  }
}
