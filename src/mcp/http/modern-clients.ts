/**
 * Clients of protocol 2026-07-28, by token holder. Requests stand alone; what outlives one, such as the pages of a
 * listing, belongs to the holder. SDK v2 is loaded with the first request.
 */
import type { HttpPlan } from "../../abi/plan.js";
import type { Log } from "../../lsp/types.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { WorkspaceChoice } from "../call-types.js";
import { SessionCalls } from "../calls.js";
import type { createModernHandler } from "../modern-server.js";
import type { AbortReason } from "../protocol-error.js";

interface Holder {
  calls: CallsByRoots;
  handler: Promise<ReturnType<typeof createModernHandler>>;
}

interface ModernContext {
  runtime: Runtime;
  http: HttpPlan;
  log: Log;
  /** Where the client's roots choose the workspace. */
  choice: (holder: string) => WorkspaceChoice | undefined;
}

export class ModernClients {
  /** Bounded by the number of tokens: the gateway ends the holders of removed ones. */
  readonly #holders = new Map<string, Holder>();

  constructor(private readonly context: ModernContext) {}

  /** Answers one request of a holder with the SDK. */
  async handle(name: string, request: Request, body: unknown): Promise<Response> {
    const { handler } = this.#holders.get(name) ?? this.#open(name);
    // A handler that failed to load is loaded again with the next request.
    handler.catch(() => this.#holders.delete(name));
    return (await handler).fetch(request, { parsedBody: body });
  }

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
  abortCalls(): void {
    for (const { calls } of this.#holders.values()) calls.abort("shutdown");
  }

  async close(): Promise<void> {
    await Promise.all([...this.#holders.values()].map(close));
    this.#holders.clear();
  }

  #open(name: string): Holder {
    const { runtime, http, log, choice } = this.context;
    const workspaces = choice(name);
    const calls = new CallsByRoots(runtime, name, http.maxSessions, workspaces);
    const handler = import("../modern-server.js").then((modern) =>
      modern.createModernHandler(runtime, {
        callsFor: (roots) => calls.get(roots),
        narrow: http.sessionRoots === "narrow" || workspaces !== undefined,
        rootsChoose: workspaces !== undefined,
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
  calls.close();
}

/**
 * The runtime sessions of one token holder: one for each list of roots that clients send. Clients with the same token
 * and the same roots share the pages of a listing.
 */
class CallsByRoots {
  /** The most recently used is last. Not an LRUCache: sessions with a running call are kept. */
  readonly #calls = new Map<string, SessionCalls>();

  constructor(
    private readonly runtime: Runtime,
    private readonly holder: string,
    private readonly max: number,
    private readonly workspaces: WorkspaceChoice | undefined,
  ) {}

  /** The calls limited to these roots; undefined for a client without roots, which sees the whole workspace. */
  get(roots: readonly string[] | undefined): SessionCalls {
    const key = roots === undefined ? "" : JSON.stringify(roots);
    const calls = this.#calls.get(key) ?? this.#open(roots);
    this.#calls.delete(key);
    this.#evict();
    this.#calls.set(key, calls);
    return calls;
  }

  /** Aborts all calls; each is answered with an error. */
  abort(reason: AbortReason): void {
    for (const calls of this.#calls.values()) calls.abort(reason);
  }

  /** Aborts all calls and resolves when their answers were handed to the transport. */
  async abortAndAnswer(reason: AbortReason): Promise<void> {
    await Promise.all([...this.#calls.values()].map((calls) => calls.abortAndAnswer(reason)));
  }

  close(): void {
    for (const calls of this.#calls.values()) calls.end();
  }

  #open(roots: readonly string[] | undefined): SessionCalls {
    const { runtime, holder, workspaces } = this;
    const calls = new SessionCalls(runtime, runtime.openSession({ holder }), { workspaces });
    if (roots !== undefined) calls.narrow(roots);
    return calls;
  }

  /** Closes the least recently used sessions without a running call, until there is room for one more. */
  #evict(): void {
    for (const [key, calls] of this.#calls) {
      if (this.#calls.size < this.max) return;
      if (calls.isBusy) continue;
      this.#calls.delete(key);
      calls.end();
    }
  }
}
