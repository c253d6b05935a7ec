/**
 * The answer to one plain call, written to its connection as Node has it, without a web stream between: in one piece, with
 * its length, unless the call tells its progress or, in a session, takes so long that its client should see that it was
 * heard. Without a session it is a document, as long as nothing came before it.
 */
import type { ServerResponse } from "node:http";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import { messageText } from "../../base/spelt.js";
import type { Trace } from "../../lsp/types.js";

/** Where an answer goes, and in which form. */
export interface Exchange {
  response: ServerResponse;
  /** Whether the client reads a stream of events, or wants one document. */
  isStreamed: boolean;
  trace: Trace | undefined;
}

/** After this a client is shown the head of its answer. */
const headMs = 1000;
/** How often a stream that has nothing to tell shows that it is still there, as often as the SDK's. */
const aliveMs = 15_000;
const alive = ": keepalive\n\n";
const streamHead = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};
const documentHead = { "content-type": "application/json" };

/** One answer, from the question to its last byte. */
export class DirectAnswer {
  /** Resolves when everything has been written, or there will be nothing more. */
  readonly done: Promise<void>;
  readonly #exchange: Exchange;
  readonly #session: string | undefined;
  #isStream: boolean;
  #settle: () => void = () => undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(exchange: Exchange, session: string | undefined) {
    this.#exchange = exchange;
    this.#session = session;
    this.#isStream = exchange.isStreamed && session !== undefined;
    this.done = new Promise((resolve) => {
      this.#settle = resolve;
    });
    if (this.#isStream) this.#timer = setTimeout(this.#show, headMs);
  }

  /** Writes the answer, which is the end, or what comes before it. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isOver) return;
    const { isStreamed, response, trace } = this.#exchange;
    const isAnswer = !("method" in message);
    if (!isAnswer && (!isStreamed || response.writableNeedDrain)) return;
    trace?.({ side: "mcp", direction: "sent", message });
    if (!isAnswer) this.#beStream();
    const text = messageText(message);
    const written = this.#isStream ? `event: message\ndata: ${text}\n\n` : text;
    if (isAnswer) this.#finish(200, written);
    else this.#part(written);
  }

  /** Ends what will have no answer: its call was taken back, or its session is gone. */
  end(): void {
    if (!this.#isOver) this.#finish(this.#isStream ? 200 : 204, "");
  }

  #finish(status: number, text: string): void {
    const { response } = this.#exchange;
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (!response.destroyed) {
      const length = status === 204 ? {} : { "content-length": Buffer.byteLength(text) };
      if (!response.headersSent) response.writeHead(status, this.#head(length));
      response.end(text);
    }
    this.#settle();
  }

  #beStream(): void {
    if (this.#isStream) return;
    this.#isStream = true;
    this.#timer = setTimeout(this.#show, aliveMs);
  }

  /** More follows: the length is not known, and the head goes first. */
  #part(text: string): void {
    const { response } = this.#exchange;
    if (!response.headersSent) response.writeHead(200, this.#head({}));
    response.write(text);
  }

  readonly #show = (): void => {
    const { response } = this.#exchange;
    if (response.headersSent) this.#part(alive);
    else {
      response.writeHead(200, this.#head({}));
      response.flushHeaders();
    }
    this.#timer = setTimeout(this.#show, aliveMs);
  };

  #head(more: { "content-length"?: number }): { [name: string]: string | number } {
    const form = this.#isStream ? streamHead : documentHead;
    return this.#session === undefined
      ? { ...form, ...more }
      : { ...form, "mcp-session-id": this.#session, ...more };
  }
}
