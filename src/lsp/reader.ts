/**
 * Reads LSP messages from a server's output and cannot be derailed: bytes that are no message are skipped up to the
 * next `Content-Length:` header. That is sound because JSON text never holds a raw line break inside a string, so a
 * real header cannot stand inside a body. Messages are handed on one per turn, and the stream is paused meanwhile.
 */
import type { Readable } from "node:stream";
import { AbstractMessageReader, type DataCallback, type Disposable, type Message } from "vscode-jsonrpc/node";
import { isTable } from "../base/json.js";

const HEADER = /Content-Length:[ \t]*(\d{1,15})[ \t]*\r?\n(?:[A-Za-z-]+:[^\r\n]{0,256}\r?\n){0,8}\r?\n/i;
const HEADER_WORD = /Content-Length:/gi;
const HEADER_MAX = 2048;
const QUEUE_HIGH = 256;
const QUEUE_LOW = 64;

/** Error code of the answer that stands in for a message over the cap. */
export const OVER_CAP = -30_413;

/** What was skipped: text that is no message, or a message that cannot be used. */
export type Skipped = { kind: "junk"; text: string } | { kind: "garbled" | "over-cap"; text: string };

export class ResyncReader extends AbstractMessageReader {
  readonly #input: Readable;
  readonly #maxBytes: number;
  readonly #onSkipped: (skipped: Skipped) => void;
  readonly #queue: Message[] = [];
  #callback: DataCallback | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Size at which the next look is worth while: a whole header or the whole body may be there. */
  #wanted = 0;
  #pumping = false;
  #ended = false;

  constructor(input: Readable, maxBytes: number, onSkipped: (skipped: Skipped) => void) {
    super();
    this.#input = input;
    this.#maxBytes = maxBytes;
    this.#onSkipped = onSkipped;
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    this.#input.on("data", this.#onData);
    this.#input.on("error", this.#onEnd);
    this.#input.on("close", this.#onEnd);
    this.#input.on("end", this.#onEnd);
    return { dispose: () => this.#stop() };
  }

  override dispose(): void {
    this.#stop();
    super.dispose();
  }

  #stop(): void {
    this.#callback = undefined;
    this.#queue.length = 0;
    this.#chunks = [];
    this.#size = 0;
    this.#input.off("data", this.#onData);
    // The error listener stays: a late stream error must not become an uncaught one.
    this.#input.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    const broken = this.#wanted > 0 && startsHeader(this.#chunks.at(-1), chunk);
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#wanted && !broken) return;
    this.#parse(Buffer.concat(this.#chunks));
    if (this.#queue.length >= QUEUE_HIGH) this.#input.pause();
    this.#pump();
  };

  readonly #onEnd = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#pump();
  };

  /** Takes all whole messages from the buffer and keeps the rest. */
  #parse(buffer: Buffer): void {
    let rest = buffer;
    for (;;) {
      const step = this.#next(rest);
      if (step.message) this.#queue.push(step.message);
      rest = rest.subarray(step.used);
      if (step.wanted === undefined) continue;
      this.#wanted = step.wanted;
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#size = rest.length;
      return;
    }
  }

  /** One step over the buffer: bytes used, a message perhaps, and `wanted` when more bytes are needed. */
  #next(buffer: Buffer): { used: number; wanted?: number; message?: Message } {
    const at = findWord(buffer);
    if (at < 0) return { used: this.#junk(buffer, buffer.length - wordBegun(buffer)), wanted: 1 };
    if (at > 0) return { used: this.#junk(buffer, at) };
    const head = buffer.toString("latin1", 0, HEADER_MAX);
    const match = HEADER.exec(head);
    if (match?.index !== 0) {
      const undecided = buffer.length < HEADER_MAX && findWord(buffer.subarray(1)) < 0;
      return undecided ? { used: 0, wanted: buffer.length + 1 } : { used: this.#junk(buffer, 15) };
    }
    const start = match[0].length;
    const length = Number(match[1]);
    if (length > this.#maxBytes) return this.#overCap(buffer, start, length);
    if (buffer.length < start + length) {
      const cut = findHeader(buffer, start);
      if (cut < 0) return { used: 0, wanted: start + length };
      this.#onSkipped({ kind: "garbled", text: `a message of ${length} bytes ended early` });
      return { used: cut };
    }
    return this.#body(buffer, start, start + length);
  }

  #body(buffer: Buffer, start: number, end: number): { used: number; message?: Message } {
    const message = parse(buffer.toString("utf8", start, end));
    if (message) return { used: end, message };
    this.#onSkipped({ kind: "garbled", text: `a message of ${end - start} bytes is not a JSON object` });
    const cut = findHeader(buffer, start);
    return { used: cut >= 0 && cut < end ? cut : end };
  }

  /** Skips a message over the cap and answers its request in its place, so that nobody waits for it. */
  #overCap(
    buffer: Buffer,
    start: number,
    length: number,
  ): { used: number; wanted?: number; message?: Message } {
    if (buffer.length < start + 256 && findHeader(buffer, start) < 0 && !this.#ended) {
      return { used: 0, wanted: Math.min(start + length, start + 256) };
    }
    const text = `a message of ${length} bytes is over the limit of ${this.#maxBytes}`;
    this.#onSkipped({ kind: "over-cap", text });
    const id = /^\s*\{[^{}[\]]*?"id"\s*:\s*(\d+)/.exec(buffer.toString("utf8", start, start + 256))?.[1];
    const used = start;
    if (id === undefined) return { used };
    const error = { code: OVER_CAP, message: text };
    return { used, message: { jsonrpc: "2.0", id: Number(id), error } as Message };
  }

  #junk(buffer: Buffer, used: number): number {
    const text = buffer.toString("utf8", 0, Math.min(used, 400)).trim();
    if (text !== "") this.#onSkipped({ kind: "junk", text });
    return used;
  }

  /** Hands on one message per turn, as fast as the connection takes them. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    const turn = (): void => {
      const message = this.#queue.shift();
      if (message) this.#deliver(message);
      if (this.#queue.length <= QUEUE_LOW && this.#input.isPaused() && this.#callback) this.#input.resume();
      if (this.#queue.length > 0) {
        setImmediate(turn);
        return;
      }
      this.#pumping = false;
      // One more turn, so that the connection has handled the last message before it hears of the end.
      if (this.#ended) setImmediate(() => this.fireClose());
    };
    setImmediate(turn);
  }

  #deliver(message: Message): void {
    try {
      this.#callback?.(message);
    } catch (error) {
      this.#onSkipped({ kind: "garbled", text: error instanceof Error ? error.message : "unusable message" });
    }
  }
}

/** Where the word `Content-Length:` stands, in any case, or -1. */
function findWord(buffer: Buffer): number {
  const exact = buffer.indexOf("Content-Length:");
  if (exact === 0) return 0;
  const text = buffer.toString("latin1", 0, exact < 0 ? buffer.length : exact);
  HEADER_WORD.lastIndex = 0;
  return HEADER_WORD.exec(text)?.index ?? exact;
}

/** How many bytes at the end may be the beginning of the word. */
function wordBegun(buffer: Buffer): number {
  const tail = buffer.toString("latin1", Math.max(0, buffer.length - 14)).toLowerCase();
  for (let length = tail.length; length > 0; length--) {
    if ("content-length:".startsWith(tail.slice(-length))) return length;
  }
  return 0;
}

/** Where a whole header begins at or after `from`, or -1. */
function findHeader(buffer: Buffer, from: number): number {
  for (
    let at = buffer.indexOf("Content-Length:", from);
    at >= 0;
    at = buffer.indexOf("Content-Length:", at + 1)
  ) {
    if (HEADER.exec(buffer.toString("latin1", at, at + HEADER_MAX))?.index === 0) return at;
  }
  return -1;
}

/** Whether a header begins in this chunk or across its border: the body before it was cut short. */
function startsHeader(before: Buffer | undefined, chunk: Buffer): boolean {
  const tail = before?.subarray(Math.max(0, before.length - 64)) ?? Buffer.alloc(0);
  return findHeader(Buffer.concat([tail, chunk]), 0) >= 0;
}

/** The message in a body, or undefined. A reply with neither result nor error means null to some servers. */
function parse(text: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isTable(value)) return undefined;
  const silent = value.method === undefined && value.id !== undefined && value.error === undefined;
  return (silent && value.result === undefined ? { ...value, result: null } : value) as unknown as Message;
}
