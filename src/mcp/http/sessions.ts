/**
 * The sessions of protocol versions up to 2025-11-25: random ids, a limited number, closed when idle. A session belongs
 * to the holder of the token that opened it; its id alone gives no access.
 */
import { randomBytes } from "node:crypto";
import type { ServerResponse } from "node:http";
import type { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { HttpPlan } from "../../abi/plan.js";
import { sortBy } from "../../base/order.js";
import type { Log } from "../../lsp/types.js";
import type { Runtime } from "../../runtime/runtime.js";
import type { WorkspaceChoice } from "../call-types.js";
import { SessionCalls } from "../calls.js";
import { createSessionServer } from "../session-server.js";
import { onceClosed } from "./exchange.js";
import type { RequestId } from "./json-rpc.js";

export class HttpSession {
  /** The ids of requests that are not answered yet. */
  readonly pendingIds = new Set<RequestId>();
  /** Whether the client has sent `notifications/initialized`. */
  isInitialized = false;
  /** Open HTTP requests: those that wait for an answer, and event streams that only listen. */
  openRequests = 0;
  openStreams = 0;
  usedAt = Date.now();
  idleTimer: NodeJS.Timeout | undefined;
  isClosed = false;

  constructor(
    readonly holder: string,
    readonly calls: SessionCalls,
    readonly transport: WebStandardStreamableHTTPServerTransport,
    private readonly server: Server,
  ) {}

  /** Whether a request waits for an answer. */
  get isBusy(): boolean {
    return this.openRequests > 0 || this.calls.isBusy;
  }

  /** Ends the event stream of a cancelled request, since no answer will end it. */
  endStream(id: RequestId): void {
    this.transport.closeSSEStream(id);
  }

  /** Cancels requests whose client has disconnected; resolves when their calls have ended. */
  async cancel(ids: readonly RequestId[]): Promise<void> {
    for (const id of ids) {
      const params = { requestId: id, reason: "The client disconnected." };
      this.transport.onmessage?.({ jsonrpc: "2.0", method: "notifications/cancelled", params });
      this.endStream(id);
    }
    await this.calls.cancelledCallsEnded();
  }

  close(): Promise<void> {
    return this.server.close();
  }
}

interface SessionsContext {
  runtime: Runtime;
  http: HttpPlan;
  log: Log;
  /** Where the client's roots choose the workspace. */
  choice: (holder: string) => WorkspaceChoice | undefined;
  /** The sessions of all gateways of the server, which share the limit. */
  sessions: () => HttpSession[];
}

export class Sessions {
  readonly #sessions = new Map<string, HttpSession>();
  /** Sessions whose handshake is running. They count, but have no id yet. */
  readonly #opening = new Set<HttpSession>();

  private readonly http: HttpPlan;
  private readonly log: Log;

  constructor(private readonly context: SessionsContext) {
    this.http = context.http;
    this.log = context.log;
  }

  get all(): HttpSession[] {
    return [...this.#sessions.values(), ...this.#opening];
  }

  /** The session with this id, if it belongs to this holder. */
  find(id: string, holder: string): HttpSession | undefined {
    const session = this.#sessions.get(id);
    return session?.holder === holder ? session : undefined;
  }

  /** The last session that this holder opened. */
  lastOf(holder: string): HttpSession | undefined {
    return [...this.#sessions.values()].findLast((session) => session.holder === holder);
  }

  /** A new session that still needs its handshake; undefined when there is no room. */
  async open(holder: string): Promise<HttpSession | undefined> {
    if (!this.#makeRoom()) return undefined;
    const { runtime, choice } = this.context;
    const workspaces = choice(holder);
    const calls = new SessionCalls(runtime, runtime.openSession({ holder }), { workspaces });
    const narrow = this.http.sessionRoots === "narrow" || workspaces !== undefined;
    const server = createSessionServer(runtime, calls, { narrow, log: this.log });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => randomBytes(16).toString("base64url"),
      onsessioninitialized: (id) => {
        this.#opening.delete(session);
        this.#sessions.set(id, session);
      },
    });
    const session = new HttpSession(holder, calls, transport, server);
    server.onerror = (error) => this.log("debug", "mcp over http", { cause: error.name });
    server.onclose = () => this.#forget(session);
    this.#opening.add(session);
    await server.connect(transport);
    return session;
  }

  /** Answers a request with the SDK. The session is in use until the response is closed. */
  async handle(
    session: HttpSession,
    request: Request,
    body: unknown,
    outgoing: ServerResponse,
  ): Promise<Response> {
    const counter = request.method === "GET" ? "openStreams" : "openRequests";
    session[counter]++;
    this.#touch(session);
    onceClosed(outgoing, () => {
      session[counter]--;
      this.#touch(session);
    });
    const response = await session.transport.handleRequest(request, { parsedBody: body });
    // A handshake that failed leaves no session.
    if (this.#opening.has(session)) await session.close();
    return response;
  }

  holders(): string[] {
    return [...this.#sessions.values()].map(({ holder }) => holder);
  }

  /** Ends all sessions of a holder; their calls are answered with an error. */
  end(holder: string): void {
    for (const session of this.#sessions.values())
      if (session.holder === holder)
        void session.calls.abortAndAnswer("session-ended").then(() => session.close());
  }

  /** Aborts all calls; each is answered with an error. */
  abortCalls(): void {
    for (const { calls } of this.#sessions.values()) calls.abort("shutdown");
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((session) => session.close()));
  }

  /** Notes that a session was used, and starts its idle time when nothing is open. */
  #touch(session: HttpSession): void {
    session.usedAt = Date.now();
    clearTimeout(session.idleTimer);
    if (session.isClosed || session.openRequests + session.openStreams > 0) return;
    if (session.calls.isBusy) {
      // A call may outlive its connection.
      void session.calls.idle().then(() => this.#touch(session));
      return;
    }
    session.idleTimer = setTimeout(() => {
      this.log("info", "a session was idle and is closed");
      void session.close();
    }, this.http.sessionIdleMs);
    session.idleTimer.unref();
  }

  /**
   * Closes a session without a running request when the limit is reached: the least recently used one of the token that
   * has most sessions, so that a client that opens many ends none of another token.
   */
  #makeRoom(): boolean {
    const all = this.context.sessions();
    if (all.length < this.http.maxSessions) return true;
    const idle = all.filter(({ isBusy, transport }) => !isBusy && transport.sessionId !== undefined);
    const counts = new Map<string, number>();
    for (const { holder } of all) counts.set(holder, (counts.get(holder) ?? 0) + 1);
    const [oldest] = sortBy(idle, ({ holder, usedAt }) => [-(counts.get(holder) ?? 0), usedAt]);
    if (oldest === undefined) return false;
    this.log("info", "an idle session was closed to make room for a new one");
    void oldest.close();
    return true;
  }

  #forget(session: HttpSession): void {
    const { sessionId } = session.transport;
    clearTimeout(session.idleTimer);
    session.isClosed = true;
    this.#opening.delete(session);
    if (sessionId !== undefined) this.#sessions.delete(sessionId);
    session.calls.end();
  }
}
