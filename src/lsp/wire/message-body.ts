/** Reads the body of one message: what is delivered is a request, a notification or a reply, and not nested too deep. */
import type { Message } from "vscode-jsonrpc/node";
import { isTable } from "../../base/json.js";

/** JSON levels of a message. Code that walks a value calls itself at each level, and the stack ends at some thousands. */
const MAX_LEVELS = 1_000;
/** The id of a reply is looked for in this many bytes at each end of a body that cannot be used. */
export const EDGE = 256;
/** Most servers write the id before the result, some write it last. */
const ID_FIRST = /^\s*\{[^{}[\]]*?"id"\s*:\s*(\d+)/;
const ID_LAST = /[{,]\s*"id"\s*:\s*(\d+)\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$/;
const METHOD_FIRST = /^\s*\{[^{}[\]]*?"method"\s*:/;
const [QUOTE, BACKSLASH] = ['"', "\\"].map((character) => character.charCodeAt(0));

/** Error code of the reply that replaces one that cannot be read. */
export const UNREADABLE = -30_413;
/** Error code of the reply that replaces one that is neither a result nor an error. */
export const MALFORMED = -30_414;

/** The message in a body, or why it cannot be used. */
export function readMessage(body: string): Message | string {
  if (isDeeperThan(body, MAX_LEVELS)) return `is nested deeper than ${MAX_LEVELS} levels`;
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

/** Whether brackets outside of strings are nested deeper than `max`. */
function isDeeperThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    // The codes of `[` and `{`, and of `]` and `}`, differ in one bit.
    else if ((code & ~0x20) === 0x5b && ++depth > max) return true;
    else if ((code & ~0x20) === 0x5d) depth--;
  }
  return false;
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
