/**
 * Marks that are given at a glance, and the looks that prove them. One look proves all glances before it. It begins in the
 * next turn, while the server is at work on the question; where servers are at work for others already it is put off, until an
 * answer waits for it or its time has come: the more calls there are at once, the fewer looks each of them costs.
 */
import type { Soon } from "../../base/soon.js";
import type { MarkProof } from "../types.js";

/** How long a look is put off. What changes meanwhile makes the calls of so long be asked again, so it is not long. */
const PUT_OFF_MS = 20;

/** What glances are proven by. */
export interface GlancesContext {
  /** Takes in all that changed before. */
  look: () => Promise<unknown>;
  /** How the files stand, as far as is known. */
  state: () => string;
}

/** A glance that a look is to prove. */
interface Taken {
  /** How the files stood, as far as was known. */
  state: string;
  refuted: (() => void) | undefined;
}

/** A look that has not begun. */
interface Look {
  taken: Taken[];
  /** How the files stood after it; undefined when that could not be found out. */
  found: Promise<string | undefined>;
  /** The same, once it is over. */
  over: { state: string | undefined } | undefined;
  /** Begins it, once. */
  begin(): void;
}

export class Glances {
  readonly #context: GlancesContext;
  #next: Look | undefined;

  constructor(context: GlancesContext) {
    this.#context = context;
  }

  /** What proves that a mark of now holds: a look that finds nothing that was not known; `isBusy` says that servers are at work. */
  take(isBusy: boolean): MarkProof {
    const state = this.#context.state();
    this.#next ??= this.#prepare(isBusy);
    const look = this.#next;
    const taken: Taken = { state, refuted: undefined };
    look.taken.push(taken);
    if (!isBusy) setImmediate(look.begin);
    const holds = (): Soon<boolean> => {
      look.begin();
      return look.over === undefined
        ? look.found.then((found) => found === state)
        : look.over.state === state;
    };
    const onRefuted = (tell: () => void): void => {
      taken.refuted = tell;
    };
    return { holds, isAhead: () => this.#next === look, onRefuted };
  }

  #prepare(isPutOff: boolean): Look {
    let settle: (found: Promise<string | undefined>) => void = () => undefined;
    const found = new Promise<string | undefined>((resolve) => {
      settle = resolve;
    });
    const begin = (): void => {
      if (this.#next !== look) return;
      this.#next = undefined;
      clearTimeout(timer);
      const end = (state: string | undefined): string | undefined => {
        look.over = { state };
        for (const taken of look.taken.splice(0)) if (taken.state !== state) taken.refuted?.();
        return state;
      };
      settle(
        this.#context.look().then(
          () => end(this.#context.state()),
          () => end(undefined),
        ),
      );
    };
    const timer = isPutOff ? setTimeout(begin, PUT_OFF_MS) : undefined;
    const look: Look = { taken: [], found, over: undefined, begin };
    return look;
  }
}
