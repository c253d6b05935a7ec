/** Limits how many calls run at once, in total and for one session or token. */

export class CallSlots {
  readonly #taken = new Map<unknown, number>();
  #waiting: (() => void)[] = [];
  #total = 0;

  constructor(
    private readonly max: number,
    private readonly maxPerOwner: number,
  ) {}

  /** Takes slots for an owner. Gives a function that releases them, to be called once; undefined when there are too few. */
  take(owner: unknown, count: number): (() => void) | undefined {
    const own = this.#taken.get(owner) ?? 0;
    if (own + count > this.maxPerOwner || this.#total + count > this.max) return undefined;
    this.#add(owner, count);
    return () => this.#add(owner, -count);
  }

  /** Resolves when no slot is taken. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#total === 0) resolve();
      else this.#waiting.push(resolve);
    });
  }

  #add(owner: unknown, count: number): void {
    this.#total += count;
    const own = (this.#taken.get(owner) ?? 0) + count;
    if (own > 0) this.#taken.set(owner, own);
    else this.#taken.delete(owner);
    if (this.#total > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
