/**
 * Converts positions to offsets exactly. Read tools clamp a position that the text does not have; an edit must refuse it.
 * As LSP says, a character past the end of its line means the end of the line.
 */
import { type ColumnUnit, columnsOf, type Lines, unitsOf } from "../../base/text.js";
import type { Point } from "../../protocol/dialect-format.js";
import type { LspPosition, LspRange } from "../ask/candidates.js";

/** A range of a text in UTF-16 code units. */
export interface Extent {
  start: number;
  end: number;
}

/** The offset of a position; undefined past the last line and in the middle of a character. */
export function exactOffset(lines: Lines, position: LspPosition, unit: ColumnUnit): number | undefined {
  if (!(position.line >= 0 && position.line < lines.count && position.character >= 0)) return undefined;
  const text = lines.line(position.line);
  const start = lines.start(position.line);
  if (isAscii(text)) return start + Math.min(position.character, text.length);
  let seen = 0;
  let offset = start;
  for (const character of text) {
    if (seen >= position.character) break;
    seen += unitsOf(character.codePointAt(0) ?? 0, unit);
    offset += character.length;
  }
  return seen > position.character ? undefined : offset;
}

/**
 * The offsets of a range; undefined when the text does not have it. Formatters name the end of a text by the line after
 * its last one, or, when they replace the whole text, by any line past it.
 */
export function exactExtent(lines: Lines, range: LspRange, unit: ColumnUnit): Extent | undefined {
  const start = exactOffset(lines, range.start, unit);
  if (start === undefined) return undefined;
  const isWhole = range.start.line === 0 && range.start.character === 0;
  const isNextLine = range.end.line === lines.count && range.end.character === 0;
  const isPastEnd = range.end.line >= lines.count;
  const end = isPastEnd && (isWhole || isNextLine) ? lines.text.length : exactOffset(lines, range.end, unit);
  return end === undefined || end < start ? undefined : { start, end };
}

/** The zero-based line and column of an offset. */
export function pointAt(lines: Lines, offset: number, unit: ColumnUnit): Point {
  let low = 0;
  let high = lines.count - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lines.start(middle) <= offset) low = middle;
    else high = middle - 1;
  }
  const before = lines.text.slice(lines.start(low), offset);
  return { line: low, character: isAscii(before) ? before.length : columnsOf(before, unit) };
}

/** In ASCII every character is one unit in all encodings, so long lines need no walk. */
function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the whole range of ASCII is meant.
  return /^[\x00-\x7f]*$/.test(text);
}
