/**
 * Finds message headers in a server's output, and parses message bodies. It refuses JSON that is too deep or has too
 * many values. The time is linear in the bytes, whatever they are.
 */
import type { Message } from "vscode-jsonrpc/node";
import { isTable } from "../../base/json.js";

const NAME = "content-length:";
/** Further lines may not name the length again: a second name begins another header. */
const HEADER =
  /Content-Length:[ \t]{0,32}(\d{1,15})[ \t]{0,32}\r?\n(?:(?!Content-Length:)[A-Za-z-]{1,64}:[^\r\n]{0,256}\r?\n){0,8}\r?\n/gi;
/** A header is looked for in this many bytes from its first one. */
const MAX_HEADER = 2_048;
const FIRST_WINDOW = 4_096;
const MAX_WINDOW = 65_536;

/** A complete header: its offset, its own size, and the length of the body that follows. */
interface FrameHeader {
  at: number;
  size: number;
  length: number;
}

/** The first complete header that begins at or after `from` and before `to`. */
export function findHeader(buffer: Buffer, from = 0, to = buffer.length): FrameHeader | undefined {
  // A header is near in most cases: the first window is small.
  let window = FIRST_WINDOW;
  for (let at = from; at < to; at += window, window = MAX_WINDOW) {
    const text = buffer.toString("latin1", at, Math.min(at + window, to) + MAX_HEADER);
    HEADER.lastIndex = 0;
    const match = HEADER.exec(text);
    if (match === null || at + match.index >= to) continue;
    return { at: at + match.index, size: match[0].length, length: Number(match[1]) };
  }
  return undefined;
}

/** How many bytes at the end may be the beginning of a header. */
export function partialHeader(buffer: Buffer): number {
  const tail = buffer.toString("latin1", Math.max(0, buffer.length - MAX_HEADER)).toLowerCase();
  const name = tail.lastIndexOf(NAME);
  if (name >= 0) return tail.length - name;
  for (let length = Math.min(tail.length, NAME.length - 1); length > 0; length--)
    if (NAME.startsWith(tail.slice(-length))) return length;
  return 0;
}

/** Whether a complete header begins in this chunk, or shortly before it: the message before it was cut short. */
export function startsHeader(before: Buffer | undefined, chunk: Buffer): boolean {
  if (findHeader(chunk) !== undefined) return true;
  const tail = before?.subarray(-64);
  return tail !== undefined && findHeader(Buffer.concat([tail, chunk.subarray(0, MAX_HEADER)])) !== undefined;
}

/**
 * JSON levels of a message. Code that walks a value calls itself at each level, and the stack ends at some thousands.
 */
const MAX_LEVELS = 1_000;
/**
 * Parsing takes longer by the number of values than by that of the bytes, and longest for texts that V8 interns: names
 * of members and short strings that are new. At both bounds together it takes less than a second. The symbols of a file
 * of 8 MB have 3 million values and 20 names.
 */
const MAX_VALUES = 4_000_000;
const MAX_INTERNED = 500_000;
/** Strings up to this length are interned. */
const SHORT = 10;
/** A message of fewer bytes cannot reach the bounds. */
const MIN_COUNTED = 1_000_000;
/** The id of a reply is looked for in this many bytes at each end of a body that cannot be used. */
export const EDGE = 256;
/** Most servers write the id before the result, some write it last. */
const ID_FIRST = /^\s*\{[^{}[\]]*?"id"\s*:\s*(\d+)/;
const ID_LAST = /[{,]\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;
const METHOD_FIRST = /^\s*\{[^{}[\]]*?"method"\s*:/;
const [QUOTE, BACKSLASH, COMMA, COLON] = ['"', "\\", ",", ":"].map((character) => character.charCodeAt(0));

/** Error code of the reply that replaces one that cannot be read. */
export const UNREADABLE = -30_413;
/** Error code of the reply that replaces one that is neither a result nor an error. */
export const MALFORMED = -30_414;

/** The message in a body, or why it cannot be used. */
export function readMessage(body: string): Message | string {
  const excess = excessOf(body);
  if (excess !== undefined) return excess;
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return "is not a JSON object";
  }
  if (!isTable(value)) return "is not a JSON object";
  const { method, id, result, error } = value;
  const hasId = typeof id === "number" || typeof id === "string";
  if (typeof method === "string" && (hasId || id === undefined)) return value as unknown as Message;
  if (!hasId && id !== null) return "is neither a request, a notification nor a reply";
  // A reply with neither result nor error means null to some servers.
  if (isTable(error) || result !== undefined) return reply(id, isTable(error) ? { error } : { result });
  if (error === undefined || error === null) return reply(id, { result: null });
  return reply(id, { error: { code: MALFORMED, message: "an error that is not an object" } });
}

function reply(id: number | string | null, outcome: object): Message {
  return { jsonrpc: "2.0", id, ...outcome } as Message;
}

/** The error reply in place of one that cannot be used. */
export function unreadableReply(id: number, text: string): Message {
  return reply(id, { error: { code: UNREADABLE, message: text } });
}

/** The id of the request that an unusable message replies to; "none" when it is no reply. */
export function requestId(head: string, tail: string): number | "none" | "unknown" {
  if (METHOD_FIRST.test(head)) return "none";
  const id = (ID_FIRST.exec(head) ?? ID_LAST.exec(tail))?.[1];
  return id === undefined ? "unknown" : Number(id);
}

/** Why a body is not parsed: it is nested too deep, or has too many values or different short texts. */
function excessOf(text: string): string | undefined {
  if (text.length <= MAX_LEVELS) return undefined;
  const interned = text.length < MIN_COUNTED ? undefined : new InternedTexts();
  let depth = 0;
  let values = 0;
  let start = 0;
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      start = at + 1;
      end = endOfString(text, start);
      at = end;
      if (end - start <= SHORT) interned?.add(text, start, end);
    }
    // The codes of `[` and `{`, and of `]` and `}`, differ in one bit.
    else if ((code & ~0x20) === 0x5b) {
      values++;
      if (++depth > MAX_LEVELS) return `is nested deeper than ${MAX_LEVELS} levels`;
    } else if ((code & ~0x20) === 0x5d) depth--;
    else if (code === COMMA) values++;
    else if (code === COLON && end - start > SHORT) interned?.add(text, start, end);
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`;
    if (interned !== undefined && interned.count > MAX_INTERNED)
      return `has more than ${MAX_INTERNED} different short texts and names`;
  }
  return undefined;
}

/** Counts texts that differ from those before. One that was not seen for a while is counted again. */
class InternedTexts {
  count = 0;
  readonly #hashes = new Int32Array(65_536);

  add(text: string, start: number, end: number): void {
    let hash = end - start;
    for (let at = start; at < end; at++) hash = (Math.imul(hash, 31) + text.charCodeAt(at)) | 0;
    const slot = (hash ^ (hash >>> 16)) & 0xffff;
    if (this.#hashes[slot] === hash) return;
    this.#hashes[slot] = hash;
    this.count++;
  }
}

/** The offset of the quote that ends a string, or the end of the text. */
function endOfString(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (before >= from && text.charCodeAt(before) === BACKSLASH) before--;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
