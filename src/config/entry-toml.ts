/** A table in another program's TOML: put in, put anew or taken out as text; everything around it stays as it is written. */
import { type AST, parseTOML } from "toml-eslint-parser";
import { SYNTAX } from "./toml-places.js";

/** Keys that are ours, each with those of its members that are. */
export interface OwnKeys {
  readonly [key: string]: readonly string[];
}

/** The text with the stanza in place of the table at a path, or at its end. */
export function putTomlTable(text: string, path: readonly string[], stanza: string, own: OwnKeys): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const blocks = blocksOf(stanza);
  const mine = tablesAt(text, path);
  const [first, ...others] = mine;
  if (first === undefined) {
    const before = text.trimEnd();
    const block = blocks.map((lines) => lines.join(eol)).join(eol + eol);
    return `${before === "" ? "" : `${before}${eol}${eol}`}${block}${eol}`;
  }
  const { pairs, tables } = theirs(text, mine, path, own);
  const [head = [], ...further] = blocks;
  // A comment above the table stays as it is: it is ours from before, or the person's.
  const table = [...head.slice(leadingComments(head).length), ...pairs];
  const anew = [table, ...further, ...tables].map((lines) => lines.join(eol)).join(eol + eol);
  const [from, to] = regionOf(text, first);
  // From the end on, so that what is cut does not move what is still to be cut.
  const rest = others.toReversed().reduce((now, other) => cut(now, regionOf(text, other)), text);
  return `${rest.slice(0, from)}${anew}${eol}${rest.slice(to)}`;
}

/** The text without the table at a path and the comment that the stanza has above it. */
export function takeTomlTable(text: string, path: readonly string[], stanza: string): string {
  const comments = leadingComments(blocksOf(stanza)[0] ?? []);
  const regions = tablesAt(text, path).map((table, at): Region => {
    const [from, to] = regionOf(text, table);
    return [at === 0 ? aboveComments(text, from, comments) : from, to];
  });
  return regions.toReversed().reduce(cut, text);
}

type Region = readonly [from: number, to: number];

function tablesAt(text: string, path: readonly string[]): AST.TOMLTable[] {
  return parseTOML(text, SYNTAX).body[0].body.filter(
    (statement): statement is AST.TOMLTable =>
      statement.type === "TOMLTable" && path.every((key, at) => statement.resolvedKey[at] === key),
  );
}

/** What a person has added to the tables: pairs of the first, and whole tables, in keys that no stanza has. */
function theirs(text: string, mine: AST.TOMLTable[], path: readonly string[], own: OwnKeys) {
  const isTheirs = ([key, member]: readonly (string | number | undefined)[]) => {
    const members = Object.hasOwn(own, String(key)) ? own[String(key)] : undefined;
    return members === undefined || (member !== undefined && !members.includes(String(member)));
  };
  const linesIn = ([from, to]: Region) => text.slice(from, to).trimEnd().split(/\r?\n/);
  const pairs = mine
    .filter(({ resolvedKey }) => resolvedKey.length === path.length)
    .flatMap(({ body }) => body.filter(({ key }) => isTheirs(namesOf(key))))
    .flatMap(({ range }) => linesIn([range[0], lineEnd(text, range[1])]));
  const tables = mine
    .filter(({ resolvedKey }) => resolvedKey.length > path.length && isTheirs(resolvedKey.slice(path.length)))
    .map((table) => linesIn(regionOf(text, table)));
  return { pairs, tables };
}

function namesOf({ keys }: AST.TOMLKey): string[] {
  return keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value));
}

/** The lines of a stanza, table by table. */
function blocksOf(stanza: string): string[][] {
  return stanza
    .trimEnd()
    .split(/\n{2,}/)
    .map((block) => block.split("\n"));
}

function leadingComments(lines: readonly string[]): string[] {
  const end = lines.findIndex((line) => !line.startsWith("#"));
  return lines.slice(0, end < 0 ? lines.length : end);
}

/** Where the known comment lines right above an offset begin. */
function aboveComments(text: string, offset: number, comments: readonly string[]): number {
  let from = offset;
  while (from > 0) {
    const above = lineStart(text, from - 1);
    if (!comments.includes(text.slice(above, from).trimEnd())) break;
    from = above;
  }
  return from;
}

/** From a table's header to the line of its last value. */
function regionOf(text: string, { range, body }: AST.TOMLTable): Region {
  return [lineStart(text, range[0]), lineEnd(text, body.at(-1)?.range[1] ?? range[1])];
}

/** The text without a region and the blank lines before it, or after it where it begins the file. */
function cut(text: string, [from, to]: Region): string {
  const before = text.slice(0, from).replace(/(\r?\n)[ \t\r\n]*$/, "$1");
  const after = text.slice(to);
  return before.trim() === "" ? after.replace(/^\s*\n/, "") : before + after;
}

function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}
