/** The frames of LSP's wire, as pure looks at bytes: where headers stand, what a body says, and whose answer it was. */
import type { Message } from "vscode-jsonrpc/node";
import { isTable } from "../../base/json.js";
import { LIST_MIN, readList } from "./lists.js";

const HEADER = /Content-Length:[ \t]*(\d{1,15})[ \t]*\r?\n(?:[A-Za-z-]+:[^\r\n]{0,256}\r?\n){0,8}\r?\n/i;
const PLAIN = Buffer.from("Content-Length: ");
const HEADER_WORD = /Content-Length:/gi;
/** No header is longer. */
export const HEADER_MAX = 2048;
/** So much of a message's beginning, or end, tells whose answer it is. */
export const EDGE = 256;

/** A number of a reply stands before its result with most servers, and last with some. */
const ID_FIRST = /^\s*\{[^{}[\]]*?"id"\s*:\s*(\d+)/;
const ID_LAST = /[{,]\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;
const METHOD_FIRST = /^\s*\{[^{}[\]]*?"method"\s*:/;

/** The header at the very beginning: its own length and that of the body; undefined when there is none. */
export function headerAt(buffer: Buffer): { size: number; length: number } | undefined {
  const plain = plainHeaderAt(buffer);
  if (plain !== undefined) return plain;
  const match = HEADER.exec(buffer.toString("latin1", 0, HEADER_MAX));
  return match?.index === 0 ? { size: match[0].length, length: Number(match[1]) } : undefined;
}

/** The same of the header that most servers write, with nothing but the length in it; undefined for any other. */
export function plainHeaderAt(buffer: Buffer): { size: number; length: number } | undefined {
  let at = 0;
  for (; at < PLAIN.length; at++) if (buffer[at] !== PLAIN[at]) return undefined;
  let length = 0;
  for (; at < PLAIN.length + 15; at++) {
    const digit = (buffer[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    length = 10 * length + digit;
  }
  const isEnded = at > PLAIN.length && isBlankLine(buffer, at);
  return isEnded ? { size: at + 4, length } : undefined;
}

/** Whether a line ends at a place, and an empty one follows it. */
function isBlankLine(buffer: Buffer, at: number): boolean {
  return buffer[at] === 13 && buffer[at + 1] === 10 && buffer[at + 2] === 13 && buffer[at + 3] === 10;
}

/** Where the word `Content-Length:` stands, in any case, or -1. */
export function findWord(buffer: Buffer): number {
  const exact = buffer.indexOf("Content-Length:");
  if (exact === 0) return 0;
  const text = buffer.toString("latin1", 0, exact < 0 ? buffer.length : exact);
  HEADER_WORD.lastIndex = 0;
  return HEADER_WORD.exec(text)?.index ?? exact;
}

/** How many bytes at the end may be the beginning of the word. */
export function wordBegun(buffer: Buffer): number {
  const tail = buffer.toString("latin1", Math.max(0, buffer.length - 14)).toLowerCase();
  for (let length = tail.length; length > 0; length--) {
    if ("content-length:".startsWith(tail.slice(-length))) return length;
  }
  return 0;
}

/** How many bytes at the end may be the beginning of a header. */
export function headerBegun(buffer: Buffer): number {
  const word = buffer.lastIndexOf("Content-Length:");
  const size = buffer.length - word;
  return word >= 0 && size < HEADER_MAX ? size : wordBegun(buffer);
}

/** Where a whole header begins at or after `from`, or -1. */
export function findHeader(buffer: Buffer, from: number): number {
  for (
    let at = buffer.indexOf("Content-Length:", from);
    at >= 0;
    at = buffer.indexOf("Content-Length:", at + 1)
  ) {
    if (headerAt(buffer.subarray(at))) return at;
  }
  return -1;
}

/** Whether a header begins in this chunk or across its border: the body before it was cut short. */
export function startsHeader(before: Buffer | undefined, chunk: Buffer): boolean {
  if (findHeader(chunk, 0) >= 0) return true;
  const tail = before?.subarray(Math.max(0, before.length - 64));
  // No header is longer: one that begins before the chunk ends within so much of it.
  return tail !== undefined && findHeader(Buffer.concat([tail, chunk.subarray(0, HEADER_MAX)]), 0) >= 0;
}

/** The message in a body, which is a part of a buffer; or undefined. A reply with neither result nor error means null to some servers. */
export function messageIn(buffer: Buffer, start = 0, end = buffer.length): Message | undefined {
  const list = end - start < LIST_MIN ? undefined : readList(buffer.subarray(start, end));
  if (list !== undefined) return list;
  let value: unknown;
  try {
    value = JSON.parse(buffer.toString("utf8", start, end));
  } catch {
    return undefined;
  }
  if (!isTable(value)) return undefined;
  const silent = value.method === undefined && value.id !== undefined && value.error === undefined;
  return (silent && value.result === undefined ? { ...value, result: null } : value) as unknown as Message;
}

/** Whose answer a message is that cannot be read: a number, nobody's (it was no answer), or unknown. */
export function addressee(head: string, tail: string): number | "nobody" | "unknown" {
  if (METHOD_FIRST.test(head)) return "nobody";
  const id = (ID_FIRST.exec(head) ?? ID_LAST.exec(tail))?.[1];
  return id === undefined ? "unknown" : Number(id);
}
