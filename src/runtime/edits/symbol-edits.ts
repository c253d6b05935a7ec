/**
 * Replaces a declaration, or inserts text before or after it. Servers often leave the words before a declaration
 * (`export const`) and the separator after it out of its range. An edit is refused if other code on the
 * declaration's lines is not recognised.
 */
import type { JsonObject } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { Lines } from "../../base/text.js";
import type { TextChange } from "../../workspace/edits/types.js";
import { toSpan } from "../answer/places.js";
import type { CallState } from "../call-state.js";
import { symbolsIn } from "../point/find-symbol.js";
import { type FoundSymbol, isBefore } from "../point/symbols.js";
import type { Target } from "../point/target.js";
import { EditBuilder, type Extent, exactExtent, type ProposedEdit } from "./proposed-edit.js";

export interface Declaration {
  extent: Extent;
  name: Extent;
  isEnumMember: boolean;
  /** Lines with the names of other declarations, which do not belong to this one. */
  otherNameLines: ReadonlySet<number>;
}

type MakeChange = (lines: Lines, declaration: Declaration, text: string) => TextChange;

/** The separator after a declaration, optionally followed by a comment. */
const lineTail = /^[ \t]*([;,]?)[ \t]*(?:\/\/.*|\/\*(?:(?!\*\/).)*\*\/[ \t]*|#.*|--.*)?$/;
const onlyWords = /^[ \t]*(?:[A-Za-z_]+[ \t]+)+$/;
const commentStart = /^\s*(?:\/\/|\/\*|#(?:\s|$)|--)/;
const lineComment = /^(?:\/\/|#(?:\s|$)|--(?:\s|-|$))/;
const decorator = /^(?:@[A-Za-z_]|#!?\[|\[[A-Za-z_][^\]]*\]$)/;
const MAX_BLOCK_LINES = 200;

export const replaceSymbol = (call: CallState, args: JsonObject) =>
  editSymbol(call, args, replaceDeclaration);
export const insertBeforeSymbol = (call: CallState, args: JsonObject) => editSymbol(call, args, insertBefore);
export const deleteSymbol = (call: CallState, args: JsonObject) => editSymbol(call, args, deleteDeclaration);
export const insertAfterSymbol = (call: CallState, args: JsonObject) => editSymbol(call, args, insertAfter);

async function editSymbol(call: CallState, args: JsonObject, makeChange: MakeChange): Promise<ProposedEdit> {
  const { target } = call.evidence;
  if (target === undefined) throw new Refusal("point/incomplete", "This tool needs a symbol.");
  const { admitted, document } = target;
  const declaration = await declarationAt(call, target);
  const builder = new EditBuilder(call, undefined, call.changeCursor);
  const { lines, hash } = await builder.baseText(admitted);
  if (hash !== document.hash)
    throw new Refusal("edit/changed", `${admitted.shown} changed while the server was asked.`);
  const change = makeChange(lines, declaration, String(args.text ?? ""));
  builder.edit.changes.push({ kind: "edit", path: admitted.path, sha256: hash, changes: [change] });
  if (target.place !== undefined) builder.edit.symbol = { path: admitted.path, place: target.place };
  return builder.edit;
}

/** The declaration whose name is at the target's position. */
async function declarationAt(call: CallState, target: Target): Promise<Declaration> {
  const { place, document } = target;
  if (place === undefined) throw new Refusal("point/incomplete", "This tool needs a symbol or a position.");
  const symbols = await symbolsIn(call, target);
  const isAtPlace = ({ details: { selection }, server }: FoundSymbol) => {
    if (selection === undefined) return false;
    const { start, end } = toSpan(document.lines, selection, server.encoding, "utf-16");
    return !isBefore(place, start) && !isBefore(end, place);
  };
  const found = symbols.filter(isAtPlace).flatMap(({ range, details: { selection, kind }, server }) => {
    const extent = range && exactExtent(document.lines, range, server.encoding);
    const name = selection && exactExtent(document.lines, selection, server.encoding);
    return extent === undefined || name === undefined ? [] : [{ extent, name, kind }];
  });
  // A constructor may share its name with its class: the inner declaration is meant.
  const [inner] = sortBy(found, ({ extent }) => [extent.end - extent.start]);
  if (inner === undefined) {
    const hasNoRanges = symbols.length > 0 && symbols.every(({ details }) => details.selection === undefined);
    throw hasNoRanges
      ? new Refusal("lsp/not-supported", "The server does not report where declarations begin and end.")
      : new Refusal("point/no-symbol", "No declaration has its name at this position.");
  }
  const others = symbols.filter((symbol) => !isAtPlace(symbol));
  const lines = others.flatMap(({ details: { selection } }) => (selection ? [selection.start.line] : []));
  const { extent, name, kind } = inner;
  return { extent, name, isEnumMember: kind === "enum_member", otherNameLines: new Set(lines) };
}

export function replaceDeclaration(lines: Lines, declaration: Declaration, text: string): TextChange {
  const context = new DeclarationLines(lines, declaration);
  const { head } = context;
  const separator = context.requireAlone();
  if (context.isListElement() && !context.fitsList(text)) throw context.inList();
  const replacesHead = head === "words" && !context.beginsWithName(text);
  if (replacesHead && !context.hasLineWithHead(text)) throw context.wordsMissing();
  const from = replacesHead ? context.lineStart + context.indent.length : context.start;
  const start = commentStart.test(text) ? context.commentsStart(from) : from;
  // The separator after the declaration stays in the file.
  const trimmed = text.trimEnd();
  const body = separator !== "" && trimmed.endsWith(separator) ? trimmed.slice(0, -1) : trimmed;
  const isIndented = context.indent !== "" && body.startsWith(context.indent);
  return { start, end: context.end, newText: isIndented ? body.slice(context.indent.length) : body };
}

/** Inserts lines before the declaration and the comments and decorators that belong to it. */
export function insertBefore(lines: Lines, declaration: Declaration, text: string): TextChange {
  const context = new DeclarationLines(lines, declaration);
  if (context.head === "other") throw context.notAlone();
  if (context.isListElement() && context.head === "indent" && !/,\s*$/.test(text)) throw context.inList();
  const at = context.leadingStart("all");
  return { start: at, end: at, newText: withLineEnd(text) };
}

export function insertAfter(lines: Lines, declaration: Declaration, text: string): TextChange {
  const context = new DeclarationLines(lines, declaration);
  const separator = context.requireAlone();
  const hasCommas = separator === "," && /,\s*$/.test(text);
  if (context.isListElement() && separator !== ";" && !hasCommas) throw context.inList();
  const at = lines.start(lines.lineAt(context.end) + 1);
  const hasNoLineEnd = at === lines.text.length && !/[\r\n]$/.test(lines.text);
  const newText = hasNoLineEnd ? `\n${text.replace(/(\r\n|\r|\n)$/, "")}` : withLineEnd(text);
  return { start: at, end: at, newText };
}

/**
 * Deletes the lines of the declaration, with the comments and decorators above it and one of two blank lines around it.
 */
export function deleteDeclaration(lines: Lines, declaration: Declaration): TextChange {
  const context = new DeclarationLines(lines, declaration);
  const separator = context.requireAlone();
  // Without the last of several declarators, the one before it would end in a comma.
  if (separator !== "," && context.isListElement() && !declaration.isEnumMember) throw context.notAlone();
  const start = context.leadingStart("all");
  const above = lines.lineAt(start) - 1;
  const below = lines.lineAt(context.end) + 1;
  const isBlank = (line: number) => line >= 0 && line < lines.count && lines.line(line).trim() === "";
  const isApart = (above < 0 || isBlank(above)) && isBlank(below);
  return { start, end: lines.start(isApart ? below + 1 : below), newText: "" };
}

function withLineEnd(text: string): string {
  return /[\r\n]$/.test(text) ? text : `${text}\n`;
}

/** A declaration within its lines: what is before and after it, and the comments and decorators above it. */
class DeclarationLines {
  readonly start: number;
  readonly end: number;
  readonly lineStart: number;
  readonly indent: string;
  readonly head: "indent" | "words" | "other";
  /** `;`, `,` or nothing after it on its last line; undefined when there is more than a separator and a comment. */
  readonly separator: string | undefined;
  readonly #headText: string;

  constructor(
    private readonly lines: Lines,
    private readonly declaration: Declaration,
  ) {
    const { text } = lines;
    const { extent } = declaration;
    // Some servers include the white space around a declaration.
    const own = text.slice(extent.start, extent.end);
    this.start = extent.start + (own.length - own.trimStart().length);
    this.end = this.start + own.trim().length;
    this.lineStart = lines.start(lines.lineAt(this.start));
    this.#headText = text.slice(this.lineStart, this.start);
    this.indent = /^[ \t]*/.exec(this.#headText)?.[0] ?? "";
    this.head = onlyWords.test(this.#headText) ? "words" : "other";
    if (this.#headText.length === this.indent.length) this.head = "indent";
    this.separator = lineTail.exec(/^[^\r\n]*/.exec(text.slice(this.end))?.[0] ?? "")?.[1];
  }

  /** Whether it is separated from others by commas. */
  isListElement(): boolean {
    if (this.separator === ",") return true;
    const { text } = this.lines;
    const last = withoutComment(text.slice(0, this.leadingStart("all")).trimEnd()).at(-1);
    const next = text.slice(this.end).trimStart()[0];
    return last === "," || (this.declaration.isEnumMember && last === "{" && next === "}");
  }

  /** Where the comments above it begin, after their indentation; `from` when there are none. */
  commentsStart(from: number): number {
    const at = this.leadingStart("comments");
    if (at === this.lineStart) return from;
    return at + (/^[ \t]*/.exec(this.lines.text.slice(at))?.[0].length ?? 0);
  }

  /** Whether a text begins with the declared name, as the server's range does. */
  beginsWithName(text: string): boolean {
    const { name } = this.declaration;
    const own = this.lines.text.slice(name.start, name.end);
    const rest = text.trimStart();
    return own !== "" && rest.startsWith(own) && !/^\w/.test(rest.slice(own.length));
  }

  /** Whether a text can be a list element: false for a statement in place of a bare name. */
  fitsList(text: string): boolean {
    if (this.separator === "," && /;\s*$/.test(text)) return false;
    return this.start !== this.declaration.name.start || !/^\s*[A-Za-z_]\w*[ \t]+[A-Za-z_]/.test(text);
  }

  /** Whether a line of the text begins with the first word of the declaration's line. */
  hasLineWithHead(text: string): boolean {
    const word = this.#headText.trim().split(/\s+/)[0] ?? "";
    return text.split(/\r\n|\r|\n/).some((line) => new RegExp(`^\\s*${word}\\b`).test(line));
  }

  /** Where the comments, or also decorators, begin that are directly above it. */
  leadingStart(which: "all" | "comments"): number {
    let line = this.lines.lineAt(this.lineStart);
    for (;;) {
      const above = this.#blockAbove(line, which);
      if (above === undefined) return this.lines.start(line);
      for (let one = above; one < line; one++)
        if (this.declaration.otherNameLines.has(one)) return this.lines.start(line);
      line = above;
    }
  }

  /** The first line of the comment or decorator that ends right above a line. */
  #blockAbove(line: number, which: "all" | "comments"): number | undefined {
    const last = line - 1;
    if (last < 0) return undefined;
    const text = this.lines.line(last).trim();
    if (lineComment.test(text)) return last;
    if (text.endsWith("*/")) return this.#openingOf(last, (one) => one.startsWith("/*"));
    if (which === "comments") return undefined;
    if (decorator.test(text)) return bracketDepth(text) === 0 ? last : undefined;
    if (!/^[\])}]+$/.test(text)) return undefined;
    return this.#openingOf(last, (one, at) => decorator.test(one) && this.#closesOn(at, last));
  }

  #openingOf(last: number, isOpening: (text: string, line: number) => boolean): number | undefined {
    for (let line = last; line >= 0 && line > last - MAX_BLOCK_LINES; line--) {
      const text = this.lines.line(line).trim();
      if (isOpening(text, line)) return line;
      if (text === "") return undefined;
    }
    return undefined;
  }

  /** Whether the brackets that open on the first line close on the last line and not before. */
  #closesOn(first: number, last: number): boolean {
    let depth = 0;
    for (let line = first; line <= last; line++) {
      depth += bracketDepth(this.lines.line(line));
      if (line < last && depth <= 0) return false;
    }
    return depth === 0;
  }

  /** The separator after it; throws when it shares its lines with other code. */
  requireAlone(): string {
    if (
      this.separator === undefined ||
      this.head === "other" ||
      (this.head === "words" && this.separator === ",")
    )
      throw this.notAlone();
    return this.separator;
  }

  notAlone(): Refusal {
    return this.#refusal("shares its lines with other code", "Change the lines as a whole.");
  }

  wordsMissing(): Refusal {
    const words = this.#headText.trim();
    const fix = `Begin the text with \`${words}\`, or with the name alone to keep these words.`;
    return this.#refusal(`follows \`${words}\`, which the text leaves out`, fix);
  }

  inList(): Refusal {
    const fix =
      "End the text with a comma if the symbol has one, or replace the symbol with its present text followed by the new text.";
    return this.#refusal("is an element of a list with commas", fix);
  }

  #refusal(problem: string, fix: string): Refusal {
    const line = this.lines.line(this.lines.lineAt(this.start)).trim();
    return new Refusal("edit/not-alone", `The declaration ${problem}. ${fix} Its first line is: ${line}`);
  }
}

function bracketDepth(text: string): number {
  return text.replace(/[^([{]/g, "").length - text.replace(/[^)\]}]/g, "").length;
}

/** A text without a comment at the end of its last line. */
function withoutComment(text: string): string {
  return text
    .replace(/(?:(?:^|[ \t,])\/\/[^\r\n]*|\/\*(?:(?!\*\/).)*\*\/)$/, (found) =>
      found.startsWith(",") ? "," : "",
    )
    .trimEnd();
}
