/**
 * Changes of a text. Applied as editors do: all against the original, insertions at one place in their order and
 * before what is replaced there. Overlaps and places outside the text are told, never mended.
 */
import type { Code } from "../../base/codes.js";
import { sortBy } from "../../base/order.js";
import type { TextChange } from "./types.js";

const bom = Buffer.from([0xef, 0xbb, 0xbf]);
const loneSurrogate = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** A file's text and whether a byte-order mark stands before it. */
export interface Decoded {
  text: string;
  marked: boolean;
}

/** The text of a file's bytes, or undefined when they are not UTF-8 text. */
export function decodeText(bytes: Uint8Array): Decoded | undefined {
  if (bytes.includes(0)) return undefined;
  const marked = bom.equals(bytes.subarray(0, bom.length));
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(marked ? bytes.subarray(bom.length) : bytes), marked };
  } catch {
    return undefined;
  }
}

/** The bytes of a text, with its byte-order mark if it has one. */
export function encodeText({ text, marked }: Decoded): Buffer {
  const bytes = Buffer.from(text, "utf8");
  return marked ? Buffer.concat([bom, bytes]) : bytes;
}

/** What is wrong with changes of a text; each problem once. */
export function checkChanges(text: string, changes: TextChange[]): { code: Code; message: string }[] {
  const outside = changes.filter(({ start, end }) => !isRange(start, end, text.length));
  if (outside.length > 0)
    return [{ code: "edit/out-of-range", message: `${count(outside)} outside the text` }];
  const sorted = sortChanges(changes);
  const overlapping = sorted.filter((change, index) => change.start < (sorted[index - 1]?.end ?? 0));
  if (overlapping.length > 0)
    return [{ code: "edit/overlap", message: `${count(overlapping)} on text that another one changes too` }];
  if (hasHalfCharacter(applyChanges(text, changes)))
    return [{ code: "edit/out-of-range", message: "A change leaves half a character" }];
  return [];
}

/** Whether a text holds half of a surrogate pair, which no file can hold. */
export function hasHalfCharacter(text: string): boolean {
  return loneSurrogate.test(text);
}

/** The text after changes that passed the check. */
export function applyChanges(text: string, changes: TextChange[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, newText } of sortChanges(changes)) {
    parts.push(text.slice(done, start), newText);
    done = end;
  }
  parts.push(text.slice(done));
  return parts.join("");
}

/** Changes in the order in which they are applied. */
export function sortChanges(changes: TextChange[]): TextChange[] {
  return sortBy(
    changes.map((change, index) => ({ change, index })),
    ({ change, index }) => [change.start, change.end, index],
  ).map(({ change }) => change);
}

/** The same changes with line ends like the text's own, where the text has only one kind. */
export function fitLineEnds(text: string, changes: TextChange[]): TextChange[] {
  const lineEnd = onlyLineEnd(text);
  if (lineEnd === undefined) return changes;
  return changes.map((change) => {
    // Half of a \r\n is no line end: what stands there is meant as it is.
    if (splitsLineEnd(text, change.start) || splitsLineEnd(text, change.end)) return change;
    return { ...change, newText: change.newText.replace(/\r\n|\r|\n/g, lineEnd) };
  });
}

/** One change that makes `after` of `before`: what lies between their common beginning and end. */
export function wholeChange(before: string, after: string): TextChange {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++;
  let tail = 0;
  while (
    tail < most - start &&
    before.charCodeAt(before.length - 1 - tail) === after.charCodeAt(after.length - 1 - tail)
  )
    tail++;
  if (isTrail(before, start) || isTrail(after, start)) start--;
  if (isTrail(before, before.length - tail) || isTrail(after, after.length - tail)) tail--;
  return { start, end: before.length - tail, newText: after.slice(start, after.length - tail) };
}

/** Whether an offset stands in the middle of a surrogate pair. */
function isTrail(text: string, offset: number): boolean {
  const code = text.charCodeAt(offset);
  return offset > 0 && code >= 0xdc00 && code <= 0xdfff;
}

function onlyLineEnd(text: string): string | undefined {
  const kinds = new Set(text.match(/\r\n|\r|\n/g));
  const [only] = kinds;
  return kinds.size === 1 ? only : undefined;
}

function splitsLineEnd(text: string, offset: number): boolean {
  return text[offset - 1] === "\r" && text[offset] === "\n";
}

function isRange(start: number, end: number, length: number): boolean {
  return Number.isInteger(start) && Number.isInteger(end) && start >= 0 && start <= end && end <= length;
}

function count(changes: TextChange[]): string {
  return changes.length === 1 ? "A change lies" : `${changes.length} changes lie`;
}
