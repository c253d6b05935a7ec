/**
 * Lines and columns of a text, decoding texts and cutting texts to a length. Lines end at \n, \r\n or \r, as LSP says;
 * those of a stream of messages only at \n. Columns count units of one encoding; the default for agents is the
 * character (Unicode code point).
 */

/** The unit of columns: one of the three LSP encodings; `utf-32` counts characters. */
export type PositionEncoding = "utf-8" | "utf-16" | "utf-32";

/** A text that is split into lines once, for many look-ups. */
export class Lines {
  readonly #starts = [0];
  /** The lines that are not ASCII: on all others the columns are the same in every unit. */
  readonly #notAscii = new Set<number>();

  constructor(readonly text: string) {
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0x80) this.#notAscii.add(this.#starts.length - 1);
      if (code === 10 || (code === 13 && text.charCodeAt(i + 1) !== 10)) this.#starts.push(i + 1);
    }
  }

  /** Number of lines; an empty text has one. */
  get count(): number {
    return this.#starts.length;
  }

  /** Offset (code units) of the first character of a line. */
  start(line: number): number {
    return this.#starts[line] ?? this.text.length;
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
    return this.text.slice(this.start(line), this.#end(line));
  }

  /** Offset after the last character of an existing line. */
  #end(line: number): number {
    const start = this.start(line);
    let end = this.#starts[line + 1] ?? this.text.length;
    while (end > start && isLineEnd(this.text.charCodeAt(end - 1))) end--;
    return end;
  }

  /** A column of a zero-based line in other units, as `convertColumn` gives it. */
  column(line: number, column: number, from: PositionEncoding, to: PositionEncoding): number {
    if (!this.isPlain(line)) return convertColumn(this.line(line), column, from, to);
    return Math.max(0, Math.min(column, this.#end(line) - this.start(line)));
  }

  /** Length of a zero-based line in units. */
  columns(line: number, unit: PositionEncoding): number {
    return this.column(line, Number.POSITIVE_INFINITY, "utf-16", unit);
  }

  /** Whether a line exists and its columns are the same in all units. */
  isPlain(line: number): boolean {
    return line >= 0 && line < this.#starts.length && !this.#notAscii.has(line);
  }

  /** Offset (code units) of a zero-based line and column, clamped to the line. */
  offset(line: number, column: number, unit: PositionEncoding): number {
    if (line >= this.#starts.length) return this.text.length;
    return this.start(line) + this.column(line, column, unit, "utf-16");
  }
}

function isLineEnd(code: number): boolean {
  return code === 10 || code === 13;
}

/** The units of one code point. */
function unitsOf(codePoint: number, unit: PositionEncoding): number {
  if (unit === "utf-32") return 1;
  if (unit === "utf-16") return codePoint > 0xffff ? 2 : 1;
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** Length of a line in units. */
export function columnsOf(line: string, unit: PositionEncoding): number {
  if (unit === "utf-16") return line.length;
  let units = 0;
  for (const character of line) units += unitsOf(character.codePointAt(0) ?? 0, unit);
  return units;
}

/**
 * A zero-based column in other units. A column inside a character moves to the character's start; one past the line's
 * end moves to the end.
 */
export function convertColumn(
  line: string,
  column: number,
  from: PositionEncoding,
  to: PositionEncoding,
): number {
  if (from === "utf-16" && to === "utf-16") return wholeColumn(line, column);
  return walk({ at: 0, seen: 0, out: 0 }, line, column, from, to);
}

/** A column in UTF-16 units as `convertColumn` clamps it; no walk along a long line is needed for it. */
function wholeColumn(line: string, column: number): number {
  const at = Math.max(0, Math.min(column, line.length));
  return at > 0 && (line.codePointAt(at - 1) ?? 0) > 0xffff ? at - 1 : at;
}

/** A position on a line: its offset, and the units before it in both encodings. */
interface Walk {
  at: number;
  seen: number;
  out: number;
}

function walk(
  state: Walk,
  line: string,
  column: number,
  from: PositionEncoding,
  to: PositionEncoding,
): number {
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

/** Converts columns like `convertColumn`. Ascending columns of one line cost one pass along the line. */
export class ColumnWalk {
  #number = -1;
  #line = "";
  #walk: Walk = { at: 0, seen: 0, out: 0 };

  constructor(
    private readonly lines: Lines,
    private readonly from: PositionEncoding,
    private readonly to: PositionEncoding,
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

const BYTE_ORDER_MARK = "\uFEFF";

/** A text, perhaps in UTF-8 bytes, and the byte order mark before it, if any; undefined when it is not UTF-8. */
export function decodeUtf8(content: string | Uint8Array): { mark: string; text: string } | undefined {
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const whole = typeof content === "string" ? content : decoder.decode(content);
    const mark = whole.startsWith(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK : "";
    return { mark, text: whole.slice(mark.length) };
  } catch {
    return undefined;
  }
}

/** The longest prefix of at most `max` characters (code points). */
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

/** At most `max` characters of a text, around the `length` characters that begin at `from`. */
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

/** A copy of a substring: V8 keeps the whole text in memory for a slice of it. */
export function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}

const NEWLINE = 10;

/** Puts the chunks of a stream together to lines, which end at \n. A line that is too long is reported and skipped. */
export class LineReader {
  /** The parts of an unfinished line, and their length in bytes. */
  #parts: Buffer[] = [];
  #length = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly onLine: (line: string) => void,
    private readonly onTooLong: () => void,
  ) {}

  readonly push = (chunk: Buffer | string): void => {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(NEWLINE); end >= 0; end = bytes.indexOf(NEWLINE, start)) {
      this.#append(bytes.subarray(start, end));
      const line = Buffer.concat(this.#parts).toString("utf8").trim();
      this.#parts = [];
      this.#length = 0;
      start = end + 1;
      if (line !== "") this.onLine(line);
    }
    this.#append(bytes.subarray(start));
  };

  #append(part: Buffer): void {
    const wasTooLong = this.#length > this.maxBytes;
    this.#length += part.length;
    if (this.#length <= this.maxBytes) {
      this.#parts.push(part);
      return;
    }
    this.#parts = [];
    if (!wasTooLong) this.onTooLong();
  }
}
