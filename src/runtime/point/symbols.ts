/**
 * Symbols as servers give them, nested or flat, with or without a range, brought to one form. A symbol begins at its
 * own name, because that is the place to ask about, and ends where its declaration ends.
 */
import { isTable } from "../../base/json.js";
import type { Lines } from "../../base/text.js";
import { convertColumn } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { CallState } from "../call-state.js";
import { garbled, isRange, kindWord, type LspPosition, type LspRange, listOf } from "../lsp-values.js";
import { identifierOf, type NamedSymbol } from "./symbol-names.js";

/** A symbol that a server told of. */
export interface FoundSymbol extends NamedSymbol {
  /** What it stands in, as one text; undefined for nothing. */
  container: string | undefined;
  kind: string;
  uri: string;
  server: LanguageServer;
  /** The whole declaration; undefined when the server told only the file. */
  range: LspRange | undefined;
  /** The name within it, when the server told it. */
  selection: LspRange | undefined;
}

/** The part of a symbol that says where it stands. */
export type PlacedSymbol = Pick<FoundSymbol, "name" | "server" | "range" | "selection">;

/** What the symbols of one level stand in. */
type Within = Pick<FoundSymbol, "containers" | "container">;

const outermost: Within = { containers: [], container: undefined };

function inside({ containers, container }: Within, name: string): Within {
  return {
    containers: [...containers, name],
    container: container === undefined ? name : `${container}/${name}`,
  };
}

/** The symbols of `textDocument/documentSymbol`, parents before children; a flat one in the file that the server says. */
export function* documentSymbols(
  server: LanguageServer,
  uri: string,
  value: unknown,
): Generator<FoundSymbol, void, undefined> {
  const open = [{ entries: listOf(value), next: 0, within: outermost }];
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    if (level.next === level.entries.length) {
      open.pop();
      continue;
    }
    const entry = level.entries[level.next++];
    if (open.length === 1 && isTable(entry) && isTable(entry.location)) {
      yield flatSymbol(server, entry, uri);
      continue;
    }
    const symbol = nestedSymbol(server, uri, entry, level.within);
    yield symbol;
    const children = listOf(isTable(entry) ? entry.children : undefined);
    if (children.length > 0)
      open.push({ entries: children, next: 0, within: inside(level.within, symbol.name) });
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
  entry: unknown,
  { containers, container }: Within,
): FoundSymbol {
  if (!isTable(entry) || typeof entry.name !== "string" || !isRange(entry.range))
    throw garbled(server, "a list of symbols");
  return {
    name: entry.name,
    kind: kindWord(entry.kind),
    containers,
    container,
    uri,
    server,
    range: entry.range,
    selection: isRange(entry.selectionRange) ? entry.selectionRange : undefined,
  };
}

function flatSymbol(server: LanguageServer, entry: unknown, documentUri: string): FoundSymbol {
  if (!isTable(entry) || typeof entry.name !== "string" || !isTable(entry.location))
    throw garbled(server, "a list of symbols");
  const { uri, range } = entry.location;
  if (typeof uri !== "string") throw garbled(server, "a list of symbols");
  const { containerName } = entry;
  const container = typeof containerName === "string" && containerName !== "" ? containerName : undefined;
  return {
    name: entry.name,
    kind: kindWord(entry.kind),
    containers: container === undefined ? [] : [container],
    container,
    uri: uri || documentUri,
    server,
    range: isRange(range) ? range : undefined,
    selection: undefined,
  };
}

/** The symbols that are this document's; those of other files are counted as dropped. */
export function ofDocument(
  { places, evidence }: CallState,
  uri: string,
  found: Iterable<FoundSymbol>,
): FoundSymbol[] {
  const own: FoundSymbol[] = [];
  const document = places.show(uri);
  for (const symbol of found) {
    const isOwn = symbol.uri === uri || (document && places.show(symbol.uri)?.path === document.path);
    if (isOwn) own.push({ ...symbol, uri });
    else evidence.drop({ name: symbol.name, kind: symbol.kind, uri: symbol.uri, range: symbol.range });
  }
  return own;
}

/** From the symbol's name to the end of its declaration; undefined when the server told no range. */
export function extentOf(symbol: PlacedSymbol, lines: Lines | undefined): LspRange | undefined {
  if (symbol.range === undefined) return undefined;
  const start = symbol.selection?.start ?? nameWithin(symbol, symbol.range, lines);
  return { start, end: isBefore(symbol.range.end, start) ? start : symbol.range.end };
}

/** The place of a symbol's name; where the server does not tell it, the word is looked for in the text. */
export function nameRangeOf(symbol: PlacedSymbol, lines: Lines | undefined): LspRange | undefined {
  if (symbol.range === undefined || symbol.selection !== undefined) return symbol.selection;
  const start = nameWithin(symbol, symbol.range, lines);
  const word = identifierOf(symbol.name);
  const text = lines?.line(start.line) ?? "";
  const at = convertColumn(text, start.character, symbol.server.encoding, "utf-16");
  if (word === "" || !text.startsWith(word, at)) return undefined;
  return {
    start,
    end: {
      line: start.line,
      character: convertColumn(text, at + word.length, "utf-16", symbol.server.encoding),
    },
  };
}

/** Most declarations have their name on the first lines; past these the range's own start will do. */
const searchedLines = 20;

/** Flat symbols give the whole declaration: the name is looked for in the text. */
function nameWithin(symbol: PlacedSymbol, range: LspRange, lines: Lines | undefined): LspPosition {
  if (lines === undefined) return range.start;
  const word = identifierOf(symbol.name);
  const unit = symbol.server.encoding;
  const last = Math.min(range.end.line, range.start.line + searchedLines);
  for (let line = range.start.line; line <= last; line++) {
    const text = lines.line(line);
    const from = line === range.start.line ? convertColumn(text, range.start.character, unit, "utf-16") : 0;
    const found = findWord(text, word, from);
    if (found !== undefined) return { line, character: convertColumn(text, found, "utf-16", unit) };
  }
  return range.start;
}

/** Where a word stands on its own in a line, in UTF-16 units. */
export function findWord(line: string, word: string, from = 0): number | undefined {
  if (word === "") return undefined;
  for (let at = line.indexOf(word, from); at >= 0; at = line.indexOf(word, at + 1)) {
    const before = line.slice(0, at);
    const after = line.slice(at + word.length);
    if (!/[\p{L}\p{N}_$]$/u.test(before) && !/^[\p{L}\p{N}_$]/u.test(after)) return at;
  }
  return undefined;
}

/** Whether one place comes before another. */
export function isBefore(a: LspPosition, b: LspPosition): boolean {
  return a.line < b.line || (a.line === b.line && a.character < b.character);
}
