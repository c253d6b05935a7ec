/**
 * The sessions of the session era: random names, at most so many, gone after a time without a request. A session belongs
 * to the holder of the token that opened it; its name alone opens nothing.
 */
import { randomBytes } from "node:crypto";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { HttpPlan } from "../../abi/plan.js";
import type { Log } from "../../lsp/types.js";
import type { Runtime } from "../../runtime/runtime.js";
import { openCalls, type SessionCalls } from "../calls.js";
import { createServer } from "../server.js";
import type { Exchange } from "./direct-answer.js";
import { SessionLane } from "./session-lane.js";

/** One agent's session. */
export interface HttpSession {
  readonly holder: string;
  readonly calls: SessionCalls;
  /** The ids of requests that are not answered yet. */
  readonly ids: Set<unknown>;
  /** Whether the client has said that it is ready. */
  isInitialized: boolean;
  /** Ends the stream of a request that was cancelled, since no answer will. */
  endStream(id: string | number): void;
  /** Takes back a request in the place of its client, which has left. */
  cancel(id: string | number): void;
  /** Answers a plain call on its own connection; undefined for any other request, which `handle` answers. */
  answer(body: unknown, exchange: Exchange): Promise<undefined> | undefined;
  handle(request: Request, body: unknown): Promise<Response>;
  /** Cuts off what is under way, and resolves when each call was told so. */
  cut(): Promise<void>;
  close(): Promise<void>;
}

interface Entry extends HttpSession {
  /** Requests that are being answered. */
  asked: number;
  /** The same with streams that only listen. */
  exchanges: number;
  usedAt: number;
  timer: NodeJS.Timeout | undefined;
  isClosed: boolean;
}

/** The sessions of one gateway. */
export class Sessions {
  readonly #open = new Map<string, Entry>();
  /** Sessions whose handshake is under way: they count, but have no name yet. */
  readonly #opening = new Set<Entry>();

  constructor(
    private readonly runtime: Runtime,
    private readonly http: HttpPlan,
    private readonly log: Log,
  ) {}

  /** The session of that name, if it is this holder's. */
  find(name: string, holder: string): HttpSession | undefined {
    const entry = this.#open.get(name);
    return entry?.holder === holder ? entry : undefined;
  }

  /** A new session, not yet opened by its handshake; undefined when all sessions are at work and there is no room. */
  async begin(holder: string): Promise<HttpSession | undefined> {
    if (!this.#makeRoom()) return undefined;
    const session = this.runtime.openSession({ holder });
    const calls = openCalls(this.runtime, session);
    const narrow = this.http.sessionRoots === "narrow";
    const server = createServer(this.runtime, calls, { narrow, log: this.log });
    let lane: SessionLane | undefined;
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString("base64url"),
      onsessioninitialized: (name) => {
        this.#opening.delete(entry);
        this.#open.set(name, entry);
      },
    });
    const entry: Entry = {
      ...{ holder, calls, ids: new Set(), isInitialized: false },
      ...{ asked: 0, exchanges: 0, usedAt: Date.now(), timer: undefined, isClosed: false },
      handle: (request, body) =>
        this.#handle(entry, request.method === "GET" ? 0 : 1, () =>
          transport.handleRequest(request, { parsedBody: body }),
        ),
      answer: (body, exchange) => this.#answer(entry, lane?.answer(body, exchange)),
      endStream: (id) => {
        lane?.end(id);
        transport.closeSSEStream(id);
      },
      cancel: (id) => {
        const params = { requestId: id, reason: "the client has left" };
        transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params });
        entry.endStream(id);
      },
      cut: () => calls.end("gone"),
      close: () => server.close(),
    };
    server.onerror = (error) => this.log("debug", "mcp over http", { cause: error.name });
    server.onclose = () => this.#forget(entry, transport.sessionId);
    this.#opening.add(entry);
    await server.connect(transport);
    lane = new SessionLane({ server, transport, calls, narrow });
    return entry;
  }

  /** Whose they are. */
  holders(): string[] {
    return [...this.#open.values()].map(({ holder }) => holder);
  }

  /** Ends all sessions of a holder. */
  end(holder: string): void {
    for (const entry of [...this.#open.values()])
      if (entry.holder === holder) void entry.cut().then(() => entry.close());
  }

  /** How many there are. */
  get size(): number {
    return this.#open.size + this.#opening.size;
  }

  /** Cuts every call off, each with its answer. */
  cut(): void {
    for (const { calls } of this.#open.values()) calls.cut("ending");
  }

  /** Ends all sessions. */
  async close(): Promise<void> {
    await Promise.all([...this.#open.values(), ...this.#opening].map((entry) => entry.close()));
  }

  /** Answers a request; a session is in use until the last byte of its answers, not only until they begin. */
  async #handle(entry: Entry, asked: 0 | 1, answer: () => Promise<Response>): Promise<Response> {
    const done = () => {
      entry.asked -= asked;
      this.#use(entry, -1);
    };
    entry.asked += asked;
    this.#use(entry, 1);
    let response: Response;
    try {
      response = await answer();
    } catch (error) {
      done();
      throw error;
    }
    if (this.#opening.has(entry)) await entry.close();
    if (response.body === null) {
      done();
      return response;
    }
    return new Response(whenDone(response.body, done), response);
  }

  #answer(entry: Entry, done: Promise<void> | undefined): Promise<undefined> | undefined {
    if (done === undefined) return undefined;
    entry.asked++;
    this.#use(entry, 1);
    return done.then(() => {
      entry.asked--;
      this.#use(entry, -1);
      return undefined;
    });
  }

  #use(entry: Entry, change: 1 | 0 | -1): void {
    entry.exchanges += change;
    entry.usedAt = Date.now();
    clearTimeout(entry.timer);
    if (entry.exchanges > 0 || entry.isClosed) return;
    if (entry.calls.isBusy) {
      // A call may outlast the connection that it came by.
      void entry.calls.idle().then(() => this.#use(entry, 0));
      return;
    }
    entry.timer = setTimeout(() => {
      this.log("info", "a session was idle and is gone");
      void entry.close();
    }, this.http.sessionIdleMs);
    entry.timer.unref();
  }

  /** Ends the session that has asked nothing for the longest time, when there must be room. */
  #makeRoom(): boolean {
    if (this.size < this.http.maxSessions) return true;
    let idlest: Entry | undefined;
    for (const entry of this.#open.values())
      if (!isAtWork(entry) && entry.usedAt < (idlest?.usedAt ?? Number.POSITIVE_INFINITY)) idlest = entry;
    if (idlest === undefined) return false;
    this.log("info", "a session made room for a new one");
    void idlest.close();
    return true;
  }

  #forget(entry: Entry, name: string | undefined): void {
    clearTimeout(entry.timer);
    entry.isClosed = true;
    this.#opening.delete(entry);
    if (name !== undefined) this.#open.delete(name);
    entry.calls.session.close();
  }
}

function isAtWork({ asked, calls }: Entry): boolean {
  return asked > 0 || calls.isBusy;
}

/** The same stream; tells once when it has ended or nobody reads it any more. */
function whenDone(body: ReadableStream<Uint8Array>, tell: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      const part = await reader.read();
      if (!part.done) {
        controller.enqueue(part.value);
        return;
      }
      controller.close();
      tell();
    },
    async cancel(reason) {
      tell();
      await reader.cancel(reason);
    },
  });
}
