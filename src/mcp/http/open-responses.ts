/** The responses that are not fully sent, by session or token holder: how much waits, and how they are ended. */
import type { ServerResponse } from "node:http";
import type { ClientOutput } from "../../runtime/memory-watch.js";
import { onceClosed } from "./exchange.js";

export class OpenResponses {
  readonly #responses = new Map<unknown, Set<ServerResponse>>();

  add(owner: unknown, outgoing: ServerResponse): void {
    const own = this.#responses.get(owner) ?? new Set();
    this.#responses.set(owner, own.add(outgoing));
    onceClosed(outgoing, () => {
      own.delete(outgoing);
      if (own.size === 0 && this.#responses.get(owner) === own) this.#responses.delete(owner);
    });
  }

  /** The output of each owner. Ending it closes its connections, which cancels its calls. */
  outputs(): ClientOutput[] {
    return [...this.#responses.values()].map((own) => ({
      waitingBytes: [...own].reduce((sum, { writableLength }) => sum + writableLength, 0),
      end: () => {
        for (const outgoing of own) outgoing.destroy();
      },
    }));
  }
}
