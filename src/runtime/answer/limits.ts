/**
 * How much one answer may say. Items are cut after they were sorted, never a random subset; texts are cut on code
 * points. What is left out is always counted.
 */
import type { Answer } from "../../abi/handler.js";
import type { Json } from "../../base/json.js";
import { spelt } from "../../base/spelt.js";
import type { CallState } from "../call-state.js";

/** What a UTF-16 unit takes in UTF-8 at the most. */
const mostBytesPerUnit = 3;

/** The size that an answer must keep. */
export interface Caps {
  /** Characters of the forms that are sent, together. */
  total: number;
  /** Characters of each of them. */
  page: number;
  /** Characters of the text. */
  text: number;
  /** Bytes of each of them. */
  bytes: number;
  hasStructure: boolean;
  hasText: boolean;
}

/**
 * The caps of a call. A budget that the tool declares, or that the call asks for, is really given, up to the hard limit;
 * without one an answer is a page that any client can show.
 */
export function capsOf({ plan, tool, evidence }: CallState, asked: Json | undefined): Caps {
  const { limits, dialect } = plan;
  const { maxTotalCharsHard: hard } = limits;
  const wanted = typeof asked === "number" ? asked : limits.maxTotalChars;
  if (wanted > hard)
    evidence.warn("answer/clamped", `${wanted} characters were asked for; ${hard} are the most.`, {
      requested: wanted,
      effective: hard,
      hard,
    });
  const total = Math.min(wanted, hard);
  const isPaged = tool.output.maxChars === null;
  return {
    total,
    page: isPaged ? Math.min(limits.maxPageChars, total) : total,
    text: isPaged ? Math.min(limits.maxTextChars, total) : total,
    bytes: Math.min(tool.maxBytes, limits.maxBytes),
    hasStructure: dialect.result !== "text" || dialect.outputSchemas,
    hasText: dialect.result !== "structured",
  };
}

/** How many items an answer of the call has at the most. */
export function pageSize({ plan, tool, input }: CallState): number {
  const { page, maxItems } = tool;
  if (page === null) return maxItems;
  const asked = input[plan.dialect.listing.size];
  return Math.min(typeof asked === "number" ? asked : page.defaultSize, page.maxSize, maxItems);
}

/** What a call asks for as its budget, where its tool takes one. */
export function askedChars({ tool, input }: CallState): Json | undefined {
  const { maxChars } = tool.output;
  if (maxChars?.kind === "literal") return maxChars.value;
  return maxChars?.kind === "ref" && maxChars.ref.name !== null ? input[maxChars.ref.name] : undefined;
}

/** The forms of an answer that are sent, as texts. */
export function formsOf(answer: Answer, caps: Caps): { structure: string; text: string } {
  return {
    structure: caps.hasStructure ? spelt(answer.structured) : "",
    text: caps.hasText ? `${answer.text}${answer.notes}` : "",
  };
}

/** Whether the forms of an answer that are sent keep the caps. */
export function fits(answer: Answer, caps: Caps): boolean {
  return isShort(answer, caps) || isFitting(answer, caps);
}

/** Characters of a structure that are certainly few, at the most; a longer one is spelt, which is needed again anyway. */
const fewCharacters = 16 * 1024;

/** Whether an answer is so short that it keeps the caps however it is spelt. */
function isShort({ structured, text, notes }: Answer, { total, page, text: mostText, bytes }: Caps): boolean {
  const left = roomLeft(fewCharacters, structured);
  const characters = Math.max(text.length + notes.length, fewCharacters - left);
  return (
    left >= 0 &&
    2 * characters <= total &&
    characters <= Math.min(page, mostText) &&
    characters * mostBytesPerUnit <= bytes
  );
}

/** What a character takes in JSON at the most. */
const mostPerCharacter = 6;
/** What a number, a name's quotes and colon, or brackets with a comma take at the most. */
const mostBeside = 25;

/** What is left of so many characters beside a value in JSON; less than 0 when it may need more. */
function roomLeft(room: number, value: unknown): number {
  if (typeof value === "string") return room - value.length * mostPerCharacter - mostBeside;
  if (typeof value !== "object" || value === null) return room - mostBeside;
  let left = room - mostBeside;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = roomLeft(left, value[at]);
    return left;
  }
  for (const name in value) {
    if (left < 0) return left;
    const member = (value as Record<string, unknown>)[name];
    left = roomLeft(left - name.length * mostPerCharacter - mostBeside, member);
  }
  return left;
}

function isFitting(answer: Answer, caps: Caps): boolean {
  const { structure, text } = formsOf(answer, caps);
  return (
    structure.length + text.length <= caps.total &&
    structure.length <= caps.page &&
    text.length <= Math.min(caps.page, caps.text) &&
    isWithin(structure, caps.bytes) &&
    isWithin(text, caps.bytes)
  );
}

/** Whether a text has so many bytes at the most; what is short is so without being counted. */
function isWithin(text: string, bytes: number): boolean {
  return text.length * mostBytesPerUnit <= bytes || Buffer.byteLength(text) <= bytes;
}

/**
 * The largest count up to `most` for which `isFine` holds; 0 when it holds for none. `isFine` never turns true again. Near a
 * guess it is found with few tries.
 */
export function largest(most: number, isFine: (count: number) => boolean, guess?: () => number): number {
  if (isFine(most)) return most;
  let [low, high] = [0, most];
  let next = guess?.();
  for (let step = 1; high - low > 1; step *= 2) {
    const near = next !== undefined && next > low && next < high ? next : undefined;
    const count = near ?? Math.floor((low + high) / 2);
    const isEnough = isFine(count);
    if (isEnough) low = count;
    else high = count;
    if (next !== undefined) next = isEnough ? count + step : count - step;
  }
  return low;
}
