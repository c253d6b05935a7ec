/** Writes or removes our tables in another program's TOML file. A person's comments, keys and layout stay. */
import { type AST, parseTOML } from "toml-eslint-parser";
import { canonicalText, getAt, isTable, type Json } from "../../base/json.js";
import { tomlText } from "../../base/toml-text.js";
import { readOther } from "../text/read.js";
import type { Path } from "../text/source.js";
import { keyName, SYNTAX } from "../text/toml.js";
import { addItem, listChanges, removeItem, tomlList } from "./comma-list.js";
import {
  appendBlock,
  cutBlock,
  insertLines,
  lineBreak,
  nextLine,
  splice,
  startOfLine,
  startOfLinesAbove,
} from "./text-lines.js";

export interface TomlEntry {
  path: readonly string[];
  /** The wanted value of the table. */
  after: Json | undefined;
  /** The text that new tables and keys are copied from. */
  stanza: string;
  /** Every text that may have been written before: its comments are ours. */
  forms: readonly string[];
}

/** Writes the entry into the tables that exist, or at the end of the text. */
export function putTomlTable(text: string, entry: TomlEntry): string {
  if (tablesAt(text, entry.path).length > 0) return addMissing(changeExisting(text, entry), entry);
  return appendBlock(text, entry.stanza.trimEnd().replaceAll("\n", lineBreak(text)));
}

/** Removes the tables at the path and our own comments above them. */
export function takeTomlTable(text: string, { path, forms }: TomlEntry): string {
  const comments = commentLines(forms);
  return tablesAt(text, path).reduceRight((now, table) => {
    const [from, to] = regionOf(text, table);
    return cutBlock(now, startOfComments(text, from, comments), to);
  }, text);
}

/** Changes values in place, and removes keys and tables that are no longer wanted. */
function changeExisting(text: string, { path, after, forms }: TomlEntry): string {
  const comments = commentLines(forms);
  const before = getAt(readOther("entry", text, "toml").tree, path);
  let now = text;
  // From the end, so that the earlier offsets stay valid.
  for (const table of tablesAt(text, path).toReversed()) {
    const tablePath = table.resolvedKey.slice(path.length);
    if (!isTable(getAt(after, tablePath))) {
      now = cutBlock(now, ...regionOf(text, table));
      continue;
    }
    for (const pair of table.body.toReversed()) {
      const keys = [...tablePath, ...keyNames(pair)];
      const [old, value] = [getAt(before, keys), getAt(after, keys)] as (Json | undefined)[];
      if (value === undefined) {
        const from = startOfComments(now, startOfLine(now, pair.range[0]), comments);
        now = splice(now, from, nextLine(now, pair.range[1]), "");
      } else if (old === undefined || canonicalText(old) !== canonicalText(value))
        now = changeValue(now, pair.value, old, value);
    }
  }
  return now;
}

function changeValue(text: string, node: AST.TOMLContentNode, old: Json | undefined, value: Json): string {
  const changes = Array.isArray(old) && Array.isArray(value) ? listChanges(old, value) : undefined;
  if (changes === undefined) return splice(text, ...node.range, tomlText(value));
  return [...changes.removed, ...changes.added.map(tomlText)].reduce<string>((now, change) => {
    const program = parseTOML(now, SYNTAX);
    const values = program.body[0].body.flatMap((statement) =>
      statement.type === "TOMLTable" ? statement.body.map((pair) => pair.value) : [statement.value],
    );
    const array = values.find(({ range }) => range[0] === node.range[0]);
    if (array?.type !== "TOMLArray") return now;
    const list = tomlList(program, array);
    return typeof change === "number"
      ? removeItem(now, list, change, { comments: true })
      : addItem(now, list, () => change);
  }, text);
}

/** Copies the tables and keys that are missing from the stanza, each after its predecessor there. */
function addMissing(text: string, { path, after, stanza }: TomlEntry): string {
  const current = getAt(readOther("entry", text, "toml").tree, path);
  const isMissing = (keys: Path) => getAt(current, keys) === undefined && getAt(after, keys) !== undefined;
  let now = text;
  let previous: Path = path;
  const eol = lineBreak(text);
  for (const table of tablesAt(stanza, path)) {
    const tablePath = table.resolvedKey.slice(path.length);
    if (tableAt(now, table.resolvedKey))
      now = addMissingPairs(now, table, stanza, (keys) => isMissing([...tablePath, ...keys]));
    else if (tablePath.length === 0 || isMissing(tablePath)) {
      const [from] = regionOf(stanza, table);
      const block = stanza.slice(from, endOf(table)).replaceAll("\n", eol);
      const before = tableAt(now, previous);
      const first = tablesAt(now, path)[0];
      // After the table before it, or before our first one.
      now = before
        ? insertLines(now, regionOf(now, before)[1], `${eol}${block}${eol}`)
        : insertLines(now, first ? regionOf(now, first)[0] : now.length, `${block}${eol}${eol}`);
    }
    previous = table.resolvedKey;
  }
  return now;
}

/** Copies the missing keys of a stanza's table, with the comments above them, into the table of the text. */
function addMissingPairs(
  text: string,
  table: AST.TOMLTable,
  stanza: string,
  isMissing: (keys: readonly string[]) => boolean,
): string {
  const eol = lineBreak(text);
  let now = text;
  let end = table.key.range[1];
  for (const [index, pair] of table.body.entries()) {
    const lines = stanza.slice(nextLine(stanza, end), pair.range[1]).replaceAll("\n", eol);
    end = pair.range[1];
    const existing = tableAt(now, table.resolvedKey);
    if (existing === undefined || !isMissing(keyNames(pair))) continue;
    const before = table.body[index - 1];
    const anchor = existing.body.find(
      (other) => before && canonicalText(keyNames(other)) === canonicalText(keyNames(before)),
    );
    const at = nextLine(now, anchor?.range[1] ?? existing.key.range[1]);
    now = insertLines(now, at, `${lines}${eol}`);
  }
  return now;
}

function tablesAt(text: string, path: Path): AST.TOMLTable[] {
  return parseTOML(text, SYNTAX).body[0].body.filter(
    (statement): statement is AST.TOMLTable =>
      statement.type === "TOMLTable" && path.every((key, at) => statement.resolvedKey[at] === key),
  );
}

function tableAt(text: string, path: Path): AST.TOMLTable | undefined {
  return tablesAt(text, path).find(({ resolvedKey }) => resolvedKey.length === path.length);
}

function keyNames({ key }: AST.TOMLKeyValue): string[] {
  return key.keys.map(keyName);
}

function commentLines(forms: readonly string[]): Set<string> {
  return new Set(forms.flatMap((text) => text.split("\n")).filter((line) => line.startsWith("#")));
}

/** The start of the known comment lines right above an offset. */
function startOfComments(text: string, offset: number, comments: ReadonlySet<string>): number {
  return startOfLinesAbove(text, offset, (from, to) => comments.has(text.slice(from, to).trimEnd()));
}

/** From a table's header to the line of its last value. */
function regionOf(text: string, table: AST.TOMLTable): [from: number, to: number] {
  return [startOfLine(text, table.range[0]), nextLine(text, endOf(table))];
}

function endOf({ range, body }: AST.TOMLTable): number {
  return body.at(-1)?.range[1] ?? range[1];
}
