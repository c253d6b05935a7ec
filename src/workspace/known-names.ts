/** Where names led when they were admitted last. That is no proof: each may lead elsewhere by now. */
import type { Admitted } from "./types.js";

const mostNames = 4096;
/** A longer name is followed each time. */
const longestName = 512;

export class KnownNames {
  readonly #known = new Map<string, Admitted>();

  recall(name: string): Admitted | undefined {
    return this.#known.get(name);
  }

  /** Gives what was kept. */
  keep(name: string, admitted: Admitted): Admitted {
    if (name.length > longestName) return admitted;
    if (this.#known.size >= mostNames) this.#known.clear();
    this.#known.set(name, admitted);
    return admitted;
  }
}
