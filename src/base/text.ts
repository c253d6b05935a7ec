/**
 * Lines and columns. A text's lines end at \n, \r\n or \r, as LSP says. A column counts units of one
 * encoding; the agent's own unit is the character (Unicode code point).
 */

export type PositionEncoding = "utf-8" | "utf-16" | "utf-32";

/** How a caller counts along a line: the three LSP encodings; `utf-32` is one per character. */
export type ColumnUnit = PositionEncoding;

/** Where a text is cut into lines. */
export class Cuts {
  readonly starts: Uint32Array;
  /** The lines that are not ASCII: of all others every unit counts alike. */
  readonly odd = new Set<number>();

  constructor(text: string) {
    // Found in a list, kept in half of its memory.
    const starts = [0];
    let all = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      all |= code;
      if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) {
        if (all >= 0x80) this.odd.add(starts.length - 1);
        all = 0;
        starts.push(i + 1);
      }
    }
    if (all >= 0x80) this.odd.add(starts.length - 1);
    this.starts = Uint32Array.from(starts);
  }
}

/** A text cut into lines once, for many look-ups. */
export class Lines {
  readonly #text: string;
  readonly #starts: Uint32Array;
  readonly #odd: ReadonlySet<number>;

  constructor(
    text: string,
    readonly cuts: Cuts = new Cuts(text),
  ) {
    this.#text = text;
    this.#starts = cuts.starts;
    this.#odd = cuts.odd;
  }

  get text(): string {
    return this.#text;
  }

  /** Number of lines; an empty text has one. */
  get count(): number {
    return this.#starts.length;
  }

  /** Offset (code units) of the first character of a line. */
  start(line: number): number {
    return this.#starts[line] ?? this.#text.length;
  }

  /** The zero-based line of an offset. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.start(middle) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** The text of a zero-based line without its line ending; empty past the end. */
  line(line: number): string {
    if (line < 0 || line >= this.#starts.length) return "";
    return this.#text.slice(this.start(line), this.#end(line));
  }

  /** Offset behind the last character of a line that there is. */
  #end(line: number): number {
    const start = this.start(line);
    let end = this.#starts[line + 1] ?? this.#text.length;
    while (end > start && isLineEnd(this.#text.charCodeAt(end - 1))) end--;
    return end;
  }

  /** A column of a zero-based line in other units, as `convertColumn` gives it. */
  column(line: number, column: number, from: ColumnUnit, to: ColumnUnit): number {
    if (!this.isPlain(line)) return convertColumn(this.line(line), column, from, to);
    return Math.max(0, Math.min(column, this.#end(line) - this.start(line)));
  }

  /** Length of a zero-based line in units. */
  columns(line: number, unit: ColumnUnit): number {
    return this.column(line, Number.POSITIVE_INFINITY, "utf-16", unit);
  }

  /** How many of the lines are not ASCII. */
  get oddCount(): number {
    return this.#odd.size;
  }

  /** Whether every column of a line that there is is the same in all units. */
  isPlain(line: number): boolean {
    return line >= 0 && line < this.#starts.length && !this.#odd.has(line);
  }

  /** Offset (code units) of a zero-based line and column, clamped to the line. */
  offset(line: number, column: number, unit: ColumnUnit): number {
    if (line >= this.#starts.length) return this.#text.length;
    return this.start(line) + this.column(line, column, unit, "utf-16");
  }
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13;
}

/** Units that one code point takes. */
export function unitsOf(codePoint: number, unit: ColumnUnit): number {
  if (unit === "utf-32") return 1;
  if (unit === "utf-16") return codePoint > 0xffff ? 2 : 1;
  return codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4;
}

/** Length of a line in units. */
export function columnsOf(line: string, unit: ColumnUnit): number {
  if (unit === "utf-16") return line.length;
  let units = 0;
  for (const character of line) units += unitsOf(character.codePointAt(0) ?? 0, unit);
  return units;
}

/**
 * A zero-based column in other units. A column inside a character goes to the character's start; one past the
 * line's end goes to the end.
 */
export function convertColumn(line: string, column: number, from: ColumnUnit, to: ColumnUnit): number {
  return walk({ at: 0, seen: 0, out: 0 }, line, column, from, to);
}

/** How far a walk along a line has come: its offset, and the units before it. */
interface Walk {
  at: number;
  seen: number;
  out: number;
}

function walk(state: Walk, line: string, column: number, from: ColumnUnit, to: ColumnUnit): number {
  while (state.at < line.length) {
    const codePoint = line.codePointAt(state.at) ?? 0;
    const next = state.seen + unitsOf(codePoint, from);
    if (next > column) break;
    state.seen = next;
    state.out += unitsOf(codePoint, to);
    state.at += codePoint > 0xffff ? 2 : 1;
  }
  return state.out;
}

/** Columns of a text in other units, as `convertColumn` gives them. Those of one line that come in order cost one walk along it. */
export class ColumnWalk {
  #number = -1;
  #line = "";
  #walk: Walk = { at: 0, seen: 0, out: 0 };

  constructor(
    private readonly lines: Lines,
    private readonly from: ColumnUnit,
    private readonly to: ColumnUnit,
  ) {}

  /** A column of a zero-based line. */
  convert(line: number, column: number): number {
    if (this.lines.isPlain(line)) return this.lines.column(line, column, this.from, this.to);
    if (line !== this.#number) this.#line = this.lines.line(line);
    if (line !== this.#number || column < this.#walk.seen) this.#walk = { at: 0, seen: 0, out: 0 };
    this.#number = line;
    return walk(this.#walk, this.#line, column, this.from, this.to);
  }
}

/** The longest prefix of at most `max` characters (code points): a cut never splits one. */
export function cutCharacters(text: string, max: number): { text: string; cut: boolean } {
  if (text.length <= max) return { text, cut: false };
  let count = 0;
  let end = 0;
  for (const character of text) {
    if (count === max) return { text: text.slice(0, end), cut: true };
    count++;
    end += character.length;
  }
  return { text, cut: false };
}

/** At most `max` characters of a text, with `length` characters from `from` on in their middle: a cut never splits one. */
export function cutAround(
  text: string,
  from: number,
  length: number,
  max: number,
): { text: string; cut: boolean } {
  const characters = text.length <= max ? [] : [...text];
  if (characters.length <= max) return { text, cut: false };
  const before = Math.floor(Math.max(0, max - length) / 2);
  const start = Math.max(0, Math.min(from - before, characters.length - max));
  return { text: characters.slice(start, start + max).join(""), cut: true };
}

/** The same text without what it was cut out of: V8 keeps the whole of a text alive for any part of it. */
export function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
