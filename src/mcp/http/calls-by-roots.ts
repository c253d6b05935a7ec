/**
 * The runtime sessions of one token holder in protocol 2026-07-28, which has none: one for each list of roots that clients
 * send. Clients with the same token and the same roots share the pages of a listing.
 */
import type { Runtime } from "../../runtime/runtime.js";
import { type AbortReason, SessionCalls } from "../calls.js";

/** The calls of one holder, by the roots that they are limited to. */
export class CallsByRoots {
  /** The most recently used is last. */
  readonly #calls = new Map<string, Promise<SessionCalls>>();

  constructor(
    private readonly runtime: Runtime,
    private readonly holder: string,
    private readonly max: number,
  ) {}

  /** The calls limited to these roots; undefined for a client without roots, which sees the whole workspace. */
  get(roots: readonly string[] | undefined): Promise<SessionCalls> {
    const key = roots === undefined ? "" : JSON.stringify(roots);
    const calls = this.#calls.get(key) ?? this.#open(roots);
    this.#calls.delete(key);
    this.#calls.set(key, calls);
    void this.#evict();
    return calls;
  }

  /** Aborts all calls; each is answered with an error. */
  async abort(reason: AbortReason): Promise<void> {
    for (const calls of await this.#all()) calls.abort(reason);
  }

  /** Aborts all calls and resolves when their answers were handed to the transport. */
  async abortAndAnswer(reason: AbortReason): Promise<void> {
    await Promise.all((await this.#all()).map((calls) => calls.abortAndAnswer(reason)));
  }

  /** Closes all runtime sessions. */
  async close(): Promise<void> {
    for (const { session } of await this.#all()) session.close();
  }

  async #open(roots: readonly string[] | undefined): Promise<SessionCalls> {
    const session = this.runtime.openSession({ holder: this.holder });
    if (roots !== undefined) await session.narrow(roots);
    return new SessionCalls(this.runtime, session);
  }

  /** Closes the least recently used sessions without a running call, down to the limit. */
  async #evict(): Promise<void> {
    for (const [key, calls] of this.#calls) {
      if (this.#calls.size <= this.max) return;
      const { isBusy, session } = await calls;
      if (isBusy || this.#calls.get(key) !== calls) continue;
      this.#calls.delete(key);
      session.close();
    }
  }

  #all(): Promise<SessionCalls[]> {
    return Promise.all(this.#calls.values());
  }
}
