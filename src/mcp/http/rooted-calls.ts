/**
 * The sessions of one holder where the protocol has none: one for each list of roots that its clients tell, since several
 * clients may show the same token and each sees its own roots. Pages belong to them, so a listing goes on for whoever tells
 * the same roots.
 */
import type { Runtime } from "../../runtime/runtime.js";
import { type CutReason, openCalls, type SessionCalls } from "../calls.js";

/** The calls of one holder, by the roots that they may see. */
export class RootedCalls {
  readonly #open = new Map<string, Promise<SessionCalls>>();

  constructor(
    private readonly runtime: Runtime,
    private readonly holder: string,
    private readonly most: number,
  ) {}

  /** The calls that see these roots; the whole workspace for a client that has none. */
  of(roots: readonly string[] | undefined): Promise<SessionCalls> {
    const key = roots === undefined ? "" : JSON.stringify(roots);
    const calls = this.#open.get(key) ?? this.#begin(roots);
    // The last is the one used last.
    this.#open.delete(key);
    this.#open.set(key, calls);
    void this.#makeRoom();
    return calls;
  }

  /** Cuts every call off, each with its answer. */
  async cut(why: CutReason): Promise<void> {
    for (const calls of await this.#all()) calls.cut(why);
  }

  /** The same; resolves when each answer is on its way. */
  async end(why: CutReason): Promise<void> {
    await Promise.all((await this.#all()).map((calls) => calls.end(why)));
  }

  /** Ends everything that is under way. */
  async close(): Promise<void> {
    for (const { session } of await this.#all()) session.close();
  }

  async #begin(roots: readonly string[] | undefined): Promise<SessionCalls> {
    const session = this.runtime.openSession({ holder: this.holder });
    if (roots !== undefined) await session.narrow(roots);
    return openCalls(this.runtime, session);
  }

  /** Forgets those that were used least lately and have nothing under way. */
  async #makeRoom(): Promise<void> {
    for (const [key, calls] of this.#open) {
      if (this.#open.size <= this.most) return;
      const { isBusy, session } = await calls;
      if (isBusy || this.#open.get(key) !== calls) continue;
      this.#open.delete(key);
      session.close();
    }
  }

  #all(): Promise<SessionCalls[]> {
    return Promise.all(this.#open.values());
  }
}
