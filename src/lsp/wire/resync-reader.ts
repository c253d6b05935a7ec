/**
 * Reads LSP messages from a server's output. Bytes that are no message are skipped up to the next `Content-Length:`
 * header, and messages over the size limit are dropped. This is safe because JSON strings hold no raw line breaks, so a
 * header cannot occur inside a valid body.
 */
import type { Readable } from "node:stream";
import { AbstractMessageReader, type DataCallback, type Disposable, type Message } from "vscode-jsonrpc/node";
import {
  EDGE,
  findHeader,
  partialHeader,
  readMessage,
  requestId,
  startsHeader,
  unreadableReply,
} from "./message-format.js";

/** Parsing lets other work run after this long. */
const SLICE_MS = 8;
/** Smaller chunks are joined, so that a server that writes byte by byte costs no more than its bytes. */
const SMALL_CHUNK = 4_096;
const JOINED_CHUNK = 65_536;
/** Larger messages take long to parse: each has a turn of the event loop of its own. */
const LARGE = 1_048_576;

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
  /** Whether the chunks may contain another whole message. */
  #isUnparsed = false;
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
    this.#isUnparsed = false;
    this.input.off("data", this.#onData);
    this.input.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    const before = this.#chunks.at(-1);
    this.#append(before, chunk);
    if (this.#size < this.#needs && !startsHeader(before, chunk)) return;
    if (this.#size >= LARGE) this.#isUnparsed = true;
    else this.#parse();
    this.#deliver();
  };

  /** Parses in a turn of its own, and delivers in a later one. */
  #parseAlone(): void {
    this.#isDelivering = true;
    this.input.pause();
    runInOwnTurn(() => {
      this.#parse();
      setImmediate(() => {
        this.#isDelivering = false;
        this.#deliver();
      });
    });
  }

  #append(last: Buffer | undefined, chunk: Buffer): void {
    this.#size += chunk.length;
    const isJoined =
      last !== undefined && chunk.length < SMALL_CHUNK && last.length + chunk.length <= JOINED_CHUNK;
    if (isJoined) this.#chunks[this.#chunks.length - 1] = Buffer.concat([last, chunk]);
    else this.#chunks.push(chunk);
  }

  readonly #onEnd = (): void => {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#deliver();
  };

  /** Queues the complete messages, for one slice of time, and keeps the rest. */
  #parse(): void {
    const until = performance.now() + SLICE_MS;
    const [first] = this.#chunks;
    let rest = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    let needs: number | undefined;
    while (rest.length > 0 && needs === undefined && performance.now() < until) {
      const step = this.#next(rest);
      if (step.message) this.#queue.push(step.message);
      rest = rest.subarray(step.used);
      needs = step.needs;
    }
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    this.#needs = needs ?? 1;
    this.#isUnparsed = rest.length > 0 && needs === undefined;
  }

  /** Delivers one message per turn. The stream is paused while messages wait, so that a flood stays bounded. */
  #deliver(): void {
    if (this.#isDelivering) return;
    if (this.#queue.length === 0 && this.#isUnparsed) {
      if (this.#size >= LARGE) {
        this.#parseAlone();
        return;
      }
      this.#parse();
    }
    const message = this.#queue.shift();
    if (message) this.#handOver(message);
    if (this.#queue.length > 0 || this.#isUnparsed || (message && this.#hasEnded)) {
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
    const header = findHeader(buffer);
    if (!header) return { used: this.#junk(buffer, buffer.length - partialHeader(buffer)), needs: 1 };
    if (header.at > 0) return { used: this.#junk(buffer, header.at) };
    return this.#body(buffer, header.size, header.size + header.length);
  }

  /** The message whose body is between two offsets. A header before its end means that it was cut short. */
  #body(buffer: Buffer, start: number, end: number): Step {
    const length = end - start;
    if (length > this.maxBytes) return this.#overLimit(buffer, start, length);
    const isWhole = buffer.length >= end;
    const message = isWhole ? readMessage(buffer.toString("utf8", start, end)) : "ended early";
    if (typeof message !== "string") return { used: end, message };
    const next = findHeader(buffer, start, Math.min(end, buffer.length));
    if (!isWhole && next === undefined) return { used: 0, needs: end };
    const text = `a message of ${length} bytes that ${message}`;
    const body = buffer.subarray(start, next?.at ?? end);
    const tail = next ? "" : body.toString("utf8", Math.max(0, body.length - EDGE));
    const used = next?.at ?? end;
    return { used, message: this.#unreadable("garbled", text, headOf(body), tail) };
  }

  /** Starts dropping a message over the limit, once enough of it is there to see whose reply it is. */
  #overLimit(buffer: Buffer, start: number, length: number): Step {
    if (buffer.length < start + EDGE && findHeader(buffer, start) === undefined && !this.#hasEnded)
      return { used: 0, needs: start + Math.min(length, EDGE) };
    const text = `a message of ${length} bytes, over the limit of ${this.maxBytes}`;
    const head = headOf(buffer.subarray(start));
    const isReported = requestId(head, "") !== "unknown";
    this.#dropped = { text, left: length, isReported, head, tail: Buffer.alloc(0) };
    return { used: start, message: isReported ? this.#unreadable("over-cap", text, head, "") : undefined };
  }

  /** Drops bytes up to the end of the message, or up to a header before it. */
  #drop(buffer: Buffer, dropped: Dropped): Step {
    const header = findHeader(buffer);
    const available = header?.at ?? buffer.length - partialHeader(buffer);
    const used = Math.min(dropped.left, available);
    dropped.left -= used;
    dropped.tail = Buffer.from(Buffer.concat([dropped.tail, buffer.subarray(0, used)]).subarray(-EDGE));
    if (dropped.left > 0 && header === undefined) return { used, needs: buffer.length - used + 1 };
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
    return unreadableReply(id, text);
  }

  #junk(buffer: Buffer, used: number): number {
    const text = buffer.toString("utf8", 0, Math.min(used, 400)).trim();
    if (text !== "") this.skip({ kind: "junk", text, lost: false });
    return used;
  }
}

const waiting: (() => void)[] = [];

/** Runs work in a turn of its own, so that timers run between the large messages of several servers. */
function runInOwnTurn(work: () => void): void {
  waiting.push(work);
  if (waiting.length === 1) setImmediate(runNext);
}

function runNext(): void {
  waiting[0]?.();
  waiting.shift();
  if (waiting.length > 0) setImmediate(runNext);
}

function headOf(body: Buffer): string {
  return body.toString("utf8", 0, EDGE);
}
