/** Cooperative scheduling: long synchronous work pauses every few milliseconds, and ends when its call is aborted. */

const SLICE_MS = 4;

/** The time slices of one piece of work. Use as `if (turns.isOver) await turns.pass();` in a loop. */
export class Turns {
  #until = performance.now() + SLICE_MS;

  constructor(private readonly signal: AbortSignal) {}

  /** Whether the current slice is used up. */
  get isOver(): boolean {
    return performance.now() >= this.#until;
  }

  /** Lets other work run; throws when the signal aborted. */
  async pass(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.signal.throwIfAborted();
    this.#until = performance.now() + SLICE_MS;
  }
}
