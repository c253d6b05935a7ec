/**
 * The era without sessions: every request stands alone. What must outlast one (the pages of a listing) belongs to the
 * holder of the token. The package for it is loaded with the first request of that kind.
 */
import type { HttpPlan } from "../../abi/plan.js";
import type { Log } from "../../lsp/types.js";
import type { Runtime } from "../../runtime/runtime.js";
import { RootedCalls } from "./rooted-calls.js";
import { mostTokens } from "./tokens.js";

interface Holder {
  calls: RootedCalls;
  handle(request: Request, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** The holders of one gateway's tokens, as far as they speak the newer protocol. */
export class ModernHolders {
  readonly #holders = new Map<string, Promise<Holder>>();

  constructor(
    private readonly runtime: Runtime,
    private readonly http: HttpPlan,
    private readonly log: Log,
  ) {}

  /** Answers one request of a holder. */
  async handle(name: string, request: Request, body: unknown): Promise<Response> {
    const known = this.#holders.get(name) ?? this.#open(name);
    // The last is the one used last; tokens come and go, and more than count at once are not remembered.
    this.#holders.delete(name);
    this.#holders.set(name, known);
    const [oldest] = this.#holders;
    if (this.#holders.size > mostTokens && oldest !== undefined) {
      this.#holders.delete(oldest[0]);
      void oldest[1].then((holder) => holder.close());
    }
    // What could not be opened is tried again with the next request.
    known.catch(() => this.#holders.delete(name));
    return (await known).handle(request, body);
  }

  /** Who they are. */
  holders(): string[] {
    return [...this.#holders.keys()];
  }

  /** Ends all that is under way for a holder. */
  end(name: string): void {
    void this.#holders.get(name)?.then(async (holder) => {
      await holder.calls.end("gone");
      await holder.close();
    });
    this.#holders.delete(name);
  }

  /** Cuts every call off, each with its answer. */
  async cut(): Promise<void> {
    await Promise.all((await Promise.all(this.#holders.values())).map(({ calls }) => calls.cut("ending")));
  }

  /** Ends everything that is under way. */
  async close(): Promise<void> {
    await Promise.all((await Promise.all(this.#holders.values())).map((holder) => holder.close()));
    this.#holders.clear();
  }

  async #open(name: string): Promise<Holder> {
    const { openModernHandler } = await import("../modern.js");
    const calls = new RootedCalls(this.runtime, name, this.http.maxSessions);
    const handler = openModernHandler(this.runtime, {
      callsOf: (roots) => calls.of(roots),
      narrow: this.http.sessionRoots === "narrow",
      maxSubscriptions: this.http.maxSessions,
      onError: (error) => this.log("debug", "mcp over http", { cause: error.name }),
    });
    return {
      calls,
      handle: (request, body) => handler.fetch(request, { parsedBody: body }),
      close: async () => {
        await handler.close();
        await calls.close();
      },
    };
  }
}
