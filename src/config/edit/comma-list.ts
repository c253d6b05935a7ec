/**
 * Adds and removes items of a comma-separated list in TOML or JSON. Comments stay with the item that they are about.
 */
import type { AST } from "toml-eslint-parser";
import { canonicalText, type Json } from "../../base/json.js";
import type { Span } from "../text/source.js";
import {
  beginsLine,
  endOfLine,
  indentAt,
  lineBreak,
  nextLine,
  splice,
  startOfLine,
  startOfLinesAbove,
} from "./text-lines.js";

export interface CommaList {
  /** The offset after the opening bracket. */
  open: number;
  /** The offset of the closing bracket. */
  close: number;
  items: readonly Span[];
  /** All comments of the text. */
  comments: readonly Span[];
}

export function tomlList({ comments }: AST.TOMLProgram, { range, elements }: AST.TOMLArray): CommaList {
  return {
    open: range[0] + 1,
    close: range[1] - 1,
    items: elements.map((element) => element.range),
    comments: comments.map((comment) => comment.range),
  };
}

/** Appends an item. `write` returns its text for a new line with that indentation, or for the current line. */
export function addItem(
  text: string,
  list: CommaList,
  write: (indent: string | undefined) => string,
): string {
  const eol = lineBreak(text);
  const last = list.items.at(-1);
  if (last === undefined) {
    if (!list.comments.some(([from, to]) => from >= list.open && to <= list.close))
      return splice(text, list.open, list.close, write(undefined));
    // After a line comment the closing bracket has a line of its own.
    const line = startOfLine(text, list.close);
    const indent = innerIndent(text, list);
    return splice(text, line, line, `${indent}${write(indent)},${eol}`);
  }
  const comma = commaAfter(text, list, last);
  const end = comma === undefined ? last[1] : comma + 1;
  const rest = restOfLine(text, list, end);
  if (!beginsLine(text, last[0]) && rest.comment === undefined)
    return splice(text, end, end, comma === undefined ? `, ${write(undefined)}` : ` ${write(undefined)},`);
  const isOnFirstLine = startOfLine(text, last[0]) < list.open;
  const indent = isOnFirstLine ? innerIndent(text, list) : indentAt(text, last[0]);
  const at = rest.isOnlyComment ? rest.end : end;
  const added = splice(text, at, at, `${eol}${indent}${write(indent)}${comma === undefined ? "" : ","}`);
  return comma === undefined ? splice(added, last[1], last[1], ",") : added;
}

/** Removes an item and the comma that is left over; with `comments`, also the comments about that item alone. */
export function removeItem(
  text: string,
  list: CommaList,
  index: number,
  { comments: takesComments }: { comments: boolean },
): string {
  const item = list.items[index];
  if (item === undefined) return text;
  const before = list.items[index - 1];
  const after = list.items[index + 1];
  if (after && isOneLine(text, item[1], after[0])) return splice(text, item[0], after[0], "");
  if (before && isOneLine(text, before[1], item[0])) return splice(text, before[1], item[1], "");
  const comma = commaAfter(text, list, item);
  const end = comma === undefined ? item[1] : comma + 1;
  const rest = restOfLine(text, list, end);
  const keepsComment = rest.comment !== undefined && !takesComments;
  let from = item[0];
  let to = keepsComment ? end : (rest.comment?.[1] ?? end);
  if (beginsLine(text, from) && rest.isOnlyComment && !keepsComment) {
    from = takesComments ? commentsAbove(text, list, item, rest.end) : startOfLine(text, from);
    to = nextLine(text, rest.end);
    // Blank lines before the last item have nothing to separate any more.
    if (after === undefined && before)
      from = startOfLinesAbove(text, from, (line, end) => text.slice(line, end).trim() === "");
  }
  const cut = splice(text, from, to, "");
  const leftOver = before && comma === undefined ? commaAfter(text, list, before) : undefined;
  const result = leftOver === undefined ? cut : splice(cut, leftOver, leftOver + 1, "");
  const close = list.close - (text.length - result.length);
  return result.slice(list.open, close).trim() === "" ? splice(result, list.open, close, "") : result;
}

/** The changes that turn one list into another; undefined when the order of the kept items changed. */
export function listChanges(
  before: readonly Json[],
  after: readonly Json[],
): { removed: number[]; added: Json[] } | undefined {
  const wanted = new Set(after.map(canonicalText));
  const kept = before.filter((item) => wanted.has(canonicalText(item)));
  if (canonicalText(kept) !== canonicalText(after.slice(0, kept.length))) return undefined;
  const removed = before.flatMap((item, index) => (wanted.has(canonicalText(item)) ? [] : [index]));
  // From the end, so that the other indices stay valid.
  return { removed: removed.toReversed(), added: after.slice(kept.length) };
}

/** The comment that follows on the line within the list, and whether nothing else follows. */
function restOfLine(text: string, { comments, close }: CommaList, offset: number) {
  const end = endOfLine(text, offset);
  const comment = comments.find(([from]) => from >= offset && from < Math.min(end, close));
  return { end, comment, isOnlyComment: text.slice(offset, comment?.[0] ?? end).trim() === "" };
}

/** The start of the comment lines about an item alone: right above it, with no other item right below it. */
function commentsAbove(text: string, { comments, close }: CommaList, item: Span, lineEnd: number): number {
  const line = startOfLine(text, item[0]);
  const below = nextLine(text, lineEnd);
  const next = text.slice(below, endOfLine(text, below)).trim();
  // Comments above several items are about all of them.
  if (next !== "" && !next.startsWith("#") && close > endOfLine(text, below)) return line;
  return startOfLinesAbove(text, line, (from, to) =>
    comments.some(([start]) => start >= from && start < to && beginsLine(text, start)),
  );
}

/** The offset of the comma after an item, past blanks and comments. */
function commaAfter(text: string, { comments, close }: CommaList, item: Span): number | undefined {
  for (let at = item[1]; at < close; at++) {
    const comment = comments.find(([from]) => from === at);
    if (comment) at = comment[1] - 1;
    else if (text[at] === ",") return at;
    else if (!/\s/.test(text[at] ?? "")) return undefined;
  }
  return undefined;
}

function isOneLine(text: string, from: number, to: number): boolean {
  return !text.slice(from, to).includes("\n");
}

/** The indentation of items in a list that has no line of items. */
function innerIndent(text: string, { open }: CommaList): string {
  const outer = indentAt(text, open);
  return outer + (outer.includes("\t") ? "\t" : "  ");
}
