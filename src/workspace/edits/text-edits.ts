/**
 * Text changes: checked, sorted and applied as editors do. All refer to the original text; insertions at one offset
 * keep their order and come before a replacement there. Overlaps and offsets outside the text are errors, never
 * corrected.
 */
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { TextChange } from "./types.js";

const byteOrderMark = "\ufeff";
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** A file's text without its byte-order mark. */
export interface Decoded {
  text: string;
  hasMark: boolean;
}

/** Decodes UTF-8 text; undefined when the bytes are something else. */
export function decodeText(bytes: Uint8Array): Decoded | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return withoutMark(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

export function encodeText({ text, hasMark }: Decoded): Buffer {
  return Buffer.from(hasMark ? byteOrderMark + text : text);
}

export function withoutMark(text: string): Decoded {
  const hasMark = text.startsWith(byteOrderMark);
  return { text: hasMark ? text.slice(1) : text, hasMark };
}

/** The error in the changes of a text; undefined when they can be applied. */
export function checkChanges(text: string, changes: TextChange[]): Refusal | undefined {
  const isRange = ({ start, end }: TextChange) =>
    Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= text.length;
  if (!changes.every(isRange)) return new Refusal("edit/out-of-range", "has a change outside its text");
  const sorted = sortChanges(changes);
  if (sorted.some((change, index) => change.start < (sorted[index - 1]?.end ?? 0)))
    return new Refusal("edit/overlap", "has changes that overlap");
  if (hasLoneSurrogate(applyChanges(text, changes)))
    return new Refusal("edit/out-of-range", "has a change that leaves half a character");
  return undefined;
}

/** Whether a text contains half of a surrogate pair, which UTF-8 cannot encode. */
export function hasLoneSurrogate(text: string): boolean {
  return loneSurrogate.test(text);
}

/** Applies changes that passed the check. */
export function applyChanges(text: string, changes: TextChange[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, newText } of sortChanges(changes)) {
    parts.push(text.slice(done, start), newText);
    done = end;
  }
  return parts.join("") + text.slice(done);
}

export function sortChanges(changes: TextChange[]): TextChange[] {
  return sortBy(changes, ({ start, end }) => [start, end]);
}

/** Converts line ends in new texts to those of the file, when the file has only one kind. */
export function fitLineEnds(text: string, changes: TextChange[]): TextChange[] {
  const kinds = new Set(text.match(/\r\n|\r|\n/g));
  const [lineEnd] = kinds;
  if (lineEnd === undefined || kinds.size > 1) return changes;
  return changes.map((change) => {
    // A change that starts or ends inside a \r\n means its text literally.
    if (splitsLineEnd(text, change.start) || splitsLineEnd(text, change.end)) return change;
    return { ...change, newText: change.newText.replace(/\r\n|\r|\n/g, lineEnd) };
  });
}

/** The single change from one text to another: everything between their common start and end. */
export function wholeChange(before: string, after: string): TextChange {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = 0;
  while (
    tail < shorter - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  if (splitsCharacter(before, start) || splitsCharacter(after, start)) start--;
  if (splitsCharacter(before, before.length - tail) || splitsCharacter(after, after.length - tail)) tail--;
  return { start, end: before.length - tail, newText: after.slice(start, after.length - tail) };
}

function splitsCharacter(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return offset > 0 && code >= 0xdc00 && code <= 0xdfff;
}

function splitsLineEnd(text: string, offset: number): boolean {
  return text[offset - 1] === "\r" && text[offset] === "\n";
}
