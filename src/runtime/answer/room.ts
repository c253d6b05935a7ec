/**
 * How many items of a list an answer has room for. Whoever makes the answer again for every count that might do spells the same
 * items ten times: what each of them takes is measured once instead, and what an answer was found to take says the rest.
 */
import type { Answer } from "../../abi/handler.js";
import type { DialectPlan } from "../../abi/plan.js";
import type { Json } from "../../base/json.js";
import { type Caps, fits, formsOf, largest } from "./limits.js";

/** The most of the items that an answer may have, with few answers made; 0 when not even one has room. */
export function mostWithRoom(
  items: readonly Json[],
  caps: Caps,
  dialect: Pick<DialectPlan, "members">,
  answerWith: (count: number) => Answer,
): number {
  const room = new Room(items, caps, dialect);
  const isFine = (count: number) => {
    if (room.isTooSmallFor(count)) return false;
    const answer = answerWith(count);
    const isFitting = fits(answer, caps);
    room.learn(answer, count, isFitting);
    return isFitting;
  };
  return largest(items.length, isFine, () => room.guess());
}

/** What is known of the room that items take. */
class Room {
  readonly #items: readonly Json[];
  readonly #caps: Caps;
  /** Whether items stand in an answer as they are here; under other names they are longer or shorter. */
  readonly #isExact: boolean;
  /** What the items up to each take together in a structure, with the commas between them; measured when it is needed. */
  #ends: number[] | undefined;
  #all: Answer | undefined;
  /** The fitting answer with the most items. */
  #fitting: { answer: Answer; count: number } | undefined;

  constructor(items: readonly Json[], caps: Caps, { members }: Pick<DialectPlan, "members">) {
    this.#items = items;
    this.#caps = caps;
    this.#isExact = caps.hasStructure && Object.keys(members).length === 0;
  }

  /** What an answer with so many items was found to be. */
  learn(answer: Answer, count: number, isFitting: boolean): void {
    if (isFitting) this.#fitting = { answer, count };
    else if (count === this.#items.length) this.#all = answer;
  }

  /** Whether so many items are certainly too many: the structure of a smaller answer, with what they take beside its own. */
  isTooSmallFor(count: number): boolean {
    const fitting = this.#fitting;
    if (!this.#isExact || fitting === undefined || count <= fitting.count) return false;
    const { structure } = formsOf(fitting.answer, this.#caps);
    return structure.length + this.#upTo(count) - this.#upTo(fitting.count) > this.#caps.page;
  }

  /** About as many as have room, but at least one, by what the answer with all of them takes. */
  guess(): number {
    if (this.#all === undefined) return 1;
    const { total, page, text: mostText, bytes } = this.#caps;
    const { structure, text } = formsOf(this.#all, this.#caps);
    const whole = this.#upTo(this.#items.length);
    const beside = Math.max(0, structure.length - whole);
    const share = Math.min(
      1,
      Math.min(page, mostText) / Math.max(1, text.length),
      total / Math.max(1, structure.length + text.length),
      bytes / Math.max(1, Buffer.byteLength(structure), Buffer.byteLength(text)),
    );
    const room = Math.min(whole * share, structure.length > page ? page - beside : whole);
    const past = this.#measured().findIndex((end) => end > room);
    return past < 0 ? this.#items.length : Math.max(1, past);
  }

  #upTo(count: number): number {
    return count === 0 ? 0 : (this.#measured()[count - 1] ?? 0);
  }

  #measured(): number[] {
    let end = 0;
    this.#ends ??= this.#items.map((item) => (end += JSON.stringify(item).length + 1));
    return this.#ends;
  }
}
