/**
 * The difference between two texts as one change of whole lines. It starts and ends at line starts, so that it means the
 * same in every position encoding and no character or line ending is cut.
 */
import { columnsOf, type Lines, type PositionEncoding } from "../../base/text.js";

/** A content change of `textDocument/didChange`; without a range it is the whole text. */
export interface TextChange {
  range?: { start: { line: number; character: number }; end: { line: number; character: number } };
  text: string;
}

export function changeBetween(before: Lines, after: Lines, encoding: PositionEncoding): TextChange {
  const shorter = Math.min(before.count, after.count);
  let top = 0;
  while (top < shorter && whole(before, top) === whole(after, top)) top++;
  if (top === shorter) return { text: after.text };
  let bottom = 0;
  while (
    bottom < shorter - top &&
    whole(before, before.count - 1 - bottom) === whole(after, after.count - 1 - bottom)
  )
    bottom++;
  return {
    range: { start: { line: top, character: 0 }, end: startOf(before, before.count - bottom, encoding) },
    text: after.text.slice(after.start(top), after.start(after.count - bottom)),
  };
}

/** A line with its ending. */
function whole(lines: Lines, line: number): string {
  return lines.text.slice(lines.start(line), lines.start(line + 1));
}

/** The start of a line; past the last one, the end of the text. */
function startOf(
  lines: Lines,
  line: number,
  encoding: PositionEncoding,
): { line: number; character: number } {
  if (line < lines.count) return { line, character: 0 };
  const last = lines.count - 1;
  return { line: last, character: columnsOf(lines.line(last), encoding) };
}
