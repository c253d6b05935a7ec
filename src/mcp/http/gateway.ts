/**
 * Handles one HTTP request: checks it, reads its body, passes it to the SDK of its protocol version, and applies the
 * limits on calls. Every request needs a token; the id of a session is never enough.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { getRequestListener } from "@hono/node-server";
import { readRequestBody } from "@modelcontextprotocol/sdk/server/requestBody.js";
import type { HttpPlan } from "../../abi/plan.js";
import { isTable, parseJson } from "../../base/json.js";
import type { Log, Trace } from "../../lsp/types.js";
import type { Runtime } from "../../runtime/runtime.js";
import { acceptsStream } from "../accept-header.js";
import { isModernMessage, isModernVersion } from "../client-metadata.js";
import type { Authenticator } from "./bearer-tokens.js";
import type { CallSlots } from "./call-slots.js";
import {
  checkHead,
  isHealthCheck,
  pathOf,
  type Rejection,
  type RequestHead,
  repeatedHeader,
  TOO_LARGE,
} from "./checks.js";
import { type Exchange, onceClosed, sdkRequest } from "./exchange.js";
import { cancelledIds, isRequest, messagesIn, requestIds, rpcError } from "./json-rpc.js";
import { ModernClients } from "./modern-clients.js";
import { OpenRequests } from "./open-requests.js";
import { isHandshake, rejectVersion, strictHandshake } from "./protocol-versions.js";
import { dropUnreadReports, observeMessages, toJsonDocument, withoutSessionId } from "./responses.js";
import { type HttpSession, Sessions } from "./sessions.js";
import { servedPaths, type Workspace, workspaceChoice } from "./workspaces.js";

export interface GatewayContext {
  tokens: Authenticator;
  log: Log;
  trace?: Trace | undefined;
  /** Of all gateways of the server: the calls, the sessions, and what a client's roots choose from. */
  slots: CallSlots;
  sessions: () => HttpSession[];
  workspaces: readonly Workspace[];
}

const RETRY_LATER = { "Retry-After": "1" };
/** How often the tokens of open sessions and streams are checked. */
const TOKEN_CHECK_MS = 1000;

export class Gateway {
  readonly #http: HttpPlan;
  readonly sessions: Sessions;
  readonly #modern: ModernClients;
  readonly #slots: CallSlots;
  readonly #requests = new OpenRequests();
  readonly #tokenCheck: NodeJS.Timeout;
  /** Holders whose token was missing at the last check. */
  #missing: ReadonlySet<string> = new Set();
  /** Why requests were rejected as unauthorized so far. */
  readonly #loggedCauses = new Set<string>();
  #isDraining = false;

  constructor(
    runtime: Runtime,
    http: HttpPlan,
    private readonly context: GatewayContext,
  ) {
    this.#http = http;
    const choice = (holder: string) => workspaceChoice(context.workspaces, http.path, holder);
    const { log, sessions } = context;
    this.sessions = new Sessions({ runtime, http, log, choice, sessions });
    this.#modern = new ModernClients({ runtime, http, log, choice });
    this.#slots = context.slots;
    runtime.memory.watchClients(() => this.#requests.memory());
    this.#tokenCheck = setInterval(() => this.#endWithoutToken(), TOKEN_CHECK_MS);
    this.#tokenCheck.unref();
  }

  /** Answers a request; gives whether it has a valid token. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const { method = "", headers } = incoming;
    this.#logWhenClosed(method, outgoing);
    const repeated = repeatedHeader(incoming.headersDistinct);
    const head: RequestHead = { method, path: pathOf(incoming), headers, repeated };
    if (isHealthCheck(head, this.#http)) {
      const [status, text] = this.#isDraining ? [503, "ending"] : [200, "ok"];
      outgoing.writeHead(status, { "content-type": "application/json" });
      outgoing.end(JSON.stringify({ status: text }));
      return false;
    }
    const { tokens, workspaces } = this.context;
    const served = servedPaths(workspaces, this.#http.path);
    const checked = checkHead(head, this.#http, tokens.authenticate, served);
    if ("status" in checked) {
      this.#reject(checked, outgoing);
      return false;
    }
    this.#requests.add(checked.holder, incoming, outgoing);
    const listener = getRequestListener((request) => this.#answer(request, outgoing, checked.holder), {
      overrideGlobalObjects: false,
      errorHandler: (error) => {
        const cause = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.context.log("error", "internal error in the gateway", { cause });
        return new Response(null, { status: 500 });
      },
    });
    void listener(incoming, outgoing);
    return true;
  }

  #reject({ status, headers, text = "", cause }: Rejection, outgoing: ServerResponse): void {
    const type = text === "" ? {} : { "content-type": "text/plain; charset=utf-8" };
    outgoing.writeHead(status, { ...type, ...headers, "content-length": Buffer.byteLength(text) }).end(text);
    // Each cause once: anybody who reaches the port could fill the log otherwise.
    if (cause === undefined || this.#loggedCauses.has(cause)) return;
    this.#loggedCauses.add(cause);
    this.context.log("warn", "a request was rejected", { cause, next: this.context.tokens.needs });
  }

  /** Accepts no more requests; resolves when the running calls are answered. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#slots.idle();
  }

  /** Aborts the running calls; resolves when each is answered with an error. */
  async abortCalls(): Promise<void> {
    this.sessions.abortCalls();
    this.#modern.abortCalls();
    await this.#slots.idle();
  }

  async close(): Promise<void> {
    this.#isDraining = true;
    clearInterval(this.#tokenCheck);
    await Promise.all([this.sessions.close(), this.#modern.close()]);
  }

  /** The holders of tokens that have a session or a running call. */
  holders(): string[] {
    return [...this.sessions.holders(), ...this.#modern.holders()];
  }

  /**
   * Ends what belongs to removed tokens. A token must be missing twice: a token file may be empty while it is written.
   */
  #endWithoutToken(): void {
    const missing = new Set(this.context.tokens.withoutToken(new Set(this.holders())));
    for (const holder of missing) {
      if (!this.#missing.has(holder)) continue;
      this.context.log("info", "a token was removed; its sessions and calls are ended");
      this.sessions.end(holder);
      this.#modern.end(holder);
    }
    this.#missing = missing;
  }

  async #answer(request: Request, outgoing: ServerResponse, holder: string): Promise<Response> {
    const { method } = request;
    const text = method === "POST" ? await this.#readBody(request) : undefined;
    if (text instanceof Response) return text;
    // The client disconnected; nobody reads this response.
    if (outgoing.destroyed) return new Response(null, { status: 400 });
    const body = text === undefined ? undefined : parseJson(text);
    if (this.#isDraining && !startsNothing(method, body))
      return new Response(null, { status: 503, headers: { ...RETRY_LATER, Connection: "close" } });
    if (method === "POST" && body === undefined)
      return rpcError(400, -32700, "Parse error: the body is not JSON");
    const isStreamed = !this.#http.strict && acceptsStream(request.headers.get("accept") ?? undefined);
    const messages = body === undefined ? [] : messagesIn(body);
    const { trace } = this.context;
    for (const message of messages) trace?.({ side: "mcp", direction: "received", message });
    const answered = await this.#route({ request, outgoing, holder, body, messages, isStreamed });
    const response = dropUnreadReports(answered);
    const traced = trace
      ? observeMessages(response, (message) => trace({ side: "mcp", direction: "sent", message }))
      : response;
    return isStreamed ? traced : toJsonDocument(traced, Array.isArray(body));
  }

  async #readBody(request: Request): Promise<string | Response> {
    try {
      const body = await readRequestBody(request, this.#http.maxBodyBytes);
      return body.tooLarge ? new Response(null, TOO_LARGE) : body.text;
    } catch {
      // The client disconnected in the middle of its request.
      return new Response(null, { status: 400 });
    }
  }

  async #route(exchange: Exchange): Promise<Response> {
    const { request, body, messages, holder } = exchange;
    const { strict } = this.#http;
    const version = request.headers.get("mcp-protocol-version") ?? undefined;
    if (!strict && (isModernVersion(version ?? "") || messages.some(isModernMessage)))
      return this.#withinLimits(exchange, undefined, () =>
        this.#modern.handle(holder, sdkRequest(exchange), body),
      );
    const rejected = rejectVersion(version, body, strict);
    if (rejected !== undefined) return rejected;
    if (Array.isArray(body) && strict)
      return rpcError(400, -32600, "Invalid Request: batches are not supported");
    if (!this.#http.sessions) return withoutSessionId(await this.#inOnlySession(exchange));
    const id = request.headers.get("mcp-session-id");
    if (id === null) return this.#openSession(exchange);
    const session = this.sessions.find(id, holder);
    if (session === undefined) return rpcError(404, -32001, "Session not found");
    return this.#inSession(exchange, session);
  }

  /** Where clients do not name sessions: a handshake opens one, and all else belongs to the last one of the token. */
  async #inOnlySession(exchange: Exchange): Promise<Response> {
    if (isHandshake(exchange.body)) return this.#openSession(exchange);
    if (exchange.request.method === "DELETE") return new Response(null, { status: 405 });
    const session = this.sessions.lastOf(exchange.holder);
    if (session === undefined) return rpcError(400, -32600, "Not initialized", exchange.messages[0]);
    return this.#inSession({ ...exchange, sessionId: session.transport.sessionId }, session);
  }

  /** The first request of a session, which must be its handshake. */
  async #openSession(exchange: Exchange): Promise<Response> {
    if (!isHandshake(exchange.body))
      return rpcError(400, -32000, "Bad Request: Mcp-Session-Id header is required");
    const { strict, olderHandshakes } = this.#http;
    const handshake = strict ? strictHandshake(exchange.body, olderHandshakes) : exchange;
    if (handshake instanceof Response) return handshake;
    const session = await this.sessions.open(exchange.holder);
    if (session === undefined) return new Response(null, { status: 429, headers: RETRY_LATER });
    return this.sessions.handle(session, sdkRequest(exchange), handshake.body, exchange.outgoing);
  }

  async #inSession(exchange: Exchange, session: HttpSession): Promise<Response> {
    const { request, body, messages, outgoing } = exchange;
    for (const { method, id } of messages.filter(isTable))
      if (method === "notifications/initialized" && id === undefined) session.isInitialized = true;
    const [message] = messages;
    if (this.#http.strict && !session.isInitialized && isEarlyRequest(message))
      return rpcError(200, -32600, "Not initialized", message);
    const ids = requestIds(messages);
    // With two requests of one id, one client could get the answer of the other.
    if (new Set(ids).size < ids.length || ids.some((id) => session.pendingIds.has(id)))
      return rpcError(400, -32600, "Invalid Request: the id is in use");
    if (request.method === "DELETE") await session.calls.abortAndAnswer("session-ended");
    const response = await this.#withinLimits(exchange, session, () =>
      this.sessions.handle(session, sdkRequest(exchange), body, outgoing),
    );
    if (response.ok) for (const id of cancelledIds(messages)) session.endStream(id);
    return response;
  }

  /**
   * Answers a request if there are call slots for it. They are released when the response is closed, or, in a session
   * whose client disconnected, when the call has ended. Without a session the holder of the token has the limit.
   */
  async #withinLimits(
    { messages, outgoing, holder }: Exchange,
    session: HttpSession | undefined,
    answer: () => Promise<Response>,
  ): Promise<Response> {
    const isCall = (message: unknown) =>
      isRequest(message, "tools/call") || isRequest(message, "resources/read");
    const calls = messages.filter(isCall).length;
    const release = this.#slots.take(session ?? holder, holder, calls);
    if (release === undefined) return new Response(null, { status: 429, headers: RETRY_LATER });
    const ids = session === undefined ? [] : requestIds(messages);
    for (const id of ids) session?.pendingIds.add(id);
    const done = () => {
      release();
      for (const id of ids) session?.pendingIds.delete(id);
    };
    onceClosed(outgoing, () => {
      if (outgoing.writableFinished || session === undefined) done();
      else void session.cancel(ids).then(done);
    });
    return answer();
  }

  #logWhenClosed(method: string, outgoing: ServerResponse): void {
    const start = performance.now();
    outgoing.once("close", () => {
      const ms = Math.round(performance.now() - start);
      this.context.log("debug", "http", { method, status: outgoing.statusCode, ms });
    });
  }
}

/** Whether a request starts nothing new: it cancels a call, ends a session, or answers a request of the proxy. */
function startsNothing(method: string, body: unknown): boolean {
  if (method !== "POST") return method === "DELETE";
  return messagesIn(body).every((message) => isTable(message) && !("method" in message && "id" in message));
}

/** Whether a message is a request that needs an initialized session: any but a ping. */
function isEarlyRequest(message: unknown): boolean {
  if (!isTable(message) || message.id === undefined) return false;
  return typeof message.method === "string" && message.method !== "ping";
}
