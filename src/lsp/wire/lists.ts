/**
 * Answers that are lists of symbols or of places, read straight from their bytes: most large answers are such lists, and who knows
 * what stands in them is quicker than `JSON.parse`; of the symbols of a file it takes two fifths of the time. Read is only
 * what is written plainly, without blanks or members of a server's own; anything else goes the way of all messages, which gives the same.
 */
import type { Message } from "vscode-jsonrpc/node";
import type { Position, Range } from "vscode-languageserver-protocol";
import { Fault } from "../../base/problem.js";

/** From this size on it is tried. */
export const LIST_MIN = 4_096;
/** So much of the first list is read; of each further one as much as of all before. Code that has hardly run is interpreted, and slow. */
const FIRST_BYTES = 4_096;
/** Symbols within symbols, about up to this depth. */
const DEEPEST = 64;
/** LSP's numbers have no more. */
const DIGITS_MAX = 10;

const QUOTE = 0x22;
const COMMA = 0x2c;
const ZERO = 0x30;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACKET_END = 0x5d;
const BRACE = 0x7b;
const BRACE_END = 0x7d;

/** A place, or a symbol in either of its forms: with the members that were told, in their order. */
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

/** What is written in 4 to 20 bytes, to be compared with those of a message four by four; the last ones may begin within others. */
class Written {
  readonly length: number;
  readonly first: number;
  readonly second: number;
  readonly third: number;
  readonly fourth: number;
  readonly last: number;
  readonly secondAt: number;
  readonly thirdAt: number;
  readonly fourthAt: number;
  readonly lastAt: number;

  constructor(text: string) {
    const bytes = Buffer.from(text);
    if (bytes.length < 4 || bytes.length > 20) throw new Fault(`${text} is not of 4 to 20 bytes`);
    this.length = bytes.length;
    this.lastAt = bytes.length - 4;
    this.secondAt = Math.min(4, this.lastAt);
    this.thirdAt = Math.min(8, this.lastAt);
    this.fourthAt = Math.min(12, this.lastAt);
    this.first = bytes.readInt32LE(0);
    this.second = bytes.readInt32LE(this.secondAt);
    this.third = bytes.readInt32LE(this.thirdAt);
    this.fourth = bytes.readInt32LE(this.fourthAt);
    this.last = bytes.readInt32LE(this.lastAt);
  }
}

/** A member, with its name as it is written. */
interface Member<Name extends string> {
  name: Name;
  written: Written;
}

function named<Name extends string>(...names: Name[]): readonly Member<Name>[] {
  return names.map((name) => ({ name, written: new Written(`"${name}":`) }));
}

const answerMembers = named("jsonrpc", "id", "result");
/** In about the order in which servers tell them: what follows the last one is tried first. */
const itemMembers = named(
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
/** Most servers write a whole range in this order. */
const START_LINE = new Written('{"start":{"line":');
const THEN_END_LINE = new Written('},"end":{"line":');
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

/** How many bytes were read so far. */
let practice = 0;

/** The answer in a body, as `JSON.parse` gives it; undefined where it is not a plain list, not JSON at all, or longer than is read of it. */
export function readList(body: Buffer, most = FIRST_BYTES + practice): Message | undefined {
  const reader = new ListReader(body, most);
  try {
    return reader.answer();
  } catch {
    // Whatever was in the way: the way of all messages judges it.
    return undefined;
  } finally {
    practice += reader.at;
  }
}

class ListReader {
  readonly #bytes: Buffer;
  readonly #view: DataView;
  readonly #most: number;
  #at = 0;

  /** Gives up behind `most` bytes, or soon after. */
  constructor(bytes: Buffer, most: number) {
    this.#bytes = bytes;
    this.#most = most;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** How far it has come. */
  get at(): number {
    return this.#at;
  }

  answer(): Message {
    const answer: Partial<Answer> = {};
    this.#expect(BRACE);
    for (let next = 0; ; ) {
      const member = this.#member(answerMembers, next);
      next = member + 1;
      switch (answerMembers[member]?.name) {
        case "jsonrpc":
          if (!this.#passes(VERSION)) throw unusual;
          answer.jsonrpc = "2.0";
          break;
        case "id":
          answer.id = this.#number();
          break;
        case "result":
          answer.result = this.#items(0);
          break;
      }
      if (this.#passesEnd(BRACE_END)) break;
    }
    if (this.#at !== this.#bytes.length || answer.result === undefined) throw unusual;
    return answer as Message;
  }

  #items(depth: number): Item[] {
    const items: Item[] = [];
    if (this.#passesEmpty()) return items;
    if (depth > DEEPEST) throw unusual;
    do items.push(this.#item(depth));
    while (!this.#passesEnd(BRACKET_END));
    return items;
  }

  #item(depth: number): Item {
    const item: Item = {};
    if (this.#at > this.#most) throw unusual;
    this.#expect(BRACE);
    for (let next = 0; ; ) {
      const member = this.#member(itemMembers, next);
      next = member + 1;
      switch (itemMembers[member]?.name) {
        case "name":
          item.name = this.#text();
          break;
        case "detail":
          item.detail = this.#passes(NULL) ? null : this.#text();
          break;
        case "kind":
          item.kind = this.#number();
          break;
        case "tags":
          item.tags = this.#passes(NULL) ? null : this.#numbers();
          break;
        case "deprecated":
          item.deprecated = this.#passes(NULL) ? null : this.#flag();
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
          item.containerName = this.#passes(NULL) ? null : this.#text();
          break;
        case "children":
          item.children = this.#passes(NULL) ? null : this.#items(depth + 1);
          break;
      }
      if (this.#passesEnd(BRACE_END)) return item;
    }
  }

  #range(): Range {
    let range: Range;
    if (this.#passes(START_LINE)) {
      const start = this.#afterLine();
      range = { start, end: this.#passes(THEN_END_LINE) ? this.#afterLine() : this.#endAfter() };
    } else if (this.#passes(START)) {
      const start = this.#position();
      range = { start, end: this.#endAfter() };
    } else {
      if (!this.#passes(END)) throw unusual;
      const end = this.#position();
      this.#expect(BRACE_END);
      if (!this.#passes(THEN_START)) throw unusual;
      range = { end, start: this.#position() };
    }
    this.#expect(BRACE_END);
    this.#expect(BRACE_END);
    return range;
  }

  /** The end behind a start, whichever of the two numbers of either is first; its brace is left. */
  #endAfter(): Position {
    this.#expect(BRACE_END);
    if (!this.#passes(THEN_END)) throw unusual;
    return this.#position();
  }

  /** A position; its brace is left. */
  #position(): Position {
    if (this.#passes(LINE)) return this.#afterLine();
    if (!this.#passes(CHARACTER)) throw unusual;
    const character = this.#number();
    if (!this.#passes(THEN_LINE)) throw unusual;
    return { character, line: this.#number() };
  }

  /** A position whose line is next. */
  #afterLine(): Position {
    const line = this.#number();
    if (!this.#passes(THEN_CHARACTER)) throw unusual;
    return { line, character: this.#number() };
  }

  /** A whole number from zero on, without a sign. */
  #number(): number {
    const bytes = this.#bytes;
    const from = this.#at;
    let at = from;
    let value = digitAt(bytes, at);
    if (value < 0) throw unusual;
    const isZero = value === 0;
    for (let digit = digitAt(bytes, ++at); digit >= 0; digit = digitAt(bytes, ++at))
      value = 10 * value + digit;
    if (at - from > DIGITS_MAX || (isZero && at - from > 1)) throw unusual;
    this.#at = at;
    return value;
  }

  #numbers(): number[] {
    const numbers: number[] = [];
    if (this.#passesEmpty()) return numbers;
    do numbers.push(this.#number());
    while (!this.#passesEnd(BRACKET_END));
    return numbers;
  }

  #flag(): boolean {
    if (this.#passes(TRUE)) return true;
    if (this.#passes(FALSE)) return false;
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
      const member = next + tried < members.length ? next + tried : next + tried - members.length;
      const written = members[member]?.written;
      if (written !== undefined && this.#passes(written)) return member;
    }
    throw unusual;
  }

  /** Passes what is written so, where it stands here. Written out: a loop over the fours took a fifth longer. */
  #passes(written: Written): boolean {
    const view = this.#view;
    const at = this.#at;
    const isHere =
      at + written.length <= view.byteLength &&
      view.getInt32(at, true) === written.first &&
      view.getInt32(at + written.secondAt, true) === written.second &&
      view.getInt32(at + written.thirdAt, true) === written.third &&
      view.getInt32(at + written.fourthAt, true) === written.fourth &&
      view.getInt32(at + written.lastAt, true) === written.last;
    if (isHere) this.#at = at + written.length;
    return isHere;
  }

  #expect(byte: number): void {
    if (this.#bytes[this.#at] !== byte) throw unusual;
    this.#at += 1;
  }

  /** Passes the beginning of a list, and its end where nothing stands in between: whether that is so. */
  #passesEmpty(): boolean {
    this.#expect(BRACKET);
    if (this.#bytes[this.#at] !== BRACKET_END) return false;
    this.#at += 1;
    return true;
  }

  /** Passes what stands behind a member or an item: whether it was the last. */
  #passesEnd(end: number): boolean {
    const byte = this.#bytes[this.#at];
    if (byte !== end && byte !== COMMA) throw unusual;
    this.#at += 1;
    return byte === end;
  }
}

/** The digit at a place; less than zero where there is none. */
function digitAt(bytes: Buffer, at: number): number {
  const digit = (bytes[at] ?? 0) - ZERO;
  return digit <= 9 ? digit : -1;
}
