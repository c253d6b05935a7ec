/**
 * MCP over two byte streams, one JSON message a line: stdin and stdout, or descriptors that a host passed on. The
 * reader is bounded, a line that is no message is answered and skipped, and the end of either stream closes the whole.
 */
import type { Readable, Writable } from "node:stream";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ErrorCode, type JSONRPCMessage, JSONRPCMessageSchema } from "@modelcontextprotocol/sdk/types.js";
import { messageText } from "../base/spelt.js";
import type { Trace } from "../lsp/types.js";

const newline = 10;
const longestLine = 4 * 1024 * 1024;

/** The SDK's transport over a pair of streams. */
export class StreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Sees each message first, and says whether it has taken it. */
  ontake?: (message: unknown) => boolean;
  /** Called when the client has closed its side: nothing more will come. */
  onend?: () => void;
  /** Resolves when the transport is closed, whoever closed it. */
  readonly closed: Promise<void>;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #trace: Trace | undefined;
  #chunks: Buffer[] = [];
  #length = 0;
  #isSkipping = false;
  #isClosed = false;
  /** Messages that came before the transport was started; undefined from then on. */
  #early: JSONRPCMessage[] | undefined = [];
  #isReading = false;
  #told: (message: JSONRPCMessage | undefined) => void = () => undefined;
  #settleClosed: () => void = () => undefined;

  constructor(input: Readable, output: Writable, trace?: Trace) {
    this.#input = input;
    this.#output = output;
    this.#trace = trace;
    this.closed = new Promise((resolve) => {
      this.#settleClosed = resolve;
    });
  }

  /** The client's first message, before anyone answers it: kept until the transport is started. None when there is no client any more. */
  opening(): Promise<JSONRPCMessage | undefined> {
    return new Promise((resolve) => {
      this.#told = resolve;
      if (this.#isClosed) resolve(undefined);
      else this.#begin();
    });
  }

  async start(): Promise<void> {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#begin();
    for (const message of early) this.onmessage?.(message);
    this.#input.resume();
  }

  #begin(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    this.#input.on("data", this.#read);
    this.#input.once("end", this.#ended);
    this.#input.once("close", this.#ended);
    this.#input.once("error", this.#failed);
    // A broken pipe means that nobody listens any more, which is an end and not an error.
    this.#output.once("error", this.#failed);
    this.#output.once("close", this.#failed);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed || !this.#output.writable) return;
    this.#trace?.({ side: "mcp", direction: "sent", message });
    const isFlowing = this.#output.write(`${messageText(message)}\n`);
    if (isFlowing) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        for (const event of ["drain", "close", "error"]) this.#output.off(event, done);
        resolve();
      };
      for (const event of ["drain", "close", "error"]) this.#output.once(event, done);
    });
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.off("data", this.#read);
    this.#input.pause();
    this.#chunks = [];
    this.#told(undefined);
    this.onclose?.();
    this.#settleClosed();
  }

  readonly #ended = (): void => {
    this.#told(undefined);
    this.onend?.();
  };

  readonly #failed = (error?: Error): void => {
    if (this.#isClosed) return;
    if (error !== undefined) this.onerror?.(error);
    void this.close();
  };

  readonly #read = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    let start = 0;
    while (start < bytes.length) {
      const end = bytes.indexOf(newline, start);
      // Most lines come whole, and by themselves.
      if (end >= 0 && end - start <= longestLine && this.#length === 0 && !this.#isSkipping)
        this.#line(bytes.toString("utf8", start, end));
      else {
        this.#take(bytes.subarray(start, end < 0 ? bytes.length : end));
        if (end >= 0) this.#gathered();
      }
      start = end < 0 ? bytes.length : end + 1;
    }
  };

  #take(part: Buffer): void {
    if (part.length === 0 || this.#isSkipping) return;
    this.#length += part.length;
    if (this.#length <= longestLine) {
      this.#chunks.push(part);
      return;
    }
    this.#isSkipping = true;
    this.#chunks = [];
    this.#refuse(ErrorCode.InvalidRequest, `A message is longer than ${longestLine} bytes.`);
  }

  /** The end of a line that came in parts. */
  #gathered(): void {
    const text = Buffer.concat(this.#chunks).toString("utf8");
    const isSkipped = this.#isSkipping;
    this.#chunks = [];
    this.#length = 0;
    this.#isSkipping = false;
    if (!isSkipped) this.#line(text);
  }

  #line(line: string): void {
    const text = line.trim();
    if (text === "" || this.#isClosed) return;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      this.#refuse(ErrorCode.ParseError, "The message is not JSON.");
      return;
    }
    this.#trace?.({ side: "mcp", direction: "received", message: value });
    if (this.#early === undefined && this.ontake?.(value)) return;
    const message = JSONRPCMessageSchema.safeParse(value);
    if (message.success) this.#deliver(message.data);
    else this.#refuse(ErrorCode.InvalidRequest, "The message is not JSON-RPC 2.0.");
  }

  #deliver(message: JSONRPCMessage): void {
    if (this.#early === undefined) {
      this.onmessage?.(message);
      return;
    }
    this.#early.push(message);
    // Whoever answers is being chosen; what comes in the meantime may stay in the pipe.
    this.#input.pause();
    this.#told(message);
  }

  /** Answers what has no usable id, as JSON-RPC says: with the id null, which the SDK's own type does not know. */
  #refuse(code: number, message: string): void {
    const answer = { jsonrpc: "2.0", id: null, error: { code, message } };
    void this.send(answer as unknown as JSONRPCMessage);
  }
}
