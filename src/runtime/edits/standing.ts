/**
 * How a declaration stands in its lines: alone, as the only one of a statement (`export const a = 1;`), or as an element
 * of a list. Servers give many declarations without the words before them and the sign after them, so a text that is put
 * in their place, before or behind them, is only right where the rest of the lines is understood; elsewhere it is refused.
 */
import { Refusal } from "../../base/problem.js";
import type { Lines } from "../../base/text.js";
import type { TextChange } from "../../workspace/edits/types.js";
import { leadingStart } from "./leading.js";
import { type Extent, pointAt } from "./offsets.js";

/** A declaration of a server in its text. */
export interface Declaration {
  extent: Extent;
  /** Where its name stands. */
  name: Extent;
  /** Whether the server says that it is one of an enumeration. */
  isEnumMember: boolean;
  /** Lines on which other declarations have their names: what stands there does not belong to this one. */
  taken: ReadonlySet<number>;
}

const ownTail = /^[ \t]*([;,]?)[ \t]*(?:\/\/.*|\/\*(?:(?!\*\/).)*\*\/[ \t]*|#.*|--.*)?$/;
const words = /^[ \t]*(?:[A-Za-z_]+[ \t]+)+$/;
const commentStart = /^\s*(?:\/\/|\/\*|#(?:\s|$)|--)/;

/** The declaration gives way to the text. */
export function replaced(lines: Lines, declaration: Declaration, text: string): TextChange {
  const standing = new Standing(lines, declaration);
  const { head, mark } = standing;
  if (mark === undefined || head === "other") throw standing.notAlone();
  if (head === "words" && mark === ",") throw standing.notAlone();
  if (standing.isElement() && !standing.fitsList(text)) throw standing.inList();
  const isNamed = standing.beginsWithName(text);
  if (head === "words" && !isNamed && !standing.beginsWithHead(text)) throw standing.wordsMissing();
  const from = head === "words" && !isNamed ? standing.lineStart + standing.indent.length : standing.start;
  const start = commentStart.test(text) ? standing.afterIndent(standing.comments(from)) : from;
  const body = withoutLast(text, mark);
  const isIndented = standing.indent !== "" && body.startsWith(standing.indent);
  return { start, end: standing.end, newText: isIndented ? body.slice(standing.indent.length) : body };
}

/** The text on lines of its own before the declaration and what belongs to it: comments, decorators. */
export function before(lines: Lines, declaration: Declaration, text: string): TextChange {
  const standing = new Standing(lines, declaration);
  if (standing.head === "other") throw standing.notAlone();
  if (standing.isElement() && standing.head === "indent" && !/,\s*$/.test(text)) throw standing.inList();
  const at = standing.leading();
  return { start: at, end: at, newText: onLines(text) };
}

/** The text on lines of its own after the declaration, whose line keeps what stands at its end. */
export function after(lines: Lines, declaration: Declaration, text: string): TextChange {
  const standing = new Standing(lines, declaration);
  const { head, mark } = standing;
  if (mark === undefined || head === "other") throw standing.notAlone();
  if (head === "words" && mark === ",") throw standing.notAlone();
  const isClosed = mark === "," && /,\s*$/.test(text);
  if (standing.isElement() && mark !== ";" && !isClosed) throw standing.inList();
  const next = /\r\n|\r|\n/.exec(lines.text.slice(standing.end));
  if (next === null) {
    const at = lines.text.length;
    return { start: at, end: at, newText: `\n${text.replace(/(\r\n|\r|\n)$/, "")}` };
  }
  const at = standing.end + next.index + next[0].length;
  return { start: at, end: at, newText: onLines(text) };
}

class Standing {
  readonly start: number;
  readonly end: number;
  readonly lineStart: number;
  readonly indent: string;
  /** What stands before it on its first line. */
  readonly head: "indent" | "words" | "other";
  /** The sign after it on its last line, or none; undefined where more than that and a comment stands there. */
  readonly mark: string | undefined;
  readonly #headText: string;

  constructor(
    private readonly lines: Lines,
    private readonly declaration: Declaration,
  ) {
    const { text } = lines;
    const { extent } = declaration;
    // Some servers count the white space around a declaration in.
    const own = text.slice(extent.start, extent.end);
    this.start = extent.start + (own.length - own.trimStart().length);
    this.end = this.start + own.trim().length;
    this.lineStart = lines.start(pointAt(lines, this.start, "utf-16").line);
    this.#headText = text.slice(this.lineStart, this.start);
    this.indent = /^[ \t]*/.exec(this.#headText)?.[0] ?? "";
    const isIndent = this.#headText.length === this.indent.length;
    this.head = isIndent ? "indent" : words.test(this.#headText) ? "words" : "other";
    this.mark = ownTail.exec(/^[^\r\n]*/.exec(text.slice(this.end))?.[0] ?? "")?.[1];
  }

  /** Whether commas part it from others. */
  isElement(): boolean {
    if (this.mark === ",") return true;
    const { text } = this.lines;
    const last = withoutComment(text.slice(0, this.leading()).trimEnd()).at(-1);
    const next = text.slice(this.end).trimStart()[0];
    return last === "," || (this.declaration.isEnumMember && last === "{" && next === "}");
  }

  /** Where the lines begin that belong to it. */
  leading(): number {
    return leadingStart(this.lines, this.lineStart, this.declaration.taken, "all");
  }

  /** Where the comments begin that a text with comments of its own takes the place of. */
  comments(from: number): number {
    const at = leadingStart(this.lines, this.lineStart, this.declaration.taken, "comments");
    return at === this.lineStart ? from : at;
  }

  /** The offset after the white space that stands at an offset. */
  afterIndent(offset: number): number {
    return offset + (/^[ \t]*/.exec(this.lines.text.slice(offset))?.[0].length ?? 0);
  }

  /** Whether a text is the declaration as the server has it: from its name on. */
  beginsWithName(text: string): boolean {
    const { name } = this.declaration;
    const own = this.lines.text.slice(name.start, name.end);
    const rest = text.trimStart();
    return own !== "" && rest.startsWith(own) && !/^\w/.test(rest.slice(own.length));
  }

  /** Whether a text is no statement where an element stands that has no words before its name. */
  fitsList(text: string): boolean {
    if (this.mark === "," && /;\s*$/.test(text)) return false;
    return this.start !== this.declaration.name.start || !/^\s*[A-Za-z_]\w*[ \t]+[A-Za-z_]/.test(text);
  }

  /** Whether a text begins, after comments and decorators, with the word that the line begins with. */
  beginsWithHead(text: string): boolean {
    const word = this.#headText.trim().split(/\s+/)[0] ?? "";
    return text.split(/\r\n|\r|\n/).some((line) => new RegExp(`^\\s*${word}\\b`).test(line));
  }

  notAlone(): Refusal {
    return this.#refusal("does not stand on lines of its own", "Change the lines as a whole.");
  }

  wordsMissing(): Refusal {
    const said = this.#headText.trim();
    const fix = `Begin the text with \`${said}\`, or with the name alone to keep these words.`;
    return this.#refusal(`stands after \`${said}\`, which the text leaves out`, fix);
  }

  inList(): Refusal {
    const fix =
      "End the text with a comma where one stands after the symbol, or replace the symbol by itself and the new text.";
    return this.#refusal("is an element of a list with commas", fix);
  }

  #refusal(what: string, fix: string): Refusal {
    const { line } = pointAt(this.lines, this.start, "utf-16");
    const shown = this.lines.line(line).trim();
    return new Refusal("edit/not-alone", `The declaration ${what}. ${fix} Its first line is: ${shown}`);
  }
}

/** A text without its last line end, and without the sign that the file has after it. */
function withoutLast(text: string, mark: string): string {
  const body = text.trimEnd();
  return mark !== "" && body.endsWith(mark) ? body.slice(0, -1) : body;
}

/** A text whose last line has no comment at its end. */
function withoutComment(text: string): string {
  return text
    .replace(/(?:(?:^|[ \t,])\/\/[^\r\n]*|\/\*(?:(?!\*\/).)*\*\/)$/, (found) =>
      found.startsWith(",") ? "," : "",
    )
    .trimEnd();
}

function onLines(text: string): string {
  return /[\r\n]$/.test(text) ? text : `${text}\n`;
}
