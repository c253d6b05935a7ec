/** How many calls may be under way, for one owner and in all. Whoever takes slots gives them back exactly once. */

/** The slots of one gateway. */
export class Slots {
  readonly #taken = new Map<unknown, number>();
  #waiting: (() => void)[] = [];
  #all = 0;

  constructor(
    private readonly most: number,
    private readonly mostOfOne: number,
  ) {}

  /** Takes slots for calls of one owner; gives the function that returns them, or undefined when there are too few. */
  take(owner: unknown, count: number): (() => void) | undefined {
    const own = this.#taken.get(owner) ?? 0;
    if (own + count > this.mostOfOne || this.#all + count > this.most) return undefined;
    this.#add(owner, count);
    let isBack = false;
    return () => {
      if (!isBack) this.#add(owner, -count);
      isBack = true;
    };
  }

  /** Resolves when no slot is taken. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#all === 0) resolve();
      else this.#waiting.push(resolve);
    });
  }

  #add(owner: unknown, count: number): void {
    this.#all += count;
    const own = (this.#taken.get(owner) ?? 0) + count;
    if (own > 0) this.#taken.set(owner, own);
    else this.#taken.delete(owner);
    if (this.#all > 0) return;
    for (const tell of this.#waiting.splice(0)) tell();
  }
}
