/**
 * A table in another program's TOML, changed as text where its meaning changes: values in place, new keys as the stanza writes
 * them, comments and layout of everything else as they are.
 */
import { type AST, parseTOML } from "toml-eslint-parser";
import { canonicalText, isTable, type Json } from "../../base/json.js";
import { getAt } from "../../base/pointer.js";
import { tomlText } from "../../base/toml-text.js";
import { readOther } from "../text/read.js";
import { lineBreak, nextLine, splice, startOfLine } from "../text/text-lines.js";
import { withItem, withoutItem } from "../text/toml-list.js";
import { SYNTAX } from "../text/toml-places.js";

/** What shall stand at a path: its meaning, the text that brings what is new, and every text that may have brought what is old. */
export interface TomlEntry {
  path: readonly string[];
  after: Json | undefined;
  stanza: string;
  forms: readonly string[];
}

/** The text with the entry in its place, or at its end. */
export function putTomlTable(text: string, entry: TomlEntry): string {
  if (tablesAt(text, entry.path).length > 0) return withNew(withoutOld(text, entry), entry);
  const eol = lineBreak(text);
  const before = text.trimEnd();
  const block = entry.stanza.trimEnd().replaceAll("\n", eol);
  return `${before === "" ? "" : `${before}${eol}${eol}`}${block}${eol}`;
}

/** The text without the tables at a path and the comment lines that a stanza has above them. */
export function takeTomlTable(text: string, { path, forms }: TomlEntry): string {
  const comments = commentsOf(forms);
  const regions = tablesAt(text, path).map((table): Region => {
    const [from, to] = regionOf(text, table);
    return [aboveComments(text, from, comments), to];
  });
  return regions.toReversed().reduce(cut, text);
}

type Region = readonly [from: number, to: number];

/** Values that differ are changed where they stand; pairs and tables that are no more go, with the comments that came with them. */
function withoutOld(text: string, { path, after, forms }: TomlEntry): string {
  const comments = commentsOf(forms);
  const before = getAt(readOther("entry", text, "toml").tree, path);
  let now = text;
  // From the end on, so that no change moves what is still to be changed.
  for (const table of tablesAt(text, path).toReversed()) {
    const place = table.resolvedKey.slice(path.length);
    if (!isTable(getAt(after, place))) {
      now = cut(now, regionOf(text, table));
      continue;
    }
    for (const pair of table.body.toReversed()) {
      const keys = [...place, ...namesOf(pair.key)];
      const [old, value] = [getAt(before, keys), getAt(after, keys)] as (Json | undefined)[];
      const line = startOfLine(now, pair.range[0]);
      if (value === undefined)
        now = splice(now, aboveComments(now, line, comments), nextLine(now, pair.range[1]), "");
      else if (old === undefined || canonicalText(old) !== canonicalText(value))
        now = withValue(now, pair.value, old, value);
    }
  }
  return now;
}

function withValue(text: string, node: AST.TOMLContentNode, old: Json | undefined, value: Json): string {
  const listed = Array.isArray(old) && Array.isArray(value) ? withList(text, node, old, value) : undefined;
  return listed ?? splice(text, node.range[0], node.range[1], tomlText(value));
}

/** A list that lost or gained items but kept the order of the others; undefined when it changed in other ways. */
function withList(text: string, { range }: AST.TOMLContentNode, old: Json[], value: Json[]) {
  const wanted = new Set(value.map(canonicalText));
  const kept = old.filter((item) => wanted.has(canonicalText(item)));
  if (canonicalText(kept) !== canonicalText(value.slice(0, kept.length))) return undefined;
  const changes = [
    ...old.flatMap((item, at) => (wanted.has(canonicalText(item)) ? [] : [at])).toReversed(),
    ...value.slice(kept.length),
  ];
  return changes.reduce<string>((now, change) => {
    const program = parseTOML(now, SYNTAX);
    const list = listAt(program, range[0]);
    if (list === undefined) return now;
    return typeof change === "number"
      ? withoutItem(now, program, list, change)
      : withItem(now, program, list, tomlText(change));
  }, text);
}

function listAt(program: AST.TOMLProgram, offset: number): AST.TOMLArray | undefined {
  const values = program.body[0].body.flatMap((statement) =>
    statement.type === "TOMLTable" ? statement.body.map(({ value }) => value) : [statement.value],
  );
  return values.find(
    (value): value is AST.TOMLArray => value.type === "TOMLArray" && value.range[0] === offset,
  );
}

/** What the stanza has and the text lacks, each after what stands before it in the stanza. */
function withNew(text: string, { path, after, stanza }: TomlEntry): string {
  const eol = lineBreak(text);
  const has = getAt(readOther("entry", text, "toml").tree, path);
  const lacks = (keys: readonly (string | number)[]) =>
    getAt(has, keys) === undefined && getAt(after, keys) !== undefined;
  let now = text;
  let previous: readonly (string | number)[] = path;
  for (const table of tablesAt(stanza, path)) {
    const place = table.resolvedKey.slice(path.length);
    const theirs = tableAt(now, table.resolvedKey);
    if (theirs === undefined && (place.length === 0 || lacks(place))) {
      const lines = linesOf(
        stanza,
        startOfLine(stanza, table.range[0]),
        table.body.at(-1)?.range[1] ?? table.range[1],
      );
      now = withBlock(now, tableAt(now, previous), path, lines.join(eol), eol);
    } else if (theirs !== undefined)
      now = withPairs(now, table, stanza, (keys) => lacks([...place, ...keys]));
    previous = table.resolvedKey;
  }
  return now;
}

function withBlock(
  text: string,
  previous: AST.TOMLTable | undefined,
  path: readonly string[],
  block: string,
  eol: string,
): string {
  if (previous === undefined) {
    const [first] = tablesAt(text, path);
    const at = first === undefined ? text.length : startOfLine(text, first.range[0]);
    return splice(text, at, at, `${block}${eol}${eol}`);
  }
  const [, end] = regionOf(text, previous);
  const isOpen = end > 0 && text[end - 1] !== "\n";
  return splice(text, end, end, `${isOpen ? eol : ""}${eol}${block}${eol}`);
}

/** The pairs of a stanza's table that are lacking, in the table that the text has. */
function withPairs(
  text: string,
  table: AST.TOMLTable,
  stanza: string,
  lacks: (keys: readonly string[]) => boolean,
): string {
  const eol = lineBreak(text);
  let now = text;
  let end = table.key.range[1];
  for (const [index, { key, range }] of table.body.entries()) {
    const from = nextLine(stanza, end);
    end = range[1];
    const theirs = tableAt(now, table.resolvedKey);
    if (theirs === undefined || !lacks(namesOf(key))) continue;
    const before = table.body[index - 1];
    const anchor =
      before &&
      theirs.body.find((pair) => canonicalText(namesOf(pair.key)) === canonicalText(namesOf(before.key)));
    const at = nextLine(now, anchor?.range[1] ?? theirs.key.range[1]);
    const isOpen = at > 0 && now[at - 1] !== "\n";
    now = splice(now, at, at, `${isOpen ? eol : ""}${linesOf(stanza, from, end).join(eol)}${eol}`);
  }
  return now;
}

function tablesAt(text: string, path: readonly string[]): AST.TOMLTable[] {
  return parseTOML(text, SYNTAX).body[0].body.filter(
    (statement): statement is AST.TOMLTable =>
      statement.type === "TOMLTable" && path.every((key, at) => statement.resolvedKey[at] === key),
  );
}

function tableAt(text: string, path: readonly (string | number)[]): AST.TOMLTable | undefined {
  const names = path.map(String);
  return tablesAt(text, names).find(({ resolvedKey }) => resolvedKey.length === path.length);
}

function namesOf({ keys }: AST.TOMLKey): string[] {
  return keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
}

function linesOf(text: string, from: number, to: number): string[] {
  return text.slice(from, to).split("\n");
}

function commentsOf(forms: readonly string[]): Set<string> {
  return new Set(forms.flatMap((text) => text.split("\n")).filter((line) => line.startsWith("#")));
}

/** Where the known comment lines right above an offset begin. */
function aboveComments(text: string, offset: number, comments: ReadonlySet<string>): number {
  let from = offset;
  while (from > 0) {
    const above = startOfLine(text, from - 1);
    if (!comments.has(text.slice(above, from).trimEnd())) break;
    from = above;
  }
  return from;
}

/** From a table's header to the line of its last value. */
function regionOf(text: string, { range, body }: AST.TOMLTable): Region {
  return [startOfLine(text, range[0]), nextLine(text, body.at(-1)?.range[1] ?? range[1])];
}

/** The text without a region and the blank lines before it, or after it where it begins the file. */
function cut(text: string, [from, to]: Region): string {
  const before = text.slice(0, from).replace(/(\r?\n)[ \t\r\n]*$/, "$1");
  const after = text.slice(to);
  return before.trim() === "" ? after.replace(/^\s*\n/, "") : before + after;
}
