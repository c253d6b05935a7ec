/** Answers that come in parts: under a token of our own, as `$/progress`, before the answer itself. */
import { isTable } from "../../base/json.js";
import type { PartTaker } from "../types.js";

export class PartialResults {
  readonly #takers = new Map<unknown, PartTaker>();
  #tokens = 0;

  /** Asks with a token for parts; they go to the taker until the question has ended. */
  async during<T>(params: unknown, taker: PartTaker, ask: (params: object) => Promise<T>): Promise<T> {
    const token = `part-${++this.#tokens}`;
    this.#takers.set(token, taker);
    try {
      return await ask({ ...(isTable(params) ? params : {}), partialResultToken: token });
    } finally {
      this.#takers.delete(token);
    }
  }

  /** Takes a `$/progress`; false when it is no part of an answer that somebody waits for. */
  take(params: unknown): boolean {
    const { token, value } = isTable(params) ? params : {};
    const taker = this.#takers.get(token);
    taker?.take(value);
    return taker !== undefined;
  }
}
