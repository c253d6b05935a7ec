/**
 * The MCP transport for stdio and inherited descriptors: one JSON message per line. Unlike the SDK's own it survives
 * lines that are too long or no JSON, answers what was asked before the input ended, and shows the first message early.
 * A client that does not read gets no progress and is not read from; one that stays so is disconnected.
 */
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { LineReader } from "../base/text.js";
import type { Trace } from "../lsp/types.js";

const MAX_LINE_BYTES = 4 * 1024 * 1024;
/** While this much output is unread, the client's input is not read. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
/** How long that may last before the client is disconnected: the end of its input is not seen meanwhile. */
const UNREAD_MS = 5_000;

export class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Resolves when the client has closed its side. */
  readonly ended: Promise<void>;
  /** Resolves when the transport is closed by either side, with the reason if the client did not read. */
  readonly closed: Promise<string | undefined>;

  readonly #lines: LineReader;
  #isClosed = false;
  #isReading = false;
  /** Runs while too much output is unread. */
  #unread: NodeJS.Timeout | undefined;
  /** Messages received before `start`; undefined afterwards. */
  #early: JSONRPCMessage[] | undefined = [];
  #onFirst: (message: JSONRPCMessage | undefined) => void = () => undefined;
  #onEnded: () => void = () => undefined;
  #onClosed: (reason?: string) => void = () => undefined;

  constructor(
    private readonly input: Readable,
    private readonly output: Writable,
    private readonly trace?: Trace,
  ) {
    const tooLong = `A message is longer than ${MAX_LINE_BYTES} bytes.`;
    this.#lines = new LineReader(MAX_LINE_BYTES, this.#read, () =>
      this.#reject(ErrorCode.InvalidRequest, tooLong),
    );
    this.ended = new Promise((resolve) => {
      this.#onEnded = resolve;
    });
    this.closed = new Promise((resolve) => {
      this.#onClosed = resolve;
    });
  }

  /** The client's first message, which is delivered again after `start`; undefined when the client is gone. */
  firstMessage(): Promise<JSONRPCMessage | undefined> {
    return new Promise((resolve) => {
      this.#onFirst = resolve;
      this.#listen();
    });
  }

  async start(): Promise<void> {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#listen();
    for (const message of early) this.onmessage?.(message);
    if (this.#unread === undefined) this.input.resume();
  }

  /** Writes a message. Progress is dropped while the client does not read: a later report says more. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed || !this.output.writable) return;
    if (this.output.writableNeedDrain && "method" in message && message.method === "notifications/progress")
      return;
    this.trace?.({ side: "mcp", direction: "sent", message });
    this.output.write(`${JSON.stringify(message)}\n`);
    if (this.output.writableLength > MAX_UNREAD_BYTES) this.#pause();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#unread);
    this.input.off("data", this.#lines.push);
    this.input.pause();
    this.#onFirst(undefined);
    this.onclose?.();
    this.#onClosed();
  }

  #listen(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.input.on("data", this.#lines.push);
    this.input.once("end", this.#end);
    this.input.once("close", this.#end);
    this.input.once("error", this.#fail);
    // A broken pipe is the normal end of a client that no longer reads.
    this.output.once("error", this.#fail);
    this.output.once("close", this.#fail);
    this.output.on("drain", this.#resume);
  }

  #pause(): void {
    this.input.pause();
    this.#unread ??= setTimeout(() => {
      this.#onClosed("the client does not read its answers; it is disconnected");
      void this.close();
    }, UNREAD_MS);
  }

  readonly #resume = (): void => {
    if (this.#unread === undefined) return;
    clearTimeout(this.#unread);
    this.#unread = undefined;
    // A first message waits for `start`.
    if (!this.#isClosed && !this.#early?.length) this.input.resume();
  };

  readonly #end = (): void => {
    this.#onFirst(undefined);
    this.#onEnded();
  };

  readonly #fail = (error?: Error): void => {
    if (this.#isClosed) return;
    if (error !== undefined) this.onerror?.(error);
    void this.close();
  };

  readonly #read = (text: string): void => {
    if (this.#isClosed) return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#reject(ErrorCode.ParseError, "The message is not JSON.");
      return;
    }
    this.trace?.({ side: "mcp", direction: "received", message: value });
    const message = JSONRPCMessageSchema.safeParse(value);
    if (!message.success) this.#reject(ErrorCode.InvalidRequest, "The message is not JSON-RPC 2.0.");
    else if (this.#early === undefined) this.onmessage?.(message.data);
    else {
      this.#early.push(message.data);
      this.input.pause();
      this.#onFirst(message.data);
    }
  };

  /** Answers a line without a usable id. JSON-RPC wants the id null here, which the SDK's type does not allow. */
  #reject(code: number, message: string): void {
    const answer = { jsonrpc: "2.0", id: null, error: { code, message } };
    void this.send(answer as unknown as JSONRPCMessage);
  }
}
