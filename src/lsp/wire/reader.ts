/**
 * Reads LSP messages from a server's output and cannot be derailed: bytes that are no message are skipped up to the
 * next `Content-Length:` header. That is sound because JSON text never holds a raw line break inside a string, so a
 * real header cannot stand inside a body. Messages are handed on one per turn, and the stream is paused meanwhile.
 */
import type { Readable } from "node:stream";
import { AbstractMessageReader, type DataCallback, type Disposable, type Message } from "vscode-jsonrpc/node";
import {
  addressee,
  EDGE,
  findHeader,
  findWord,
  HEADER_MAX,
  headerAt,
  headerBegun,
  messageIn,
  plainHeaderAt,
  startsHeader,
  wordBegun,
} from "./frames.js";
import { Inbox } from "./inbox.js";

const QUEUE_HIGH = 256;
const QUEUE_LOW = 64;

/** Error code of the answer that stands in for one that cannot be used. */
export const UNREADABLE = -30_413;

/** What was skipped: text that is no message, or a message that cannot be used. */
export interface Skipped {
  kind: "junk" | "garbled" | "over-cap";
  text: string;
  /** Whether it may have been an answer, and nobody knows to what. */
  lost: boolean;
}

/** A step over the buffer: bytes used, a message perhaps, and `wanted` when more bytes are needed. */
interface Step {
  used: number;
  wanted?: number;
  message?: Message | undefined;
}

/** A message that is let by: what it was, how much of it is still to come, and its two ends. */
interface Passing {
  words: string;
  left: number;
  head: string;
  tail: Buffer;
}

export class ResyncReader extends AbstractMessageReader {
  readonly #input: Readable;
  readonly #maxBytes: number;
  readonly #onSkipped: (skipped: Skipped) => void;
  #queue: Message[] = [];
  #callback: DataCallback | undefined;
  #inbox = new Inbox();
  /** Size at which the next look is worth while: a whole header or the whole body may be there. */
  #wanted = 0;
  #passing: Passing | undefined;
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
    this.#inbox = new Inbox();
    this.#input.off("data", this.#onData);
    // The error listener stays: a late stream error must not become an uncaught one.
    this.#input.resume();
  }

  readonly #onData = (chunk: Buffer): void => {
    if (this.#takeWhole(chunk)) return;
    const inbox = this.#inbox;
    const { tail } = inbox;
    inbox.add(chunk);
    if (inbox.size < this.#wanted && !startsHeader(tail, chunk)) return;
    for (let isMore = true; isMore; ) {
      isMore = inbox.isSplit;
      this.#parse(inbox.take());
    }
    if (this.#queue.length >= QUEUE_HIGH) this.#input.pause();
    this.#pump();
  };

  /** Hands on a chunk that is one message and nothing else, as most are, when nothing waits before it. */
  #takeWhole(chunk: Buffer): boolean {
    if (this.#inbox.size > 0 || this.#passing !== undefined || this.#pumping) return false;
    const header = plainHeaderAt(chunk);
    if (header === undefined || header.length > this.#maxBytes) return false;
    if (header.size + header.length !== chunk.length) return false;
    const message = messageIn(chunk, header.size, chunk.length);
    if (message === undefined) return false;
    this.#deliver(message);
    return true;
  }

  readonly #onEnd = (): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#pump();
  };

  /** Takes all whole messages from the buffer and keeps the rest. */
  #parse(buffer: Buffer): void {
    let rest = buffer;
    for (;;) {
      const { used, wanted, message } = this.#next(rest);
      if (message) this.#queue.push(message);
      if (wanted === undefined && used === rest.length) {
        this.#wanted = 1;
        return;
      }
      rest = rest.subarray(used);
      if (wanted === undefined) continue;
      this.#wanted = wanted;
      this.#inbox.putBack(rest, wanted);
      return;
    }
  }

  #next(buffer: Buffer): Step {
    if (this.#passing) return this.#pass(buffer, this.#passing);
    const plain = plainHeaderAt(buffer);
    if (plain !== undefined) return this.#framed(buffer, plain);
    const at = findWord(buffer);
    if (at < 0) return { used: this.#junk(buffer, buffer.length - wordBegun(buffer)), wanted: 1 };
    if (at > 0) return { used: this.#junk(buffer, at) };
    const header = headerAt(buffer);
    if (!header) {
      const undecided = buffer.length < HEADER_MAX && findWord(buffer.subarray(1)) < 0;
      return undecided ? { used: 0, wanted: buffer.length + 1 } : { used: this.#junk(buffer, 15) };
    }
    return this.#framed(buffer, header);
  }

  /** What follows a header. */
  #framed(buffer: Buffer, { size: start, length }: { size: number; length: number }): Step {
    if (length > this.#maxBytes) return this.#overCap(buffer, start, length);
    if (buffer.length < start + length) {
      const cut = findHeader(buffer, start);
      if (cut < 0) return { used: 0, wanted: start + length };
      const message = this.#unreadable("garbled", `a message of ${length} bytes that ended early`, {
        head: edge(buffer.subarray(start, cut)),
        tail: "",
      });
      return { used: cut, message };
    }
    return this.#body(buffer, start, start + length);
  }

  #body(buffer: Buffer, start: number, end: number): Step {
    const message = messageIn(buffer, start, end);
    if (message) return { used: end, message };
    const header = findHeader(buffer, start);
    const cut = header >= 0 && header < end ? header : end;
    const body = buffer.subarray(start, cut);
    const words = `a message of ${end - start} bytes that is not a JSON object`;
    const tail = cut === end ? body.toString("utf8", Math.max(0, body.length - EDGE)) : "";
    return { used: cut, message: this.#unreadable("garbled", words, { head: edge(body), tail }) };
  }

  /** Lets a message over the cap by. Its request is answered in its place, so that nobody waits for it. */
  #overCap(buffer: Buffer, start: number, length: number): Step {
    if (buffer.length < start + EDGE && findHeader(buffer, start) < 0 && !this.#ended) {
      return { used: 0, wanted: Math.min(start + length, start + EDGE) };
    }
    const words = `a message of ${length} bytes, over the limit of ${this.#maxBytes}`;
    const head = edge(buffer.subarray(start));
    this.#passing = { words, left: length, head, tail: Buffer.alloc(0) };
    if (addressee(head, "") === "unknown") return { used: start };
    // Whose it is stands at its beginning: the rest has nothing more to tell.
    const message = this.#unreadable("over-cap", words, { head, tail: "" });
    this.#passing.words = "";
    return { used: start, message };
  }

  /** Lets bytes by up to the message's end, or to a header that stands before it. */
  #pass(buffer: Buffer, passing: Passing): Step {
    const header = findHeader(buffer, 0);
    const whole = header < 0 ? buffer.length - headerBegun(buffer) : header;
    const used = Math.min(passing.left, whole);
    passing.left -= used;
    passing.tail = Buffer.from(Buffer.concat([passing.tail, buffer.subarray(0, used)]).subarray(-EDGE));
    if (passing.left > 0 && header < 0) return { used, wanted: buffer.length - used + 1 };
    this.#passing = undefined;
    if (passing.words === "") return { used };
    const tail = passing.left > 0 ? "" : passing.tail.toString("utf8");
    return { used, message: this.#unreadable("over-cap", passing.words, { head: passing.head, tail }) };
  }

  /** Tells of a message that cannot be used; gives the answer that stands in for it, when it is known whose it was. */
  #unreadable(
    kind: Skipped["kind"],
    words: string,
    { head, tail }: { head: string; tail: string },
  ): Message | undefined {
    const to = addressee(head, tail);
    this.#onSkipped({ kind, text: words, lost: to === "unknown" });
    if (typeof to === "string") return undefined;
    return { jsonrpc: "2.0", id: to, error: { code: UNREADABLE, message: words } } as Message;
  }

  #junk(buffer: Buffer, used: number): number {
    const text = buffer.toString("utf8", 0, Math.min(used, 400)).trim();
    if (text !== "") this.#onSkipped({ kind: "junk", text, lost: false });
    return used;
  }

  /** Hands on one message per turn, the first at once, as fast as the connection takes them. */
  #pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    const turn = (): void => {
      const message = this.#shift();
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
    turn();
  }

  /** The first message. To shift the only one would make V8 give the room of the list back, which takes longer than all else here. */
  #shift(): Message | undefined {
    if (this.#queue.length > 1) return this.#queue.shift();
    const message = this.#queue[0];
    this.#queue = [];
    return message;
  }

  #deliver(message: Message): void {
    try {
      this.#callback?.(message);
    } catch (error) {
      const text = error instanceof Error ? error.message : "unusable message";
      this.#onSkipped({ kind: "garbled", text, lost: false });
    }
  }
}

/** The beginning of a body, as text. */
function edge(body: Buffer): string {
  return body.toString("utf8", 0, EDGE);
}
