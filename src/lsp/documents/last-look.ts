/**
 * When something was last looked at. A call looks at the disk once, at its beginning; whatever it does right after that
 * need not look again. A look that is older than that, or began before the call did, counts for nothing.
 */

/** Between a look and the question that it was for a call does nothing that takes longer. */
const SHARED_MS = 100;

export class LastLook {
  #began = Number.NEGATIVE_INFINITY;
  #ended = Number.NEGATIVE_INFINITY;

  /** When it began, on the process's own clock. */
  get began(): number {
    return this.#began;
  }

  /** Whether a look that began at this moment or later has just ended. */
  covers(moment: number | undefined): boolean {
    return moment !== undefined && this.#began >= moment && performance.now() - this.#ended < SHARED_MS;
  }

  /** A look that began then has ended. */
  ended(began: number): void {
    this.#began = Math.max(this.#began, began);
    this.#ended = performance.now();
  }
}
