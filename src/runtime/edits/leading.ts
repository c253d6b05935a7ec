/** The lines before a declaration that belong to it: comments and decorators without an empty line between. */
import type { Lines } from "../../base/text.js";
import { pointAt } from "./offsets.js";

const lineComment = /^(?:\/\/|#(?:\s|$)|--(?:\s|-|$))/;
const decorator = /^(?:@[A-Za-z_]|#!?\[|\[[A-Za-z_][^\]]*\]$)/;
const mostLines = 200;

/** The offset of the first such line; that of the declaration's own line where there is none. */
export function leadingStart(
  lines: Lines,
  lineStart: number,
  taken: ReadonlySet<number>,
  which: "all" | "comments",
): number {
  let line = pointAt(lines, lineStart, "utf-16").line;
  for (;;) {
    const above = blockAbove(lines, line, which);
    if (above === undefined) return lines.start(line);
    for (let one = above; one < line; one++) if (taken.has(one)) return lines.start(line);
    line = above;
  }
}

/** The first line of the comment or decorator that ends right above a line. */
function blockAbove(lines: Lines, line: number, which: "all" | "comments"): number | undefined {
  const last = line - 1;
  if (last < 0) return undefined;
  const text = lines.line(last).trim();
  if (lineComment.test(text)) return last;
  if (text.endsWith("*/")) return openingOf(lines, last, (one) => one.startsWith("/*"));
  if (which === "comments") return undefined;
  if (decorator.test(text)) return depthOf(text) === 0 ? last : undefined;
  if (!/^[\])}]+$/.test(text)) return undefined;
  return openingOf(lines, last, (one, at) => decorator.test(one) && staysOpen(lines, at, last));
}

function openingOf(
  lines: Lines,
  last: number,
  isOpening: (text: string, line: number) => boolean,
): number | undefined {
  for (let line = last; line >= 0 && line > last - mostLines; line--) {
    const text = lines.line(line).trim();
    if (isOpening(text, line)) return line;
    if (text === "") return undefined;
  }
  return undefined;
}

/** Whether the brackets that open on the first line close on the last, and not before. */
function staysOpen(lines: Lines, first: number, last: number): boolean {
  let depth = 0;
  for (let line = first; line <= last; line++) {
    depth += depthOf(lines.line(line));
    if (line < last && depth <= 0) return false;
  }
  return depth === 0;
}

function depthOf(text: string): number {
  return text.replace(/[^([{]/g, "").length - text.replace(/[^)\]}]/g, "").length;
}
