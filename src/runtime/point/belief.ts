/**
 * That a name leads where it led before. To follow it takes longer than all other looks at the disk before a question: so the
 * server is asked at once, about a document that it has open already, and the name is followed while it works. The
 * call is not answered before that is done; where the name leads elsewhere, it is asked again, and follows the name first.
 */
import { type Soon, whenThere } from "../../base/soon.js";
import type { Admitted, Gate } from "../../workspace/types.js";

export class Belief {
  readonly #gate: Gate;
  readonly #name: string;
  readonly #admitted: Admitted;
  #proof: Soon<boolean> | undefined;

  constructor(gate: Gate, name: string, admitted: Admitted) {
    this.#gate = gate;
    this.#name = name;
    this.#admitted = admitted;
  }

  /** Has it proven in the next turn, when what is to be asked was asked; tells if it does not hold. */
  proveSoon(refuted: () => void): void {
    setImmediate(() =>
      whenThere(this.holds(), (holds) => {
        if (!holds) refuted();
      }),
    );
  }

  /** Whether the name leads there, looked at once. */
  holds(): Soon<boolean> {
    this.#proof ??= this.#prove();
    return this.#proof;
  }

  /** Why it does not is told to whoever asks again. */
  #prove(): Soon<boolean> {
    try {
      const found = this.#gate.admitFile(this.#name);
      const proof = whenThere(found, ({ admitted: { path } }) => path === this.#admitted.path);
      return proof instanceof Promise ? proof.catch(() => false) : proof;
    } catch {
      return false;
    }
  }
}
