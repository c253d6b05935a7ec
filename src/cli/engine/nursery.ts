/**
 * The nursery of V8's heap, where everything new stands until it is collected or has survived twice. It is kept at one size: too
 * small, and what a call needs until it is answered is copied again and again, and at last kept among what is old; V8 itself
 * lets it grow to 32 MB under load, and takes it back to 2 MB when there is little to do.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** How large it is kept, and when it is collected between turns of the event loop. */
export interface NurserySize {
  /** Of both halves. */
  bytes: number;
  /** How full the used half is then, in percent. */
  collectedAt: number;
}

/** As V8 has it by itself. */
export const byItself = 80;

/** For one client, whose calls come one after the other; and for many at once, of whom some are always waiting: what they need is alive at any time. */
export const nurserySizes: Record<"one" | "many", NurserySize> = {
  one: { bytes: 8 * 2 ** 20, collectedAt: 50 },
  many: { bytes: 16 * 2 ** 20, collectedAt: byItself },
};

/**
 * A nursery that grows to a size and not further. V8 heeds the factor when it collects, so while the nursery is too small each
 * collection is followed by a look; later only the thorough ones are, in which V8 may take it back.
 */
export class Nursery {
  readonly #bytes: number;
  #factor = 0;
  #isFree = false;
  /** Hears of every collection, which costs something. */
  readonly #observer = new PerformanceObserver(() => this.#look());
  #isObserving = false;
  /** Hears of the thorough ones, since only those find out that something is gone. */
  readonly #registry = new FinalizationRegistry<undefined>(() => {
    this.#look();
    this.#await();
  });

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Stays as it is, whatever happens. */
  hold(): void {
    this.#isFree = false;
    this.#growBy(1);
  }

  /** May grow as V8 likes, until it is held again. */
  free(): void {
    this.#isFree = true;
    this.#growBy(2);
  }

  /** From now on it has its size, or grows to it. */
  keep(): void {
    this.#look();
    this.#await();
  }

  #await(): void {
    this.#registry.register({}, undefined);
  }

  #look(): void {
    if (this.#isFree) return;
    const isSmall = sizeNow() < this.#bytes;
    this.#growBy(isSmall ? 2 : 1);
    if (isSmall === this.#isObserving) return;
    this.#isObserving = isSmall;
    if (isSmall) this.#observer.observe({ entryTypes: ["gc"] });
    else this.#observer.disconnect();
  }

  #growBy(factor: 1 | 2): void {
    if (factor === this.#factor) return;
    this.#factor = factor;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  }
}

function sizeNow(): number {
  return getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space")?.space_size ?? 0;
}
