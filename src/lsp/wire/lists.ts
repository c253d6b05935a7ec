/**
 * Answers that are lists of symbols or of places, read straight from their bytes: most large answers are such lists, and reading
 * what one knows takes less than half of the time. Read is only what is written plainly, as nearly all servers write it; for
 * anything else the way of all messages remains, and both give the same.
 */
import type { Message } from "vscode-jsonrpc/node";

/** From this size on it is tried. */
export const LIST_MIN = 2_048;
/** Symbols within symbols, up to this depth. */
const DEEPEST = 64;
const DIGITS_MAX = 9;

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** A position, a range, a place, or a symbol in either of its forms: with the members that were told, in their order. */
interface Position {
  line: number;
  character: number;
}
interface Range {
  start: Position;
  end: Position;
}
interface Item {
  name?: string;
  detail?: string | null;
  kind?: number;
  tags?: number[] | null;
  deprecated?: boolean | null;
  containerName?: string | null;
  uri?: string;
  range?: Range;
  selectionRange?: Range;
  location?: Item;
  children?: Item[] | null;
}
interface Answer extends Message {
  id?: number;
  result?: Item[];
}

/** Bytes to be compared with those of a message: four by four, and the last four, which may begin within those before. */
class Written {
  readonly length: number;
  readonly fours: Int32Array;
  readonly last: number;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    this.length = bytes.length;
    this.fours = Int32Array.from({ length: bytes.length >> 2 }, (_, at) => bytes.readInt32LE(4 * at));
    this.last = bytes.readInt32LE(bytes.length - 4);
  }
}

/** A member, with its name as it is written. */
interface Member<Name extends string> {
  name: Name;
  written: Written;
}

function members<Name extends string>(...names: Name[]): readonly Member<Name>[] {
  return names.map((name) => ({ name, written: new Written(`"${name}":`) }));
}

const answerMembers = members("jsonrpc", "id", "result");
/** In about the order in which servers tell them: what follows the last one is tried first. */
const itemMembers = members(
  "name",
  "detail",
  "kind",
  "range",
  "selectionRange",
  "children",
  "uri",
  "location",
  "containerName",
  "tags",
  "deprecated",
);
const VERSION = new Written('"2.0"');
const LINE = new Written('{"line":');
const THEN_CHARACTER = new Written(',"character":');
const START = new Written('{"start":');
const THEN_END = new Written(',"end":');
/** The same by the alphabet, as clangd tells it. */
const CHARACTER = new Written('{"character":');
const THEN_LINE = new Written(',"line":');
const END = new Written('{"end":');
const THEN_START = new Written(',"start":');
/** What some servers say of a member that they could leave out. */
const NULL = new Written("null");
const TRUE = new Written("true");
const FALSE = new Written("false");

/** Thrown where something is not written plainly; made once, since nobody looks at it. */
const unusual = new Error("this is for JSON.parse");

/** The answer in a body, as `JSON.parse` gives it; undefined where it is not a plain list, or not JSON at all. */
export function readList(body: Buffer): Message | undefined {
  try {
    return new ListReader(body).answer();
  } catch {
    return undefined;
  }
}

class ListReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  answer(): Message {
    const answer: Partial<Answer> = {};
    this.#expect(BRACE);
    for (let next = 0; ; ) {
      const member = this.#member(answerMembers, next);
      next = member + 1;
      switch (answerMembers[member]?.name) {
        case "jsonrpc":
          if (!this.#is(VERSION)) throw unusual;
          answer.jsonrpc = "2.0";
          break;
        case "id":
          answer.id = this.#number();
          break;
        case "result":
          answer.result = this.#items(0);
          break;
      }
      if (this.#ends(BRACE_END)) break;
    }
    if (this.#at !== this.#bytes.length || answer.result === undefined) throw unusual;
    return answer as Message;
  }

  #items(depth: number): Item[] {
    const items: Item[] = [];
    this.#expect(BRACKET);
    if (this.#bytes[this.#at] === BRACKET_END) {
      this.#at += 1;
      return items;
    }
    if (depth > DEEPEST) throw unusual;
    do items.push(this.#item(depth));
    while (!this.#ends(BRACKET_END));
    return items;
  }

  #item(depth: number): Item {
    const item: Item = {};
    this.#expect(BRACE);
    for (let next = 0; ; ) {
      const member = this.#member(itemMembers, next);
      next = member + 1;
      switch (itemMembers[member]?.name) {
        case "name":
          item.name = this.#text();
          break;
        case "detail":
          item.detail = this.#is(NULL) ? null : this.#text();
          break;
        case "kind":
          item.kind = this.#number();
          break;
        case "tags":
          item.tags = this.#is(NULL) ? null : this.#numbers();
          break;
        case "deprecated":
          item.deprecated = this.#is(NULL) ? null : this.#flag();
          break;
        case "uri":
          item.uri = this.#text();
          break;
        case "range":
          item.range = this.#range();
          break;
        case "selectionRange":
          item.selectionRange = this.#range();
          break;
        case "location":
          if (depth > DEEPEST) throw unusual;
          item.location = this.#item(depth + 1);
          break;
        case "containerName":
          item.containerName = this.#is(NULL) ? null : this.#text();
          break;
        case "children":
          item.children = this.#is(NULL) ? null : this.#items(depth + 1);
          break;
      }
      if (this.#ends(BRACE_END)) return item;
    }
  }

  #range(): Range {
    let range: Range;
    if (this.#is(START)) {
      const start = this.#position();
      if (!this.#is(THEN_END)) throw unusual;
      range = { start, end: this.#position() };
    } else {
      if (!this.#is(END)) throw unusual;
      const end = this.#position();
      if (!this.#is(THEN_START)) throw unusual;
      range = { end, start: this.#position() };
    }
    this.#expect(BRACE_END);
    return range;
  }

  #position(): Position {
    let position: Position;
    if (this.#is(LINE)) {
      const line = this.#number();
      if (!this.#is(THEN_CHARACTER)) throw unusual;
      position = { line, character: this.#number() };
    } else {
      if (!this.#is(CHARACTER)) throw unusual;
      const character = this.#number();
      if (!this.#is(THEN_LINE)) throw unusual;
      position = { character, line: this.#number() };
    }
    this.#expect(BRACE_END);
    return position;
  }

  /** A whole number from zero on, without a sign. */
  #number(): number {
    const bytes = this.#bytes;
    const from = this.#at;
    let at = from;
    let value = 0;
    for (let digit = digitAt(bytes, at); digit >= 0; digit = digitAt(bytes, at)) {
      value = 10 * value + digit;
      at += 1;
    }
    const length = at - from;
    if (length === 0 || length > DIGITS_MAX || (length > 1 && bytes[from] === ZERO)) throw unusual;
    this.#at = at;
    return value;
  }

  #numbers(): number[] {
    const numbers: number[] = [];
    this.#expect(BRACKET);
    if (this.#bytes[this.#at] === BRACKET_END) {
      this.#at += 1;
      return numbers;
    }
    do numbers.push(this.#number());
    while (!this.#ends(BRACKET_END));
    return numbers;
  }

  #flag(): boolean {
    if (this.#is(TRUE)) return true;
    if (this.#is(FALSE)) return false;
    throw unusual;
  }

  #text(): string {
    const bytes = this.#bytes;
    this.#expect(QUOTE);
    const from = this.#at;
    let at = from;
    let isEscaped = false;
    let all = 0;
    for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[at]) {
      if (byte === undefined || byte < 0x20) throw unusual;
      if (byte === BACKSLASH) {
        isEscaped = true;
        at += 1;
      }
      all |= byte;
      at += 1;
    }
    this.#at = at + 1;
    if (isEscaped) return JSON.parse(bytes.toString("utf8", from - 1, at + 1));
    return bytes.toString(all < 0x80 ? "latin1" : "utf8", from, at);
  }

  /** Which of these members begins here; the one at `next` is tried first. */
  #member(members: readonly Member<string>[], next: number): number {
    for (let tried = 0; tried < members.length; tried++) {
      const member = (next + tried) % members.length;
      const written = members[member]?.written;
      if (written !== undefined && this.#is(written)) return member;
    }
    throw unusual;
  }

  /** Passes what is written so, where it stands here. */
  #is({ length, fours, last }: Written): boolean {
    const view = this.#view;
    const at = this.#at;
    if (at + length > view.byteLength) return false;
    for (let index = 0; index < fours.length; index++)
      if (view.getInt32(at + 4 * index, true) !== fours[index]) return false;
    if (view.getInt32(at + length - 4, true) !== last) return false;
    this.#at = at + length;
    return true;
  }

  #expect(byte: number): void {
    if (this.#bytes[this.#at] !== byte) throw unusual;
    this.#at += 1;
  }

  /** Passes what stands behind a member or an item: whether it was the last. */
  #ends(end: number): boolean {
    const byte = this.#bytes[this.#at];
    if (byte !== end && byte !== COMMA) throw unusual;
    this.#at += 1;
    return byte === end;
  }
}

function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - ZERO;
  return digit <= 9 ? digit : -1;
}
