/** A config file that was read: its tree, its problems, and the line and column of each value. */
import { type Code, codes } from "../../base/codes.js";

import type { JsonObject } from "../../base/json.js";
import type { Problem, ProblemPlace } from "../../base/problem.js";
import { Lines } from "../../base/text.js";

/** Keys and indices from the root of a tree. */
export type Path = readonly (string | number)[];

/** Start and end offset in code units; the end is exclusive. */
export type Span = readonly [start: number, end: number];

/** Whether a place is that of an entry's key or of its value. */
export type Part = "key" | "value";

/** A mistake that a parser found, before it has a line and a column. */
export interface Finding {
  code: Code;
  message: string;
  path: Path;
  /** Looked up by path when the parser does not know it. */
  span?: Span;
  part?: Part;
  fix?: string;
}

export interface Parsed {
  tree: JsonObject;
  findings: Finding[];
  /** Whether the tree is not worth validating. */
  broken: boolean;
  span(path: Path, part: Part): Span | undefined;
}

export function brokenWith(findings: Finding[]): Parsed {
  return { tree: {}, findings, broken: true, span: () => undefined };
}

export interface Source {
  file: string;
  /** The byte order mark at the start of the file, or an empty text. */
  mark: string;
  text: string;
  /** The size of the text. */
  tokens: number;
  tree: JsonObject;
  problems: Problem[];
  broken: boolean;
  /** Pointers of values that were refused while reading; validation reports nothing more about them. */
  refused: ReadonlySet<string>;
  /** The place of the value, or of the nearest enclosing one that has a place. */
  place(path: Path, part: Part): ProblemPlace;
  /** The value's JSON Pointer with the keys as written in the file. */
  pointer(path: Path): string;
}

/** The part of a source that problems need. */
export type SourcePlaces = Pick<Source, "place" | "pointer">;

export const MAX_DEPTH = 64;

/** Finds lines and columns, in characters. A look-up does not walk along the line: a config may be one long line. */
export class PlaceFinder {
  readonly #lines: Lines;
  /** The offsets of the characters that are two code units, ascending. */
  readonly #pairs: number[];

  constructor(
    private readonly file: string,
    text: string,
  ) {
    this.#lines = new Lines(text);
    this.#pairs = Array.from(text.matchAll(/[\u{10000}-\u{10ffff}]/gu), ({ index }) => index);
  }

  /** A span as one-based lines and columns. */
  place([start, end]: Span): ProblemPlace {
    const from = this.#at(start);
    const to = this.#at(Math.max(start, end));
    return { file: this.file, line: from.line, column: from.column, endLine: to.line, endColumn: to.column };
  }

  #at(offset: number): { line: number; column: number } {
    const line = this.#lines.lineAt(offset);
    const start = this.#lines.start(line);
    const units = Math.min(offset - start, this.#lines.line(line).length);
    const column = units - (this.#pairsBefore(start + units) - this.#pairsBefore(start));
    return { line: line + 1, column: column + 1 };
  }

  #pairsBefore(offset: number): number {
    let low = 0;
    let high = this.#pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pairs[middle] ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** A Problem at a path of a source, with the fix of its code unless another one is given. */
export function problemAt(
  source: SourcePlaces,
  code: Code,
  message: string,
  path: Path,
  options: { part?: Part; suggestion?: string | undefined; fix?: string | undefined } = {},
): Problem {
  const { part = "value", suggestion, fix = codes[code].fix } = options;
  return {
    code,
    severity: codes[code].kind === "warning" ? "warning" : "error",
    message,
    pointer: source.pointer(path),
    place: source.place(path, part),
    ...(suggestion === undefined ? {} : { suggestion }),
    fix,
  };
}

export function problemWithoutPlace(code: Code, message: string, fix: string = codes[code].fix): Problem {
  return { code, severity: "error", message, pointer: "", fix };
}
