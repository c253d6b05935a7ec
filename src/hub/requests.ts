/**
 * The requests that are not answered yet, in both directions. With them a session goes on after its hub has ended: the
 * handshake and the subscriptions are repeated, reading calls are asked again, other calls are marked so that the next
 * hub refuses them.
 */
import { isTable } from "../base/json.js";
import { INTERRUPTED, INTERRUPTED_TEXT } from "./interrupted.js";

type Id = string | number;

interface Message {
  readonly [member: string]: unknown;
}

interface Pending {
  message: Message;
  line: string;
  /** How often it was asked again. */
  repeats: number;
  /** Whether a hub that has ended was asked. */
  hasBegun?: boolean;
}

/** A request that ended this many hubs is not asked again. */
const MAX_REPEATS = 2;
/** JSON-RPC's first code for errors of a server. */
const REFUSED = -32000;
/**
 * The request of protocol 2026-07-28 that stays open for notifications, and the member that names it in each of them.
 */
const LISTEN = "subscriptions/listen";
const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const UPDATED = "notifications/resources/updated";
const TOOLS_CHANGED = "notifications/tools/list_changed";

export class PendingRequests {
  /** The client's, by id. */
  readonly #asked = new Map<Id, Pending>();
  #handshake: { line: string; id: Id } | undefined;
  #initialized: string | undefined;
  /** The resources that the client has subscribed to, by URI. */
  readonly #subscribed = new Map<unknown, { line: string; id: Id }>();
  /** Requests repeated for a new hub, and the line for the client in place of the answer. */
  readonly #repeated = new Map<Id, string | undefined>();
  /** The questions of the hub to the client, by the id that the client sees: each hub counts from zero. */
  readonly #questions = new Map<string, Id>();
  #count = 0;
  /** The progress that was sent to the client, by token; and what was sent when the last hub ended. */
  readonly #progress = new Map<unknown, { sent: number; before: number }>();

  /** Whether a request of the client waits for its answer. One that only listens gets none. */
  get isBusy(): boolean {
    return [...this.#asked.values()].some((pending) => !isListening(pending));
  }

  /** The lines that tell the client of other tools: after its handshake, or for each request that listens. */
  toolsChanged(): string[] {
    const line = (params?: Message) => JSON.stringify({ jsonrpc: "2.0", method: TOOLS_CHANGED, params });
    if (this.#initialized !== undefined) return [line()];
    const listening = [...this.#asked].filter(([, pending]) => isListening(pending));
    return listening.flatMap(([id, { message }]) => {
      const { notifications } = isTable(message.params) ? message.params : {};
      const isWanted = isTable(notifications) && notifications.toolsListChanged === true;
      return isWanted ? [line({ _meta: { [SUBSCRIPTION]: id } })] : [];
    });
  }

  /** Notes a message of the client. Gives the line for the hub; undefined where no hub waits for it. */
  fromClient(line: string, message: unknown): string | undefined {
    if (!isTable(message)) return line;
    const { id, method } = message;
    if ("result" in message || "error" in message) return this.#answerFromClient(message);
    if (isId(id)) {
      // An invalid request is answered without its id, so it would wait for ever.
      if (!isRequest(message)) return line;
      if (method === "initialize") this.#handshake = { line, id };
      const { uri } = isTable(message.params) ? message.params : {};
      if (method === "resources/subscribe") this.#subscribed.set(uri, { line, id });
      if (method === "resources/unsubscribe") this.#subscribed.delete(uri);
      this.#asked.set(id, { message, line, repeats: 0 });
    } else if (method === "notifications/initialized") this.#initialized = line;
    else if (method === "notifications/cancelled") {
      const { requestId } = isTable(message.params) ? message.params : {};
      // The cancellation of what was answered must not be the first message to a new hub.
      return isId(requestId) && this.#forget(requestId) ? line : undefined;
    }
    return line;
  }

  #answerFromClient(message: Message): string | undefined {
    const id = typeof message.id === "string" ? this.#questions.get(message.id) : undefined;
    if (id === undefined) return undefined;
    this.#questions.delete(String(message.id));
    return JSON.stringify({ ...message, id });
  }

  /**
   * Notes a message of the hub. Gives the line for the client; undefined for the answer to a repeated handshake, and
   * when an ending hub closes a subscription, which the next hub continues.
   */
  fromHub(line: string, message: unknown, isLeft = false): string | undefined {
    if (!isTable(message)) return line;
    const { id, method } = message;
    if (method === "notifications/progress") return this.#progressLine(line, message);
    if (!isId(id)) return line;
    if (method !== undefined) {
      const shown = `lsp-proxy-${++this.#count}`;
      this.#questions.set(shown, id);
      return JSON.stringify({ ...message, id: shown });
    }
    if (this.#repeated.has(id)) {
      const instead = this.#repeated.get(id);
      this.#repeated.delete(id);
      return instead;
    }
    const pending = this.#asked.get(id);
    if (isLeft && pending !== undefined && isListening(pending)) return undefined;
    this.#forget(id);
    return line;
  }

  /** Progress must not go back when a call is asked again. */
  #progressLine(line: string, message: Message): string {
    const params = isTable(message.params) ? message.params : {};
    const known = this.#progress.get(params.progressToken) ?? { sent: 0, before: 0 };
    known.sent = known.before + Number(params.progress);
    this.#progress.set(params.progressToken, known);
    if (known.before === 0) return line;
    return JSON.stringify({ ...message, params: { ...params, progress: known.sent } });
  }

  /** Gives whether there was such a request. */
  #forget(id: Id): boolean {
    const { params } = this.#asked.get(id)?.message ?? {};
    if (isTable(params) && isTable(params._meta)) this.#progress.delete(params._meta.progressToken);
    return this.#asked.delete(id);
  }

  /** The hub is gone: the lines that tell the client to forget the hub's own requests. */
  hubLost(): string[] {
    const lines = [...this.#questions.keys()].map((requestId) =>
      JSON.stringify({
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId, reason: "The request is asked again where it is needed." },
      }),
    );
    this.#questions.clear();
    this.#repeated.clear();
    for (const pending of this.#asked.values()) pending.hasBegun = true;
    for (const known of this.#progress.values()) known.before = known.sent;
    return lines;
  }

  /** No hub is available: returns error lines for pending requests; subscriptions are kept for the next hub. */
  refuse(why: string, reads: ReadonlySet<string>): string[] {
    const refused = [...this.#asked].filter(([, pending]) => !isListening(pending));
    return refused.map(([id, pending]) => {
      if (isHandshake(pending)) this.#handshake = undefined;
      this.#forget(id);
      const mayBeDone = pending.hasBegun === true && !isRead(pending.message, reads);
      const message = mayBeDone ? `${why} ${INTERRUPTED_TEXT}` : why;
      return JSON.stringify({ jsonrpc: "2.0", id, error: { code: REFUSED, message } });
    });
  }

  /** The lines for a new hub: the handshake, and the requests without an answer. */
  repeat(reads: ReadonlySet<string>): string[] {
    const lines: string[] = [];
    if (this.#handshake !== undefined) {
      const { id, line } = this.#handshake;
      if (!this.#asked.has(id)) {
        this.#repeated.set(id, undefined);
        lines.push(line);
      }
    }
    for (const pending of this.#asked.values()) if (isHandshake(pending)) lines.push(pending.line);
    if (this.#initialized !== undefined) lines.push(this.#initialized);
    for (const [uri, { id, line }] of this.#subscribed) {
      if (this.#asked.has(id)) continue;
      // It may have changed while no hub watched it.
      this.#repeated.set(id, JSON.stringify({ jsonrpc: "2.0", method: UPDATED, params: { uri } }));
      lines.push(line);
    }
    for (const pending of this.#asked.values()) {
      if (isHandshake(pending)) continue;
      const mayRepeat =
        isListening(pending) || (pending.repeats++ < MAX_REPEATS && isRead(pending.message, reads));
      lines.push(mayRepeat ? pending.line : interrupted(pending.message));
    }
    return lines;
  }
}

function isId(value: unknown): value is Id {
  return typeof value === "string" || typeof value === "number";
}

function isRequest({ jsonrpc, method, params }: Message): boolean {
  return jsonrpc === "2.0" && typeof method === "string" && (params === undefined || isTable(params));
}

function isHandshake({ message }: Pending): boolean {
  return message.method === "initialize";
}

function isListening({ message }: Pending): boolean {
  return message.method === LISTEN;
}

/** Whether a request changes nothing, so that it can be asked twice. */
function isRead({ method, params }: Message, reads: ReadonlySet<string>): boolean {
  return method !== "tools/call" || (isTable(params) && reads.has(String(params.name)));
}

/** The same request, marked as one that may have begun elsewhere. Only calls of tools know the mark. */
function interrupted(message: Message): string {
  const params = isTable(message.params) ? message.params : {};
  const meta = isTable(params._meta) ? params._meta : {};
  return JSON.stringify({ ...message, params: { ...params, _meta: { ...meta, [INTERRUPTED]: true } } });
}
