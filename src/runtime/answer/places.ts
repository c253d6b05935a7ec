/** The files and positions of one call, in the dialect's columns, with snippets. Each file is checked and read once. */

import { sep } from "node:path";
import type { Position, Range } from "vscode-languageserver-protocol";
import type { DialectPlan } from "../../abi/plan.js";
import type { JsonObject } from "../../base/json.js";
import { columnsOf, cutAround, detached, type Lines, type PositionEncoding } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import {
  addRange,
  documentKey,
  formatPosition,
  formatRange,
  type Point,
  pointValue,
  rangeValue,
  type Span,
} from "../../protocol/dialect-format.js";
import { RealPaths } from "../../workspace/gate.js";
import type { Admitted, Gate } from "../../workspace/gate-types.js";

/** How much of a file is shown beside a place. */
export interface SnippetBounds {
  contextLines: number;
  maxChars: number;
}

const oneLine: SnippetBounds = { contextLines: 0, maxChars: 400 };

export class Places {
  /** By URI; null for files outside the roots. */
  readonly #shown = new Map<string, Admitted | null>();
  readonly #files = new Map<string, Admitted>();
  /** Documents that the call is about, by URI. */
  readonly #asked = new Map<string, Admitted>();
  readonly #realPaths = new RealPaths();
  readonly #lines = new Map<string, Promise<Lines | undefined>>();
  isSnippetCut = false;
  /** Whether a file of a library was shown. */
  hasLibraries = false;

  constructor(
    private readonly gate: Gate,
    readonly dialect: DialectPlan,
  ) {}

  /** The file of a server's URI; undefined when it is outside the roots. */
  show(uri: string): Admitted | undefined {
    const known = this.#shown.get(uri);
    if (known !== undefined) return known ?? undefined;
    const admitted = this.#asked.get(uri) ?? this.gate.show(uri, (path) => this.#realPaths.of(path));
    this.#shown.set(uri, admitted ?? null);
    if (admitted?.isLibrary) this.hasLibraries = true;
    if (admitted !== undefined && !this.#files.has(admitted.path)) this.#files.set(admitted.path, admitted);
    return admitted;
  }

  shown(): Admitted[] {
    return [...this.#files.values()];
  }

  /** Registers the document that the call is about: positions in it refer to this text, even if the file changes. */
  asksAbout(uri: string, admitted: Admitted, lines: Lines): void {
    this.#asked.set(uri, admitted);
    this.#lines.set(uri, Promise.resolve(lines));
  }

  /** The lines of a file; undefined when it cannot be read or is outside the roots. */
  lines(server: LanguageServer, uri: string): Promise<Lines | undefined> {
    const known = this.#lines.get(uri) ?? this.#read(server, uri);
    this.#lines.set(uri, known);
    return known;
  }

  async #read(server: LanguageServer, uri: string): Promise<Lines | undefined> {
    const admitted = this.show(uri);
    if (admitted === undefined) return undefined;
    if (admitted.uri !== uri) return this.#lines.get(admitted.uri) ?? server.textOf(admitted.uri);
    return server.textOf(uri);
  }

  /** The member of an answer that names a file. */
  document(admitted: Admitted): JsonObject {
    return documentKey(this.dialect) === "uri" ? { uri: admitted.uri } : { path: admitted.shown };
  }

  /** A symbol's name. TypeScript names a module by its absolute path; it is shown relative to the root. */
  name(name: string): string {
    if (!name.includes(sep)) return name;
    return this.gate.roots.reduce((text, root) => text.replaceAll(`${root}${sep}`, ""), name);
  }

  /** A server's range as members of an item. */
  async span(server: LanguageServer, uri: string, range: Range): Promise<JsonObject> {
    return formatRange(this.dialect, this.#span(await this.lines(server, uri), server, range));
  }

  /** Adds a range to an item, with the file's text at hand. */
  addRange(item: JsonObject, lines: Lines | undefined, server: LanguageServer, range: Range): void {
    addRange(this.dialect, item, this.#span(lines, server, range));
  }

  /** A range as one value, for a member that the shape names itself. */
  rangeValue(lines: Lines | undefined, server: LanguageServer, range: Range): JsonObject {
    return rangeValue(this.dialect, this.#span(lines, server, range));
  }

  /** A position as one value. */
  pointValue(lines: Lines | undefined, server: LanguageServer, position: Position): JsonObject {
    return pointValue(this.dialect, toPoint(lines, position, server.encoding, this.dialect.position.unit));
  }

  #span(lines: Lines | undefined, server: LanguageServer, range: Range): Span {
    return toSpan(lines, range, server.encoding, this.dialect.position.unit);
  }

  /** A server's position as members of an item. */
  async point(server: LanguageServer, uri: string, position: Position): Promise<JsonObject> {
    const lines = await this.lines(server, uri);
    return formatPosition(
      this.dialect,
      toPoint(lines, position, server.encoding, this.dialect.position.unit),
    );
  }

  /** The snippet of a range. It is copied, so that a kept item does not keep the whole file in memory. */
  async snippet(
    server: LanguageServer,
    uri: string,
    range: Range,
    bounds: SnippetBounds = oneLine,
  ): Promise<string | undefined> {
    const text = this.textBeside(await this.lines(server, uri), server, range, bounds);
    return text === undefined ? undefined : detached(text);
  }

  /** The same with the number of its first line, and whether it is cut. */
  snippetBeside(
    lines: Lines | undefined,
    server: LanguageServer,
    range: Range,
    bounds: SnippetBounds,
  ): JsonObject {
    const snippet = this.#cutBeside(lines, server, range, bounds);
    if (snippet === undefined) return {};
    const { text, cut } = snippet;
    // A cut text is around the range; its own line is the only one that it has for certain.
    const first = cut ? range.start.line : Math.max(0, range.start.line - bounds.contextLines);
    return { text, text_line: first + this.dialect.position.lineBase, text_cut: cut };
  }

  /** The first line of a range, or more lines, cut around the range when too long; undefined when blank or unknown. */
  textBeside(
    lines: Lines | undefined,
    server: LanguageServer,
    range: Range,
    bounds: SnippetBounds = oneLine,
  ): string | undefined {
    return this.#cutBeside(lines, server, range, bounds)?.text;
  }

  #cutBeside(
    lines: Lines | undefined,
    server: LanguageServer,
    range: Range,
    { contextLines, maxChars }: SnippetBounds,
  ): { text: string; cut: boolean } | undefined {
    const { line } = range.start;
    if (lines === undefined || line >= lines.count) return undefined;
    if (contextLines === 0) {
      const text = lines.line(line).trim();
      if (text.length <= maxChars) return text === "" ? undefined : { text, cut: false };
    }
    const { start, end } = toSpan(lines, range, server.encoding, "utf-32");
    const first = Math.max(0, line - contextLines);
    const last = Math.min(lines.count - 1, line + contextLines);
    const above = linesBetween(lines, first, line - 1).map((text) => `${text.trimEnd()}\n`);
    const own = contextLines === 0 ? lines.line(line).trim() : lines.line(line).trimEnd();
    const below = linesBetween(lines, line + 1, last).map((text) => `\n${text.trimEnd()}`);
    const text = [...above, own, ...below].join("").trimEnd();
    if (text.trim() === "") return undefined;
    const indent = contextLines === 0 ? columnsOf(/^\s*/.exec(lines.line(line))?.[0] ?? "", "utf-32") : 0;
    const from = columnsOf(above.join(""), "utf-32") + Math.max(0, start.character - indent);
    const length = end.line === start.line ? end.character - start.character : columnsOf(own, "utf-32");
    const kept = cutAround(text, from, length, maxChars);
    this.isSnippetCut ||= kept.cut;
    return kept;
  }
}

function linesBetween(lines: Lines, first: number, last: number): string[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => lines.line(first + index));
}

/** A range in other units, clamped to the text. */
export function toSpan(
  lines: Lines | undefined,
  range: Range,
  from: PositionEncoding,
  to: PositionEncoding,
): Span {
  return { start: toPoint(lines, range.start, from, to), end: toPoint(lines, range.end, from, to) };
}

/** A position in other units, clamped to the text. Without the text the column stays as it is. */
export function toPoint(
  lines: Lines | undefined,
  position: Position,
  from: PositionEncoding,
  to: PositionEncoding,
): Point {
  if (lines === undefined) return { line: position.line, character: position.character };
  if (position.line >= lines.count) {
    const last = lines.count - 1;
    return { line: last, character: lines.columns(last, to) };
  }
  return {
    line: position.line,
    character: lines.column(position.line, position.character, from, to),
  };
}
