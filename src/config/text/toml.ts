/**
 * TOML: values from smol-toml; places from a syntax tree that is built only when a place is asked for.
 * Duplicate keys are all found, by renaming each one that the syntax tree's parser complains about. Both parsers stop at the
 * first syntax error, so the tables after it are read one by one: an error in each of them is told.
 */
import { parse, TomlError } from "smol-toml";
import { ParseError, parseTOML } from "toml-eslint-parser";
import { sortBy } from "../../base/order.js";
import { toPointer } from "../../base/pointer.js";
import { Lines } from "../../base/text.js";
import { type Finding, MAX_DEPTH, type Parsed } from "./source.js";
import { RENAMED, readSpans, type Spans, SYNTAX } from "./toml-places.js";
import { headerOffsets } from "./toml-sections.js";
import { plainTable } from "./values.js";

/** The parser's errors carry no code; its own message for the code stands in. */
const DUPLICATE_KEY = new ParseError("dupe-keys", 0, 1, 0).message;
const MAX_DUPLICATES = 20;
const MAX_ERRORS = 20;

/** Parses a TOML text. */
export function parseToml(text: string): Parsed {
  const first = tryParse(text);
  const mended = "error" in first ? renameDuplicates(text) : { text, renames: [] };
  const second = mended.renames.length > 0 ? tryParse(mended.text) : first;
  const toOriginal = (offset: number) => originalOffset(mended.renames, offset);

  let known: Spans | undefined;
  const spans = () => {
    known ??= readSpans(mended.text, toOriginal);
    return known;
  };
  const findings: Finding[] = mended.renames.map((rename, index) => duplicateKey(rename, index, text, spans));
  if ("error" in second) {
    findings.push(...syntaxErrors(mended.text, second.error, toOriginal));
    return { tree: {}, findings, broken: true, span: () => undefined };
  }
  const skip = new Set(mended.renames.map((_, index) => `${RENAMED}${index}`));
  const tree = plainTable(second.table, findings, skip);
  const span: Parsed["span"] = (path, part) => {
    const entry = spans().at.get(toPointer(path));
    return part === "key" ? (entry?.key ?? entry?.value) : entry?.value;
  };
  return { tree, findings, broken: false, span };
}

type Attempt = { table: Record<string, unknown> } | { error: TomlError };

function tryParse(text: string): Attempt {
  try {
    return { table: parse(text, { integersAsBigInt: "asNeeded", maxDepth: MAX_DEPTH }) };
  } catch (error) {
    if (error instanceof TomlError) return { error };
    throw error;
  }
}

/** The first error, and the first one of each table that ends after it: by itself a table has no error that the whole lacks. */
function syntaxErrors(text: string, first: TomlError, toOriginal: (offset: number) => number): Finding[] {
  const at = offsetOf(text, first);
  const starts = headerOffsets(text);
  const later = starts.flatMap((start, index): Finding[] => {
    const end = starts[index + 1] ?? text.length;
    if (end <= at) return [];
    const table = text.slice(start, end);
    const read = tryParse(table);
    if (!("error" in read)) return [];
    const offset = start + offsetOf(table, read.error);
    return offset > at ? [finding(read.error, toOriginal(offset))] : [];
  });
  return [finding(first, toOriginal(at)), ...later.slice(0, MAX_ERRORS - 1)];
}

function offsetOf(text: string, error: TomlError): number {
  return Math.min(text.length, new Lines(text).start(error.line - 1) + error.column - 1);
}

function finding(error: TomlError, at: number): Finding {
  const message = (error.message.split("\n")[0] ?? "").replace(/^Invalid TOML document: /, "");
  return { code: "config/syntax", message, path: [], span: [at, at + 1] };
}

/** A duplicate key that was given another name so that parsing can go on. */
interface Rename {
  at: number;
  length: number;
  by: string;
}

const KEY = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[A-Za-z0-9_-]+/y;

function renameDuplicates(text: string): { text: string; renames: Rename[] } {
  const renames: Rename[] = [];
  for (;;) {
    const mended = applyRenames(text, renames);
    const index = duplicateAt(mended);
    if (index === undefined || renames.length === MAX_DUPLICATES) return { text: mended, renames };
    KEY.lastIndex = originalOffset(renames, index);
    const key = KEY.exec(text);
    if (!key || renames.some((rename) => rename.at === key.index)) return { text: mended, renames };
    renames.push({ at: key.index, length: key[0].length, by: `"\\u0000duplicate-${renames.length}"` });
  }
}

function duplicateAt(text: string): number | undefined {
  try {
    parseTOML(text, SYNTAX);
  } catch (error) {
    if (error instanceof ParseError && error.message === DUPLICATE_KEY) return error.index;
    // Any other complaint, also a stack that ran out, is told in smol-toml's own words.
    if (!(error instanceof ParseError || error instanceof RangeError)) throw error;
  }
  return undefined;
}

function applyRenames(text: string, renames: readonly Rename[]): string {
  let out = "";
  let from = 0;
  for (const rename of inOrder(renames)) {
    out += text.slice(from, rename.at) + rename.by;
    from = rename.at + rename.length;
  }
  return out + text.slice(from);
}

function originalOffset(renames: readonly Rename[], offset: number): number {
  let shift = 0;
  for (const rename of inOrder(renames)) {
    const start = rename.at + shift;
    if (offset <= start) break;
    const growth = rename.by.length - rename.length;
    if (offset < start + rename.by.length) return Math.min(rename.at + rename.length, offset - shift);
    shift += growth;
  }
  return offset - shift;
}

function inOrder(renames: readonly Rename[]): Rename[] {
  return sortBy(renames, (rename) => [rename.at]);
}

function duplicateKey(rename: Rename, index: number, text: string, spans: () => Spans): Finding {
  const written = text.slice(rename.at, rename.at + rename.length);
  const parent = spans().renamed.get(index);
  const name = written.replace(/^["']|["']$/g, "");
  const first = parent && spans().at.get(toPointer([...parent, name]));
  const line = first && new Lines(text.slice(0, (first.key ?? first.value)[0])).count;
  return {
    code: "config/duplicate-key",
    message: `\`${name}\` stands twice${line === undefined ? "" : `; first in line ${line}`}`,
    path: parent ? [...parent, name] : [],
    span: [rename.at, rename.at + rename.length],
  };
}
