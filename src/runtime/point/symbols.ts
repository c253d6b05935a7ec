/**
 * Reads the symbols that servers report, nested or flat, into one form. `range` is the server's own; `extentOf`
 * gives the part from the symbol's name to the end of its declaration.
 */
import type { Position, Range } from "vscode-languageserver-protocol";
import { isTable } from "../../base/json.js";
import { convertColumn, type Lines } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import { kindWord } from "../../protocol/kinds.js";
import { invalidReply, isRange, listOf } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { RawItem } from "../listing/collect.js";
import {
  boundedName,
  type Container,
  identifierOf,
  isKind,
  type NamedSymbol,
  nameAndIndex,
  nameMatcher,
  pathMatcher,
} from "./symbol-names.js";

/** The facts of a symbol besides the range of its declaration. */
export interface SymbolDetails extends NamedSymbol {
  kind: string;
  /** The range of its name, when the server reported it. */
  selection: Range | undefined;
}

/** A symbol that a server reported; without a range when it reported only the file. */
export type FoundSymbol = RawItem<SymbolDetails>;

/** The symbol that an agent asks for. */
export interface WantedSymbol {
  name: string;
  kind: string | undefined;
}

/** The symbols of one nesting level, and how many of them were read. */
interface Level {
  entries: unknown[];
  next: number;
  container: Container | undefined;
}

/** The symbols of `textDocument/documentSymbol`, parents before children; a flat one names its file itself. */
export function* documentSymbols(
  server: LanguageServer,
  uri: string,
  value: unknown,
): Generator<FoundSymbol, void, undefined> {
  // A stack instead of recursion: a server may nest symbols deeper than the call stack goes.
  const levels: Level[] = [{ entries: listOf(value), next: 0, container: undefined }];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    if (level.next === level.entries.length) {
      levels.pop();
      continue;
    }
    const entry = level.entries[level.next++];
    if (!isTable(entry)) throw invalidReply(server, "a list of symbols");
    if (levels.length === 1 && isTable(entry.location)) {
      yield flatSymbol(server, entry, uri);
      continue;
    }
    const symbol = nestedSymbol(server, uri, entry, level.container);
    yield symbol;
    const entries = listOf(entry.children);
    const { name, kind } = symbol.details;
    if (entries.length > 0)
      levels.push({ entries, next: 0, container: { name, outer: level.container, kind } });
  }
}

/** The symbols of `workspace/symbol`. */
export function* workspaceSymbols(
  server: LanguageServer,
  value: unknown,
): Generator<FoundSymbol, void, undefined> {
  for (const entry of listOf(value)) yield flatSymbol(server, entry, "");
}

function nestedSymbol(
  server: LanguageServer,
  uri: string,
  { name, kind, range, selectionRange }: Record<string, unknown>,
  container: Container | undefined,
): FoundSymbol {
  if (typeof name !== "string" || !isRange(range)) throw invalidReply(server, "a list of symbols");
  const selection = isRange(selectionRange) ? selectionRange : undefined;
  return {
    server,
    uri,
    range,
    details: { name: boundedName(name), kind: kindWord(kind), container, selection },
  };
}

function flatSymbol(server: LanguageServer, entry: unknown, documentUri: string): FoundSymbol {
  if (!isTable(entry) || typeof entry.name !== "string" || !isTable(entry.location))
    throw invalidReply(server, "a list of symbols");
  const { uri, range } = entry.location;
  if (typeof uri !== "string") throw invalidReply(server, "a list of symbols");
  const { name, kind, containerName } = entry;
  const isWithin = typeof containerName === "string" && containerName !== "";
  const container = isWithin ? { name: boundedName(containerName), outer: undefined } : undefined;
  return {
    server,
    uri: uri || documentUri,
    range: isRange(range) ? range : undefined,
    details: { name: boundedName(name), kind: kindWord(kind), container, selection: undefined },
  };
}

/** The symbols of a name or name path. */
export function matching(symbols: readonly FoundSymbol[], wanted: WantedSymbol): FoundSymbol[] {
  const matchers = [...new Set([wanted.name, nameAndIndex(wanted.name).name])].map(nameMatcher);
  return symbols
    .filter(({ details }) => matchers.some((matches) => matches(details)))
    .filter(({ details }) => wanted.kind === undefined || isKind(details.kind, wanted.kind));
}

/** The matches of a name; without one, those of a name that begins with modules, folders or a file. */
export function matchingOrQualified(
  call: CallState,
  symbols: readonly FoundSymbol[],
  wanted: WantedSymbol,
): FoundSymbol[] {
  const found = matching(symbols, wanted);
  if (found.length > 0) return found;
  const isMeant = pathMatcher(nameAndIndex(wanted.name).name);
  return symbols.filter(
    ({ details, uri }) =>
      (wanted.kind === undefined || isKind(details.kind, wanted.kind)) &&
      isMeant(details, call.places.show(uri)?.shown ?? ""),
  );
}

/** The symbols that are this document's; those of other files are counted as dropped. */
export function onlyOfDocument(
  { places, evidence }: CallState,
  uri: string,
  found: Iterable<FoundSymbol>,
): FoundSymbol[] {
  const own: FoundSymbol[] = [];
  const document = places.show(uri);
  for (const symbol of found) {
    const isOwn = symbol.uri === uri || (document && places.show(symbol.uri)?.path === document.path);
    if (isOwn) own.push({ ...symbol, uri });
    else dropSymbol(evidence, symbol);
  }
  return own;
}

export function dropSymbol(evidence: CallState["evidence"], { uri, range, details }: FoundSymbol): void {
  evidence.drop({ name: details.name, kind: details.kind, uri, range });
}

/** From the symbol's name to the end of its declaration; undefined when the server reported no range. */
export function extentOf(symbol: FoundSymbol, lines: Lines | undefined): Range | undefined {
  const { range } = symbol;
  if (range === undefined) return undefined;
  const start = namedAt(symbol, range)?.start ?? nameWithin(symbol, range, lines);
  return { start, end: isBefore(range.end, start) ? start : range.end };
}

/** The range of a symbol's name; where the server does not report it, the word is searched in the text. */
export function nameRangeOf(symbol: FoundSymbol, lines: Lines | undefined): Range | undefined {
  const { range, details } = symbol;
  const named = range && namedAt(symbol, range);
  if (range === undefined || named !== undefined) return named ?? details.selection;
  const start = nameWithin(symbol, range, lines);
  const word = identifierOf(details.name);
  const text = lines?.line(start.line) ?? "";
  const at = convertColumn(text, start.character, symbol.server.encoding, "utf-16");
  if (word === "" || !text.startsWith(word, at)) return details.selection;
  return {
    start,
    end: {
      line: start.line,
      character: convertColumn(text, at + word.length, "utf-16", symbol.server.encoding),
    },
  };
}

/** The name's range as the server reports it. A range as large as the declaration is none (TypeScript's overloads). */
function namedAt({ details: { selection } }: FoundSymbol, range: Range): Range | undefined {
  return selection === undefined || isSameRange(selection, range) ? undefined : selection;
}

export function isSameRange(a: Range, b: Range): boolean {
  const isSame = (one: Position, other: Position) => !isBefore(one, other) && !isBefore(other, one);
  return isSame(a.start, b.start) && isSame(a.end, b.end);
}

/** Most declarations have their name on the first lines; past these the range's own start will do. */
const searchedLines = 20;

/** Flat symbols give the whole declaration: the name is searched in the text. */
function nameWithin(symbol: FoundSymbol, range: Range, lines: Lines | undefined): Position {
  if (lines === undefined) return range.start;
  const unit = symbol.server.encoding;
  const from = convertColumn(lines.line(range.start.line), range.start.character, unit, "utf-16");
  const found = wordWithin(lines, range, identifierOf(symbol.details.name), from);
  if (found === undefined) return range.start;
  const { line, character } = found;
  return { line, character: convertColumn(lines.line(line), character, "utf-16", unit) };
}

/** A word on the first lines of a range, in UTF-16 units; on the first line not before a column. */
export function wordWithin(lines: Lines, { start, end }: Range, word: string, column = 0) {
  // Bounded by the file's lines: with line numbers above 2^53 the loop would never end.
  const last = Math.min(end.line, start.line + searchedLines, lines.count - 1);
  for (let line = start.line; line <= last; line++) {
    const character = findWord(lines.line(line), word, line === start.line ? column : 0);
    if (character !== undefined) return { line, character };
  }
  return undefined;
}

/** The column of a word that is not part of a longer one, in UTF-16 units. */
export function findWord(line: string, word: string, from = 0): number | undefined {
  if (word === "") return undefined;
  for (let at = line.indexOf(word, from); at >= 0; at = line.indexOf(word, at + 1)) {
    // Two code units hold one character: a longer part would be searched again for each place.
    const before = line.slice(Math.max(0, at - 2), at);
    const after = line.slice(at + word.length, at + word.length + 2);
    if (!/[\p{L}\p{N}_$]$/u.test(before) && !/^[\p{L}\p{N}_$]/u.test(after)) return at;
  }
  return undefined;
}

export function isBefore(a: Position, b: Position): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
