/**
 * Clients of protocol 2026-07-28, by token holder. Requests stand alone; what outlives one, such as the pages of a listing,
 * belongs to the holder. SDK v2 is loaded with the first request.
 */
import type { HttpPlan } from "../../abi/plan.js";
import type { Log } from "../../lsp/types.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { createModernHandler } from "../modern-server.js";
import { CallsByRoots } from "./calls-by-roots.js";

interface Holder {
  calls: CallsByRoots;
  handler: Promise<ReturnType<typeof createModernHandler>>;
}

/** The token holders that use protocol 2026-07-28. */
export class ModernClients {
  /** Bounded by the number of tokens: the gateway ends the holders of removed ones. */
  readonly #holders = new Map<string, Holder>();

  constructor(
    private readonly runtime: Runtime,
    private readonly http: HttpPlan,
    private readonly log: Log,
  ) {}

  /** Answers one request of a holder with the SDK. */
  async handle(name: string, request: Request, body: unknown): Promise<Response> {
    const { handler } = this.#holders.get(name) ?? this.#open(name);
    // A handler that failed to load is loaded again with the next request.
    handler.catch(() => this.#holders.delete(name));
    return (await handler).fetch(request, { parsedBody: body });
  }

  /** The names of the holders. */
  holders(): string[] {
    return [...this.#holders.keys()];
  }

  /** Ends everything that belongs to a holder; running calls are answered with an error. */
  end(name: string): void {
    const holder = this.#holders.get(name);
    this.#holders.delete(name);
    if (holder !== undefined) void holder.calls.abortAndAnswer("session-ended").then(() => close(holder));
  }

  /** Aborts all calls; each is answered with an error. */
  async abortCalls(): Promise<void> {
    await Promise.all([...this.#holders.values()].map(({ calls }) => calls.abort("shutdown")));
  }

  /** Closes everything. */
  async close(): Promise<void> {
    await Promise.all([...this.#holders.values()].map(close));
    this.#holders.clear();
  }

  #open(name: string): Holder {
    const { runtime, http, log } = this;
    const calls = new CallsByRoots(runtime, name, http.maxSessions);
    const handler = import("../modern-server.js").then((modern) =>
      modern.createModernHandler(runtime, {
        callsFor: (roots) => calls.get(roots),
        narrow: http.sessionRoots === "narrow",
        maxSubscriptions: http.maxSessions,
        onerror: (error) => log("debug", "mcp over http", { cause: error.name }),
      }),
    );
    const holder = { calls, handler };
    this.#holders.set(name, holder);
    return holder;
  }
}

async function close({ calls, handler }: Holder): Promise<void> {
  await (await handler).close();
  await calls.close();
}
