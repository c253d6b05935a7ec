/**
 * Reads LSP messages from a server's output. Bytes that are no message are skipped up to the next `Content-Length:`
 * header, and messages over the size limit are dropped. This is safe because JSON strings hold no raw line breaks, so a
 * header cannot occur inside a valid body.
 */
import type { Readable } from "node:stream";
import { AbstractMessageReader, type DataCallback, type Disposable, type Message } from "vscode-jsonrpc/node";
import { isTable } from "../../base/json.js";

const NAME = "Content-Length:";
const HEADER = /^Content-Length:[ \t]*(\d{1,15})[ \t]*\r?\n(?:[A-Za-z-]+:[^\r\n]{0,256}\r?\n){0,8}\r?\n/i;
const MAX_HEADER = 2_048;
/** The id of a reply is looked for in this many bytes at each end of a body that cannot be parsed. */
const EDGE = 256;
/** Most servers write the id before the result, some write it last. */
const ID_FIRST = /^\s*\{[^{}[\]]*?"id"\s*:\s*(\d+)/;
const ID_LAST = /[{,]\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;
const METHOD_FIRST = /^\s*\{[^{}[\]]*?"method"\s*:/;

/** Error code of the reply that replaces one that cannot be used. */
export const UNREADABLE = -30_413;

/** Output that was skipped: text that is no message, or a message that cannot be used. */
export interface Skipped {
  kind: "junk" | "garbled" | "over-cap";
  text: string;
  /** Whether it may have been a reply to a request that cannot be identified. */
  lost: boolean;
}

/** One parsing step: bytes consumed, a message if there was one, and how many bytes the next step needs. */
interface Step {
  used: number;
  needs?: number;
  message?: Message | undefined;
}

/** A message over the size limit, of which the rest is dropped as it arrives. */
interface Dropped {
  text: string;
  left: number;
  isReported: boolean;
  head: string;
  tail: Buffer;
}

export class ResyncReader extends AbstractMessageReader {
  #callback: DataCallback | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Bytes needed before parsing can go on: avoids joining the chunks of a large message again and again. */
  #needs = 1;
  #dropped: Dropped | undefined;
  #queue: Message[] = [];
  #isDelivering = false;
  #hasEnded = false;

  constructor(
    private readonly input: Readable,
    private readonly maxBytes: number,
    private readonly skip: (skipped: Skipped) => void,
  ) {
    super();
  }

  listen(callback: DataCallback): Disposable {
    this.#callback = callback;
    this.input.on("data", this.#onData);
    for (const event of ["end", "close", "error"]) this.input.on(event, this.#onEnd);
    return { dispose: () => this.#stop() };
  }

  override dispose(): void {
    this.#stop();
    super.dispose();
  }

  /** The error listener stays, so that a late stream error is not an uncaught exception. */
  #stop(): void {
    this.#callback = undefined;
    this.#queue = [];
    this.#chunks = [];
    this.input.off("data", this.#onData);
    this.input.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    const before = this.#chunks.at(-1);
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#needs && !startsHeader(before, chunk)) return;
    this.#parse(before === undefined ? chunk : Buffer.concat(this.#chunks));
    this.#deliver();
  };

  readonly #onEnd = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#deliver();
  };

  /** Queues every complete message of the buffer and keeps the rest. */
  #parse(buffer: Buffer): void {
    let rest = buffer;
    let needs: number | undefined;
    while (rest.length > 0 && needs === undefined) {
      const step = this.#next(rest);
      if (step.message) this.#queue.push(step.message);
      rest = rest.subarray(step.used);
      needs = step.needs;
    }
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    this.#needs = needs ?? 1;
  }

  /** Delivers one message per turn. The stream is paused while messages wait, so that a flood stays bounded. */
  #deliver(): void {
    if (this.#isDelivering) return;
    const message = this.#queue.shift();
    if (message) this.#handOver(message);
    if (this.#queue.length > 0 || (message && this.#hasEnded)) {
      this.#isDelivering = true;
      this.input.pause();
      setImmediate(() => {
        this.#isDelivering = false;
        this.#deliver();
      });
      return;
    }
    if (this.input.isPaused() && this.#callback) this.input.resume();
    // One turn later, so that the connection has handled the last message before it is closed.
    if (this.#hasEnded) setImmediate(() => this.fireClose());
  }

  #handOver(message: Message): void {
    try {
      this.#callback?.(message);
    } catch (error) {
      const text = error instanceof Error ? error.message : "a message that cannot be handled";
      this.skip({ kind: "garbled", text, lost: false });
    }
  }

  #next(buffer: Buffer): Step {
    if (this.#dropped) return this.#drop(buffer, this.#dropped);
    const at = findName(buffer);
    if (at < 0) return { used: this.#junk(buffer, buffer.length - partialHeader(buffer)), needs: 1 };
    if (at > 0) return { used: this.#junk(buffer, at) };
    const header = headerAt(buffer);
    if (header) return this.#body(buffer, header.size, header.size + header.length);
    const isIncomplete = buffer.length < MAX_HEADER && findName(buffer.subarray(1)) < 0;
    return isIncomplete ? { used: 0, needs: buffer.length + 1 } : { used: this.#junk(buffer, NAME.length) };
  }

  /** The message whose body is between two offsets. A header before its end means that it was cut short. */
  #body(buffer: Buffer, start: number, end: number): Step {
    const length = end - start;
    if (length > this.maxBytes) return this.#overLimit(buffer, start, length);
    const isWhole = buffer.length >= end;
    const message = isWhole ? parseMessage(buffer.toString("utf8", start, end)) : undefined;
    if (message) return { used: end, message };
    const header = findHeader(buffer, start);
    const isCut = header >= 0 && header < end;
    if (!isWhole && !isCut) return { used: 0, needs: end };
    const text = `a message of ${length} bytes that ${isWhole ? "is not a JSON object" : "ended early"}`;
    const body = buffer.subarray(start, isCut ? header : end);
    const tail = isCut ? "" : body.toString("utf8", Math.max(0, body.length - EDGE));
    return { used: isCut ? header : end, message: this.#unreadable("garbled", text, headOf(body), tail) };
  }

  /** Starts dropping a message over the limit, once enough of it is there to see whose reply it is. */
  #overLimit(buffer: Buffer, start: number, length: number): Step {
    if (buffer.length < start + EDGE && findHeader(buffer, start) < 0 && !this.#hasEnded)
      return { used: 0, needs: start + Math.min(length, EDGE) };
    const text = `a message of ${length} bytes, over the limit of ${this.maxBytes}`;
    const head = headOf(buffer.subarray(start));
    const isReported = requestId(head, "") !== "unknown";
    this.#dropped = { text, left: length, isReported, head, tail: Buffer.alloc(0) };
    return { used: start, message: isReported ? this.#unreadable("over-cap", text, head, "") : undefined };
  }

  /** Drops bytes up to the end of the message, or up to a header before it. */
  #drop(buffer: Buffer, dropped: Dropped): Step {
    const header = findHeader(buffer, 0);
    const available = header < 0 ? buffer.length - partialHeader(buffer) : header;
    const used = Math.min(dropped.left, available);
    dropped.left -= used;
    dropped.tail = Buffer.from(Buffer.concat([dropped.tail, buffer.subarray(0, used)]).subarray(-EDGE));
    if (dropped.left > 0 && header < 0) return { used, needs: buffer.length - used + 1 };
    this.#dropped = undefined;
    if (dropped.isReported) return { used };
    const tail = dropped.left > 0 ? "" : dropped.tail.toString("utf8");
    return { used, message: this.#unreadable("over-cap", dropped.text, dropped.head, tail) };
  }

  /** Reports a message that cannot be used, and returns an error reply in its place when its id is known. */
  #unreadable(kind: Skipped["kind"], text: string, head: string, tail: string): Message | undefined {
    const id = requestId(head, tail);
    this.skip({ kind, text, lost: id === "unknown" });
    if (typeof id === "string") return undefined;
    return { jsonrpc: "2.0", id, error: { code: UNREADABLE, message: text } } as Message;
  }

  #junk(buffer: Buffer, used: number): number {
    const text = buffer.toString("utf8", 0, Math.min(used, 400)).trim();
    if (text !== "") this.skip({ kind: "junk", text, lost: false });
    return used;
  }
}

/** The message in a body. A reply with neither result nor error means null to some servers. */
function parseMessage(body: string): Message | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isTable(value)) return undefined;
  const isReply = value.method === undefined && value.id !== undefined;
  const isNull = isReply && value.result === undefined && (value.error === undefined || value.error === null);
  return (isNull ? { ...value, result: null } : value) as unknown as Message;
}

/** The id of the request that an unreadable message replies to; "none" when it is no reply. */
function requestId(head: string, tail: string): number | "none" | "unknown" {
  if (METHOD_FIRST.test(head)) return "none";
  const id = (ID_FIRST.exec(head) ?? ID_LAST.exec(tail))?.[1];
  return id === undefined ? "unknown" : Number(id);
}

function headOf(body: Buffer): string {
  return body.toString("utf8", 0, EDGE);
}

/** The header at the start of the buffer: its own size and the length of the body. */
function headerAt(buffer: Buffer): { size: number; length: number } | undefined {
  const match = HEADER.exec(buffer.toString("latin1", 0, MAX_HEADER));
  return match ? { size: match[0].length, length: Number(match[1]) } : undefined;
}

/** The offset of `Content-Length:` in any case, or -1. */
function findName(buffer: Buffer): number {
  const exact = buffer.indexOf(NAME);
  if (exact === 0) return 0;
  const other = buffer.toString("latin1", 0, exact < 0 ? buffer.length : exact).search(/Content-Length:/i);
  return other < 0 ? exact : other;
}

/** How many bytes at the end may be the beginning of a header. */
function partialHeader(buffer: Buffer): number {
  const name = buffer.lastIndexOf(NAME);
  if (name >= 0 && buffer.length - name < MAX_HEADER) return buffer.length - name;
  const tail = buffer.toString("latin1", Math.max(0, buffer.length - NAME.length + 1)).toLowerCase();
  for (let length = tail.length; length > 0; length--)
    if (NAME.toLowerCase().startsWith(tail.slice(-length))) return length;
  return 0;
}

/** The offset of the first complete header at or after `from`, or -1. */
function findHeader(buffer: Buffer, from: number): number {
  for (let at = buffer.indexOf(NAME, from); at >= 0; at = buffer.indexOf(NAME, at + 1))
    if (headerAt(buffer.subarray(at))) return at;
  return -1;
}

/** Whether a complete header begins in this chunk, or shortly before it: the message before it was cut short. */
function startsHeader(before: Buffer | undefined, chunk: Buffer): boolean {
  if (findHeader(chunk, 0) >= 0) return true;
  const tail = before?.subarray(-64);
  return tail !== undefined && findHeader(Buffer.concat([tail, chunk.subarray(0, MAX_HEADER)]), 0) >= 0;
}
