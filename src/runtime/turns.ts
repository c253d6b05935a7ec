/** Long work in slices: whoever else waits gets a turn between them, and work that nobody waits for any more ends. */

const sliceMs = 4;
/** The clock is looked at once in so many steps. */
const stepsPerLook = 64;

/** The slices of one piece of work. */
export class Turns {
  #until = performance.now() + sliceMs;
  #steps = 0;

  constructor(private readonly signal: AbortSignal) {}

  /** Whether the others have waited long enough; asked after each small step. */
  get isOver(): boolean {
    this.#steps = (this.#steps + 1) % stepsPerLook;
    return this.#steps === 0 && performance.now() >= this.#until;
  }

  /** Lets the others have their turn; throws when the work was called off. */
  async pass(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.signal.throwIfAborted();
    this.#until = performance.now() + sliceMs;
  }

  /** The same, asked after a step that was not small. */
  get isLate(): boolean {
    return performance.now() >= this.#until;
  }

  /** Lets them have it if they have waited long enough. */
  async rest(): Promise<void> {
    if (this.isLate) await this.pass();
  }
}
