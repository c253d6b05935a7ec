/**
 * One request, from its head to its answer: checked, read, given to the era that it belongs to, counted while it is under
 * way. Every request carries its own token; a session's name is never enough.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpPlan } from "../../abi/plan.js";
import { isTable } from "../../base/json.js";
import type { Log, Trace } from "../../lsp/types.js";
import type { Runtime } from "../../runtime/runtime.js";
import { isModernMessage, isModernRevision } from "../era.js";
import { ClientGone, parseBody, readBody } from "./body.js";
import { sendResponse, webRequest } from "./bridge.js";
import { checkHead, type Head, isHealthQuestion, tooLarge } from "./checks.js";
import type { Exchange } from "./direct-answer.js";
import { foldResponse, tapResponse } from "./events.js";
import { acceptsStream, jsonOnly } from "./media.js";
import { ModernHolders } from "./modern-holders.js";
import { cancelledIds, isNotification, isRequest, messagesIn, requestIds, rpcError } from "./rpc.js";
import { type HttpSession, Sessions } from "./sessions.js";
import { Slots } from "./slots.js";
import type { Authenticator } from "./tokens.js";
import { isHandshake, refuseRevision, strictHandshake } from "./versions.js";

/** What a gateway needs besides the runtime. */
export interface GatewayContext {
  tokens: Authenticator;
  log: Log;
  trace?: Trace | undefined;
}

/** A request that passed the checks of its head. */
interface Question {
  request: IncomingMessage;
  response: ServerResponse;
  holder: string;
  /** The parsed body; undefined for a verb without one. */
  body: unknown;
  /** The messages in it. */
  messages: unknown[];
  /** Whether the client reads a stream, or wants one document. */
  isStreamed: boolean;
}

/** What is left to be sent; undefined when the answer has gone its own way. */
type Answer = Response | undefined;

const later = { "Retry-After": "1" };
/** How often it is seen whether the tokens of those who listen still count. */
const tokensMs = 1000;

/** The request handler of the HTTP server. */
export class Gateway {
  readonly #http: HttpPlan;
  readonly #sessions: Sessions;
  readonly #modern: ModernHolders;
  readonly #slots: Slots;
  readonly #looks: NodeJS.Timeout;
  /** Holders whose token was missing at the last look. */
  #missing: ReadonlySet<string> = new Set();
  #isDraining = false;

  constructor(
    runtime: Runtime,
    private readonly context: GatewayContext,
  ) {
    this.#http = runtime.loaded.plan.http;
    this.#sessions = new Sessions(runtime, this.#http, context.log);
    this.#modern = new ModernHolders(runtime, this.#http, context.log);
    this.#slots = new Slots(this.#http.maxCalls, this.#http.maxCallsPerSession);
    this.#looks = setInterval(() => this.#endWithoutToken(), tokensMs);
    this.#looks.unref();
  }

  /** Answers one request; never throws. */
  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const began = performance.now();
    try {
      const answer = await this.#answer(request, response);
      if (answer !== undefined) await sendResponse(answer, response);
    } catch (error) {
      if (!(error instanceof ClientGone))
        this.context.log("error", "fault in the gateway", { cause: String((error as Error).stack ?? error) });
      if (!response.headersSent) response.writeHead(500);
      response.end();
    }
    const ms = Math.round(performance.now() - began);
    this.context.log("debug", "http", { method: request.method ?? "", status: response.statusCode, ms });
  }

  /** Takes no more requests, and resolves when the calls under way have been answered. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#slots.idle();
  }

  /** Cuts the calls off that are still under way, and resolves when each has been told so. */
  async cut(): Promise<void> {
    this.#sessions.cut();
    await this.#modern.cut();
    await this.#slots.idle();
  }

  /** Ends every session and stream. */
  async close(): Promise<void> {
    this.#isDraining = true;
    clearInterval(this.#looks);
    await Promise.all([this.#sessions.close(), this.#modern.close()]);
  }

  /**
   * A request shows its token, an open stream does not: what belongs to one that was taken back is ended. Missing once is
   * not enough, because a file that is being written is empty for a moment.
   */
  #endWithoutToken(): void {
    const holders = new Set([...this.#sessions.holders(), ...this.#modern.holders()]);
    const missing = new Set(this.context.tokens.withoutToken(holders));
    for (const holder of missing) {
      if (!this.#missing.has(holder)) continue;
      this.context.log("info", "what belonged to a token that was removed is gone");
      this.#sessions.end(holder);
      this.#modern.end(holder);
    }
    this.#missing = missing;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<Answer> {
    const { headers } = request;
    const head: Head = {
      method: request.method ?? "",
      path: (request.url ?? "").split("?", 1)[0] ?? "",
      headers,
    };
    if (isHealthQuestion(head, this.#http)) return this.#health();
    const checked = checkHead(head, this.#http, this.context.tokens.authenticate);
    if ("status" in checked) return new Response(null, checked);
    const bytes = head.method === "POST" ? await readBody(request, this.#http.maxBodyBytes) : Buffer.alloc(0);
    if (bytes === undefined) return new Response(null, tooLarge);
    if (response.destroyed) throw new ClientGone();
    const body = parseBody(bytes);
    if (this.#isDraining && !isOfCallUnderWay(head.method, body))
      return new Response(null, { status: 503, headers: { ...later, Connection: "close" } });
    if (head.method === "POST" && body === undefined)
      return rpcError(400, -32700, "Parse error: the body is not JSON");
    const isStreamed = !this.#http.strict && acceptsStream(headers.accept);
    const { holder } = checked;
    const messages = body === undefined ? [] : messagesIn(body);
    const question: Question = { request, response, holder, body, messages, isStreamed };
    const { trace } = this.context;
    for (const message of messages) trace?.({ side: "mcp", direction: "received", message });
    const answer = await this.#route(question);
    if (answer === undefined) return undefined;
    const seen = trace
      ? tapResponse(answer, (message) => trace({ side: "mcp", direction: "sent", message }))
      : answer;
    return isStreamed ? seen : foldResponse(seen, Array.isArray(body));
  }

  async #route(question: Question): Promise<Answer> {
    const { request, body, messages, holder } = question;
    const revision = request.headers["mcp-protocol-version"]?.toString();
    const isModern = isModernRevision(revision ?? "") || messages.some(isModernMessage);
    if (isModern && !this.#http.strict) {
      const direct = () => this.#modern.answer(holder, request.headers, body, this.#exchange(question));
      return this.#within(
        question,
        undefined,
        () => direct() ?? this.#modern.handle(holder, asWeb(question), body),
      );
    }
    const refused = refuseRevision(revision, body, this.#http.strict);
    if (refused !== undefined) return refused;
    if (Array.isArray(body) && this.#http.strict)
      return rpcError(400, -32600, "Invalid Request: batches are not served");
    const name = request.headers["mcp-session-id"];
    if (name === undefined) return this.#open(question);
    const session = this.#sessions.find(String(name), holder);
    if (session === undefined) return rpcError(404, -32001, "Session not found");
    return this.#inSession(question, session);
  }

  /** The first request of a session, which must be its handshake. */
  async #open(question: Question): Promise<Response> {
    if (!isHandshake(question.body))
      return rpcError(400, -32000, "Bad Request: Mcp-Session-Id header is required");
    const { strict, olderHandshakes } = this.#http;
    const opening = strict ? strictHandshake(question.body, olderHandshakes) : question;
    if (opening instanceof Response) return opening;
    const session = await this.#sessions.begin(question.holder);
    if (session === undefined) return new Response(null, { status: 429, headers: later });
    return session.handle(asWeb(question), opening.body);
  }

  async #inSession(question: Question, session: HttpSession): Promise<Answer> {
    const { body, messages } = question;
    if (messages.some((message) => isNotification(message, "notifications/initialized")))
      session.isInitialized = true;
    const [message] = messages;
    const mayAsk =
      session.isInitialized || !isTable(message) || message.id === undefined || message.method === "ping";
    if (this.#http.strict && !mayAsk && typeof message.method === "string")
      return rpcError(200, -32600, "Not initialized", message);
    const ids = requestIds(messages);
    // Two requests of one id could not be told apart: one would get the other's answer.
    if (new Set(ids).size < ids.length || ids.some((id) => session.ids.has(id)))
      return rpcError(400, -32600, "Invalid Request: the id is in use");
    // Whoever waits for an answer in a session that is ended hears that.
    if (question.request.method === "DELETE") await session.cut();
    const direct = () => session.answer(body, this.#exchange(question));
    const answer = await this.#within(
      question,
      session,
      () => direct() ?? session.handle(asWeb(question), body),
    );
    for (const id of cancelledIds(messages)) session.endStream(id);
    return answer;
  }

  #exchange({ response, isStreamed }: Question): Exchange {
    return { response, isStreamed, trace: this.context.trace };
  }

  /**
   * Answers within the limits on calls: a slot is held until its answer is out, or, for a client that left, until its
   * call has ended. Without sessions a holder counts as one.
   */
  async #within(
    question: Question,
    session: HttpSession | undefined,
    answer: () => Promise<Answer>,
  ): Promise<Answer> {
    const { messages, response, holder } = question;
    const count = messages.filter((message) => isRequest(message, "tools/call")).length;
    const release = this.#slots.take(session ?? holder, count);
    if (release === undefined) return new Response(null, { status: 429, headers: later });
    const ids = session === undefined ? [] : requestIds(messages);
    for (const id of ids) session?.ids.add(id);
    const done = () => {
      release();
      for (const id of ids) session?.ids.delete(id);
    };
    response.once("close", () => {
      if (response.writableFinished || session === undefined) return done();
      // No answer could reach a client that has left, now or later: nothing is resumed.
      for (const id of ids) session.cancel(id);
      void session.calls.leave().then(done);
    });
    return answer();
  }

  #health(): Response {
    return this.#isDraining
      ? Response.json({ status: "ending" }, { status: 503 })
      : Response.json({ status: "ok" });
  }
}

/** The request for an SDK; a client that wants no stream is asked for none. */
function asWeb({ request, response, isStreamed }: Question): Request {
  return webRequest(request, response, isStreamed || request.method !== "POST" ? undefined : jsonOnly);
}

/** Whether it asks nothing new: what takes a call or a session back, and what answers a question of ours. */
function isOfCallUnderWay(method: string, body: unknown): boolean {
  if (method !== "POST") return method === "DELETE";
  return messagesIn(body).every((message) => isTable(message) && !("method" in message && "id" in message));
}
