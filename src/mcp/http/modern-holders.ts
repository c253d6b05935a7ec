/**
 * The era without sessions: every request stands alone. What must outlast one (the pages of a listing) belongs to the
 * holder of the token. The package for it is loaded with the first request of that kind.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { HttpPlan } from "../../abi/plan.js";
import type { Log } from "../../lsp/types.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { openModernHandler } from "../modern.js";
import type { Exchange } from "./direct-answer.js";
import { ModernLane } from "./modern-lane.js";
import { RootedCalls } from "./rooted-calls.js";
import { mostTokens } from "./tokens.js";

interface Holder {
  calls: RootedCalls;
  lane: ModernLane;
  handler: Promise<ReturnType<typeof openModernHandler>>;
}

/** The holders of one gateway's tokens, as far as they speak the newer protocol. */
export class ModernHolders {
  readonly #holders = new Map<string, Holder>();

  constructor(
    private readonly runtime: Runtime,
    private readonly http: HttpPlan,
    private readonly log: Log,
  ) {}

  /** Answers a plain call of a holder on its own connection; undefined for any other request, which `handle` answers. */
  answer(
    name: string,
    headers: IncomingHttpHeaders,
    body: unknown,
    exchange: Exchange,
  ): Promise<undefined> | undefined {
    return this.#holders.has(name) ? this.#use(name).lane.answer(headers, body, exchange) : undefined;
  }

  /** Answers one request of a holder. */
  async handle(name: string, request: Request, body: unknown): Promise<Response> {
    const { handler } = this.#use(name);
    // What could not be opened is tried again with the next request.
    handler.catch(() => this.#holders.delete(name));
    return (await handler).fetch(request, { parsedBody: body });
  }

  /** Who they are. */
  holders(): string[] {
    return [...this.#holders.keys()];
  }

  /** Ends all that is under way for a holder. */
  end(name: string): void {
    const holder = this.#holders.get(name);
    this.#holders.delete(name);
    if (holder !== undefined) void holder.calls.end("gone").then(() => close(holder));
  }

  /** Cuts every call off, each with its answer. */
  async cut(): Promise<void> {
    await Promise.all([...this.#holders.values()].map(({ calls }) => calls.cut("ending")));
  }

  /** Ends everything that is under way. */
  async close(): Promise<void> {
    await Promise.all([...this.#holders.values()].map(close));
    this.#holders.clear();
  }

  /** The holder of that name. The last is the one used last; tokens come and go, and more than count at once are not remembered. */
  #use(name: string): Holder {
    const holder = this.#holders.get(name) ?? this.#open(name);
    this.#holders.delete(name);
    this.#holders.set(name, holder);
    const [oldest] = this.#holders;
    if (this.#holders.size > mostTokens && oldest !== undefined) {
      this.#holders.delete(oldest[0]);
      void close(oldest[1]);
    }
    return holder;
  }

  #open(name: string): Holder {
    const { runtime, http, log } = this;
    const calls = new RootedCalls(runtime, name, http.maxSessions);
    const narrow = http.sessionRoots === "narrow";
    const lane = new ModernLane({ runtime, calls, narrow });
    const handler = import("../modern.js").then((modern) =>
      modern.openModernHandler(runtime, {
        callsOf: (roots) => calls.of(roots),
        onPassed: lane.pass,
        narrow,
        maxSubscriptions: http.maxSessions,
        onError: (error) => log("debug", "mcp over http", { cause: error.name }),
      }),
    );
    return { calls, lane, handler };
  }
}

async function close({ calls, lane, handler }: Holder): Promise<void> {
  lane.close();
  await (await handler).close();
  await calls.close();
}
