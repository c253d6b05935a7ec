/**
 * One config file as a tree whose every value knows where it stands. Reading never throws for what a file says:
 * everything wrong in it is a Problem.
 */
import type { Code } from "../../base/codes.js";
import { codes } from "../../base/codes.js";
import type { JsonObject } from "../../base/json.js";
import type { Place, Problem } from "../../base/problem.js";
import { convertColumn, type Lines } from "../../base/text.js";

/** Keys and indices from the root of a tree. */
export type Path = readonly (string | number)[];

/** Start and end offset in code units; the end is exclusive. */
export type Span = readonly [start: number, end: number];

/** Which half of an entry a place is about: the key itself, or what it holds. */
export type Part = "key" | "value";

/** Something wrong that a parser found, before it has a line and a column. */
export interface Finding {
  code: Code;
  message: string;
  path: Path;
  /** Where; looked up by path when the parser itself cannot tell. */
  span?: Span;
  part?: Part;
  fix?: string;
}

/** What a parser makes of a text. `broken` says that the tree is not worth validating. */
export interface Parsed {
  tree: JsonObject;
  findings: Finding[];
  broken: boolean;
  span(path: Path, part: Part): Span | undefined;
}

/** A file that was read: its tree, what is wrong with it, and the place of each value. */
export interface Source {
  file: string;
  /** The byte order mark that the file begins with, or nothing. */
  mark: string;
  text: string;
  tree: JsonObject;
  problems: Problem[];
  broken: boolean;
  /** Pointers of values that were refused while reading; validation says nothing more about them. */
  refused: ReadonlySet<string>;
  /** The place of the value, or of the nearest enclosing one that has a place. */
  place(path: Path, part: Part): Place;
  /** The value's JSON Pointer as the file spells it. */
  pointer(path: Path): string;
}

/** What a problem needs to know about where a tree came from. */
export type Places = Pick<Source, "place" | "pointer">;

/** The deepest nesting that a config may have. */
export const MAX_DEPTH = 64;

/** One-based lines and columns, in characters, of a span. */
export function placeOf(file: string, lines: Lines, [start, end]: Span): Place {
  const from = lineAndColumn(lines, start);
  const to = lineAndColumn(lines, Math.max(start, end));
  return { file, line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
}

function lineAndColumn(lines: Lines, offset: number): { line: number; column: number } {
  let low = 0;
  let high = lines.count - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (lines.start(middle) <= offset) low = middle;
    else high = middle - 1;
  }
  const text = lines.line(low);
  return { line: low + 1, column: convertColumn(text, offset - lines.start(low), "utf-16", "utf-32") + 1 };
}

/** A Problem of a source, with the catalogue's fix unless a better one is known. */
export function problemAt(
  source: Places,
  code: Code,
  message: string,
  path: Path,
  options: { part?: Part; suggestion?: string | undefined; fix?: string | undefined } = {},
): Problem {
  return {
    code,
    severity: codes[code].kind === "warning" ? "warning" : "error",
    message,
    pointer: source.pointer(path),
    place: source.place(path, options.part ?? "value"),
    ...(options.suggestion === undefined ? {} : { suggestion: options.suggestion }),
    fix: options.fix ?? codes[code].fix,
  };
}
