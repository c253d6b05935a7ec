/**
 * Parses TOML: values from smol-toml, places from a syntax tree that is built only when a place is needed. Both parsers
 * stop at the first error, so duplicate keys are made unique one by one, and the tables after a syntax error are parsed
 * alone.
 */
import { parse, TomlError } from "smol-toml";
import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { toPointer } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Lines } from "../../base/text.js";
import { duplicateKey, plainTable } from "./plain-values.js";
import { brokenWith, type Finding, MAX_DEPTH, type Parsed, type Path, type Span } from "./source.js";

/** The TOML version for both parsers. */
export const SYNTAX = { tomlVersion: "1.1.0" } as const;

/** The parser's errors have no code, so they are recognised by their message. */
const DUPLICATE_KEY_MESSAGE = new ParseError("dupe-keys", 0, 1, 0).message;
const CONTROL_CHARACTER = "control characters are not allowed in strings";
/** The meaning of such an error at the end of a line. */
const unclosed = {
  message: "the string does not end on its line",
  fix: "Add the closing quote; a string of several lines begins and ends with three quotes.",
};
const MAX_DUPLICATES = 20;
const MAX_ERRORS = 20;

export function parseToml(text: string): Parsed {
  const first = tryParse(text);
  const duplicates = "error" in first ? findDuplicates(text) : [];
  const unique = withUniqueKeys(text, duplicates);
  const parsed = duplicates.length > 0 ? tryParse(unique) : first;
  const toOriginal = (offset: number) => originalOffset(duplicates, offset);

  let known: Spans | undefined;
  const spans = () => {
    known ??= readSpans(unique, toOriginal);
    return known;
  };
  const lines = new Lines(text);
  const findings = duplicates.map((duplicate) => duplicateFinding(duplicate, lines, spans()));
  if ("error" in parsed) {
    findings.push(...syntaxErrors(unique, parsed.error, toOriginal));
    return brokenWith(findings);
  }
  const tree = plainTable(parsed.table, findings, new Set(duplicates.map(({ id }) => `${DUPLICATE}${id}`)));
  const span: Parsed["span"] = (path, part) => {
    const entry = spans().at.get(toPointer(path));
    return part === "key" ? (entry?.key ?? entry?.value) : entry?.value;
  };
  return { tree, findings, broken: false, span };
}

function tryParse(text: string): { table: Record<string, unknown> } | { error: TomlError } {
  try {
    return { table: parse(text, { integersAsBigInt: "asNeeded", maxDepth: MAX_DEPTH }) };
  } catch (error) {
    if (error instanceof TomlError) return { error };
    throw error;
  }
}

/** The first error of the text, and the first one of each table that ends after it. */
function syntaxErrors(text: string, first: TomlError, toOriginal: (offset: number) => number): Finding[] {
  const at = offsetOf(text, first);
  const starts = headerOffsets(text);
  const later = starts.flatMap((start, index): Finding[] => {
    const end = starts[index + 1] ?? text.length;
    if (end <= at) return [];
    const table = text.slice(start, end);
    const result = tryParse(table);
    if (!("error" in result)) return [];
    const offset = start + offsetOf(table, result.error);
    return offset > at ? [syntaxError(result.error, toOriginal(offset), text[offset])] : [];
  });
  return [syntaxError(first, toOriginal(at), text[at]), ...later.slice(0, MAX_ERRORS - 1)];
}

function offsetOf(text: string, error: TomlError): number {
  return Math.min(text.length, new Lines(text).start(error.line - 1) + error.column - 1);
}

/** `found` is the character at which the parser stopped. */
function syntaxError(error: TomlError, at: number, found = ""): Finding {
  const message = (error.message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
  if (message === CONTROL_CHARACTER && /[\r\n]/.test(found))
    return { code: "config/syntax", ...unclosed, path: [], span: [at, at + 1] };
  return { code: "config/syntax", message, path: [], span: [at, at + 1] };
}

/** A duplicate key. A prefix `"<id>".` before it makes it unique, so that parsing can go on. */
interface Duplicate {
  id: number;
  at: number;
  key: string;
}

const KEY = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+/y;

function findDuplicates(text: string): Duplicate[] {
  let duplicates: Duplicate[] = [];
  for (let id = 0; id < MAX_DUPLICATES; id++) {
    const index = firstDuplicate(withUniqueKeys(text, duplicates));
    if (index === undefined) break;
    KEY.lastIndex = originalOffset(duplicates, index);
    const key = KEY.exec(text);
    if (!key || duplicates.some(({ at }) => at === key.index)) break;
    duplicates = sortBy([...duplicates, { id, at: key.index, key: key[0] }], ({ at }) => [at]);
  }
  return duplicates;
}

function firstDuplicate(text: string): number | undefined {
  try {
    parseTOML(text, SYNTAX);
  } catch (error) {
    if (error instanceof ParseError && error.message === DUPLICATE_KEY_MESSAGE) return error.index;
    // smol-toml reports other errors. A deeply nested text overflows this parser's stack.
    if (!(error instanceof ParseError || error instanceof RangeError)) throw error;
  }
  return undefined;
}

function prefixOf({ id }: Duplicate): string {
  return `"\\u0000duplicate-${id}".`;
}

function withUniqueKeys(text: string, duplicates: readonly Duplicate[]): string {
  const insert = (out: string, duplicate: Duplicate) =>
    out.slice(0, duplicate.at) + prefixOf(duplicate) + out.slice(duplicate.at);
  return duplicates.reduceRight(insert, text);
}

/** The offset in the original text of an offset in the text with unique keys. */
function originalOffset(duplicates: readonly Duplicate[], offset: number): number {
  let inserted = 0;
  for (const duplicate of duplicates) {
    if (offset <= duplicate.at + inserted) break;
    inserted += prefixOf(duplicate).length;
    if (offset < duplicate.at + inserted) return duplicate.at;
  }
  return offset - inserted;
}

function duplicateFinding({ id, at, key }: Duplicate, lines: Lines, spans: Spans): Finding {
  const parent = spans.duplicates.get(id);
  const path = [...(parent ?? []), key.replace(/^["']|["']$/g, "")];
  const first = parent && spans.at.get(toPointer(path));
  const firstLine = first && lines.lineAt((first.key ?? first.value)[0]) + 1;
  const finding = duplicateKey(path, [at, at + key.length], firstLine);
  return parent ? finding : { ...finding, path: [] };
}

/** A header alone on its line whose first key is bare and no value of a list, or the delimiter of a long string. */
const HEADER =
  /(?<!\\)"""|'''|^[ \t]*\[{1,2}[ \t]*(?!(?:true|false|inf|nan)\b)[A-Za-z_][^[\]\n]*\]{1,2}[ \t]*(?:#.*)?$/gm;

/** The offsets of the headers in a text that may not parse; never of a line inside a long string. */
function headerOffsets(text: string): number[] {
  const offsets: number[] = [];
  let delimiter: string | undefined;
  for (const { 0: token, index } of text.matchAll(HEADER)) {
    const isDelimiter = /^["']/.test(token);
    if (!isDelimiter && delimiter === undefined) offsets.push(index);
    else if (isDelimiter && delimiter === undefined) delimiter = token;
    else if (token === delimiter) delimiter = undefined;
  }
  return offsets;
}

/** The start of the key that is inserted before a duplicate key. */
const DUPLICATE = "\u0000duplicate-";

interface Spans {
  /** By JSON Pointer. */
  at: Map<string, { key?: Span; value: Span }>;
  /** The table of each duplicate key, by the duplicate's id. */
  duplicates: Map<number, Path>;
}

/** Reads the spans of a text; `toOriginal` maps offsets back to the text without inserted keys. */
function readSpans(text: string, toOriginal: (offset: number) => number): Spans {
  const spans: Spans = { at: new Map(), duplicates: new Map() };
  const original = (node: AST.TOMLNode): Span => [toOriginal(node.range[0]), toOriginal(node.range[1])];

  const add = (path: Path, key: AST.TOMLNode | undefined, value: AST.TOMLNode): void => {
    // Deeper values are refused anyway; pointers of endless dotted keys would take quadratic memory.
    if (path.length > MAX_DEPTH) return;
    const name = path.at(-1);
    if (typeof name === "string" && name.startsWith(DUPLICATE))
      spans.duplicates.set(Number(name.slice(DUPLICATE.length)), path.slice(0, -1));
    const pointer = toPointer(path);
    if (spans.at.has(pointer)) return;
    spans.at.set(pointer, { ...(key ? { key: original(key) } : {}), value: original(value) });
  };
  const addHeader = (table: AST.TOMLTable): void => {
    let part = 0;
    table.resolvedKey.slice(0, MAX_DEPTH).forEach((step, index) => {
      const node = typeof step === "string" ? table.key.keys[part++] : undefined;
      add(table.resolvedKey.slice(0, index + 1), node, node ?? table.key);
    });
  };
  const addPair = (pair: AST.TOMLKeyValue, table: Path): void => {
    let path = table;
    for (const node of pair.key.keys) {
      if (path.length > MAX_DEPTH) return;
      path = [...path, keyName(node)];
      add(path, node, node === pair.key.keys.at(-1) ? pair.value : node);
    }
    addContent(pair.value, path);
  };
  const addContent = (node: AST.TOMLContentNode, path: Path): void => {
    if (node.type === "TOMLInlineTable") {
      for (const pair of node.body) addPair(pair, path);
    }
    if (node.type !== "TOMLArray") return;
    node.elements.forEach((element, index) => {
      add([...path, index], undefined, element);
      addContent(element, [...path, index]);
    });
  };

  for (const statement of syntaxTree(text)?.body[0].body ?? []) {
    if (statement.type === "TOMLKeyValue") addPair(statement, []);
    else {
      addHeader(statement);
      for (const pair of statement.body) addPair(pair, statement.resolvedKey);
    }
  }
  return spans;
}

export function keyName(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === "TOMLBare" ? key.name : key.value;
}

/** The syntax tree; undefined where the two parsers disagree, so that only places are unknown. */
function syntaxTree(text: string): AST.TOMLProgram | undefined {
  try {
    return parseTOML(text, SYNTAX);
  } catch (error) {
    if (error instanceof ParseError || error instanceof RangeError) return undefined;
    throw error;
  }
}
