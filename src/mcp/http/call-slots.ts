/**
 * Limits how many calls run at once: in total, and for one session or token. While clients have different tokens, a
 * part of all slots is kept for the tokens with few calls, so that one client locks out none of the others.
 */

/** The share of slots reserved for tokens with few calls, and the most slots such a token has. */
const KEPT_SHARE = 0.25;

interface CallLimits {
  max: number;
  maxPerOwner: number;
  /** Whether clients with different tokens are connected. */
  isShared: () => boolean;
}

/** How many of all calls may run when one client has `held` of them: fewer for one with many, while there are others. */
export function roomFor(held: number, max: number, isShared: () => boolean): number {
  const few = Math.floor(max * KEPT_SHARE);
  return held > few && isShared() ? max - few : max;
}

export class CallSlots {
  /** By session or token, and by token alone. */
  readonly #ofOwner = new Map<unknown, number>();
  readonly #ofHolder = new Map<string, number>();
  #waiting: (() => void)[] = [];
  #total = 0;

  constructor(private readonly limits: CallLimits) {}

  /**
   * Takes slots for an owner, which is a session or the holder of a token. Gives a function that releases them, to be
   * called once; undefined when there are too few.
   */
  take(owner: unknown, holder: string, count: number): (() => void) | undefined {
    const { max, maxPerOwner, isShared } = this.limits;
    if ((this.#ofOwner.get(owner) ?? 0) + count > maxPerOwner) return undefined;
    const held = (this.#ofHolder.get(holder) ?? 0) + count;
    if (this.#total + count > roomFor(held, max, isShared)) return undefined;
    this.#add(owner, holder, count);
    return () => this.#add(owner, holder, -count);
  }

  /** Resolves when no slot is taken. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#total === 0) resolve();
      else this.#waiting.push(resolve);
    });
  }

  #add(owner: unknown, holder: string, count: number): void {
    this.#total += count;
    addTo(this.#ofOwner, owner, count);
    addTo(this.#ofHolder, holder, count);
    if (this.#total > 0) return;
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function addTo<Key>(counts: Map<Key, number>, key: Key, count: number): void {
  const sum = (counts.get(key) ?? 0) + count;
  if (sum > 0) counts.set(key, sum);
  else counts.delete(key);
}
