/** A TOML list with an item more or less: every comment stays with the item that it stands beside, the layout stays as it is. */
import type { AST } from "toml-eslint-parser";
import { beginsLine, endOfLine, indentAt, lineBreak, nextLine, splice, startOfLine } from "./text-lines.js";

/** The text with an item more at the end of a list: on a line of its own where the last one begins a line, else beside it. */
export function withItem(
  text: string,
  { comments }: AST.TOMLProgram,
  list: AST.TOMLArray,
  item: string,
): string {
  const eol = lineBreak(text);
  const close = list.range[1] - 1;
  const last = list.elements.at(-1);
  if (last === undefined) {
    if (!comments.some((comment) => isIn(comment, list))) return splice(text, list.range[0] + 1, close, item);
    // After a comment, the bracket stands on a line of its own.
    const line = startOfLine(text, close);
    return splice(text, line, line, `${inner(text, list)}${item},${eol}`);
  }
  const comma = commaAfter(text, comments, last, close);
  const end = comma === undefined ? last.range[1] : comma + 1;
  const tail = lineTail(text, comments, end, close);
  const begins = beginsLine(text, last.range[0]);
  if (!begins && tail.comment === undefined)
    return splice(text, end, end, comma === undefined ? `, ${item}` : ` ${item},`);
  const isFirstLine = startOfLine(text, last.range[0]) <= list.range[0];
  const indent = isFirstLine ? inner(text, list) : indentAt(text, last.range[0]);
  const at = tail.isLast ? tail.end : end;
  const added = splice(text, at, at, `${eol}${indent}${item}${comma === undefined ? "" : ","}`);
  return comma === undefined ? splice(added, last.range[1], last.range[1], ",") : added;
}

/** The text with one item of a list less, with the comma that it leaves over and the comments that are about it alone. */
export function withoutItem(
  text: string,
  { comments }: AST.TOMLProgram,
  list: AST.TOMLArray,
  index: number,
): string {
  const item = list.elements[index];
  if (item === undefined) return text;
  const [before, after] = [list.elements[index - 1], list.elements[index + 1]];
  const close = list.range[1] - 1;
  if (after && after.loc.start.line === item.loc.end.line)
    return splice(text, item.range[0], after.range[0], "");
  if (before && before.loc.end.line === item.loc.start.line)
    return splice(text, before.range[1], item.range[1], "");
  const comma = commaAfter(text, comments, item, close);
  const end = comma === undefined ? item.range[1] : comma + 1;
  const tail = lineTail(text, comments, end, close);
  const begins = beginsLine(text, item.range[0]);
  const from = begins && tail.isLast ? commentsAbove(text, comments, item, tail.end, close) : item.range[0];
  const to = begins && tail.isLast ? nextLine(text, tail.end) : (tail.comment?.range[1] ?? end);
  const cut = splice(text, from, to, "");
  const left = before && comma === undefined ? commaAfter(text, comments, before, close) : undefined;
  const rest = left === undefined ? cut : splice(cut, left, left + 1, "");
  const inside = [list.range[0] + 1, close - (text.length - rest.length)] as const;
  return rest.slice(...inside).trim() === "" ? splice(rest, ...inside, "") : rest;
}

/** What follows on the line within the list: a comment, and whether nothing else does. */
function lineTail(text: string, comments: readonly AST.Comment[], offset: number, close: number) {
  const end = endOfLine(text, offset);
  const comment = comments.find(({ range }) => range[0] >= offset && range[0] < Math.min(end, close));
  return { end, comment, isLast: text.slice(offset, comment?.range[0] ?? end).trim() === "" };
}

/** Where the comment lines begin that are about an item alone: right above it, with no other item right below it. */
function commentsAbove(
  text: string,
  comments: readonly AST.Comment[],
  item: AST.TOMLContentNode,
  end: number,
  close: number,
): number {
  const own = startOfLine(text, item.range[0]);
  const below = nextLine(text, end);
  const next = text.slice(below, endOfLine(text, below)).trim();
  // Comments above several items speak of them all.
  const isAlone = next === "" || next.startsWith("#") || close <= endOfLine(text, below);
  if (!isAlone) return own;
  let from = own;
  while (from > 0) {
    const above = startOfLine(text, from - 1);
    if (!comments.some(({ range }) => range[0] >= above && range[0] < from && beginsLine(text, range[0])))
      break;
    from = above;
  }
  return from;
}

/** Where the comma after an item stands, behind blanks and comments. */
function commaAfter(
  text: string,
  comments: readonly AST.Comment[],
  item: AST.TOMLContentNode,
  close: number,
): number | undefined {
  for (let at = item.range[1]; at < close; at++) {
    const comment = comments.find(({ range }) => range[0] === at);
    if (comment) at = comment.range[1] - 1;
    else if (text[at] === ",") return at;
    else if (!/\s/.test(text[at] ?? "")) return undefined;
  }
  return undefined;
}

function isIn({ range }: AST.Comment, list: AST.TOMLArray): boolean {
  return range[0] > list.range[0] && range[1] < list.range[1];
}

/** The indentation of items in a list that has none to go by. */
function inner(text: string, list: AST.TOMLArray): string {
  const outer = indentAt(text, list.range[0]);
  return outer + (outer.includes("\t") ? "\t" : "  ");
}
