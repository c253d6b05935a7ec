/** Where names led when they were admitted last. That is no proof: each may lead elsewhere by now. */
import type { Followed } from "./types.js";

const mostNames = 4096;
/** A longer name is followed each time. */
const longestName = 512;

export class KnownNames {
  readonly #known = new Map<string, Followed>();

  recall(name: string): Followed | undefined {
    return this.#known.get(name);
  }

  /** Gives what was kept. */
  keep(name: string, followed: Followed): Followed {
    if (name.length > longestName) return followed;
    if (this.#known.size >= mostNames) this.#known.clear();
    this.#known.set(name, followed);
    return followed;
  }

  /** Throws why a name leads nowhere any more. */
  forget(name: string, why: unknown): never {
    this.#known.delete(name);
    throw why;
  }
}
