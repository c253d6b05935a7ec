/** Edits a person's config in TOML. Everything else stays as it is written, comments and layout included. */
import { type AST, parseTOML } from "toml-eslint-parser";
import type { Json, JsonObject } from "../../base/json.js";
import { tomlText } from "../../base/toml-text.js";
import { keyName, SYNTAX } from "../text/toml-spans.js";
import { addItem, type CommaList, removeItem } from "./comma-list.js";
import { serverLines } from "./server-text.js";
import { appendBlock, insertLines, lineBreak, nextLine, splice, startOfLine } from "./text-lines.js";

/** Adds a server: to the list `servers = [...]` where there is one, else as a table at the end. */
export function withServer(text: string, server: JsonObject, comment: readonly string[] = []): string {
  const program = parseTOML(text, SYNTAX);
  const list = arrayAt(program, "servers");
  if (list) return withItem(text, program, list, server);
  return appendBlock(text, [...comment, "[[servers]]", ...serverLines(server)].join(lineBreak(text)));
}

/**
 * Removes the server with that id: its tables and the comment right above them. At the top of the file that comment is
 * removed only if it is `comment`, which the server was added with.
 */
export function withoutServer(text: string, id: string, comment: readonly string[] = []): string {
  const program = parseTOML(text, SYNTAX);
  const list = arrayAt(program, "servers");
  if (list) return withoutItem(text, program, list, (item) => "body" in item && idOf(item.body) === id);
  const tables = program.body[0].body.filter((statement) => statement.type === "TOMLTable");
  const isServer = ({ resolvedKey }: AST.TOMLTable) => resolvedKey[0] === "servers";
  const [, index] =
    tables.find((table) => isServer(table) && table.resolvedKey.length === 2 && idOf(table.body) === id)
      ?.resolvedKey ?? [];
  if (index === undefined) return text;
  const cuts = tables.flatMap((table, at) =>
    isServer(table) && table.resolvedKey[1] === index
      ? [[startOfTable(text, table, comment), endOfTable(text, table, tables[at + 1])] as const]
      : [],
  );
  const rest = cuts.reduceRight((kept, [from, to]) => splice(kept, from, to, ""), text);
  const isCutAtEnd = cuts.at(-1)?.[1] === text.length && rest.trim() !== "";
  return isCutAtEnd ? `${rest.trimEnd()}${lineBreak(text)}` : rest;
}

/** Adds a program to `allow.commands`, where there is such a list. */
export function withAllowed(text: string, name: string): string {
  const program = parseTOML(text, SYNTAX);
  const list = arrayAt(program, "allow.commands");
  return list && !list.elements.some(isText(name)) ? withItem(text, program, list, name) : text;
}

/** Removes a program from `allow.commands`. */
export function withoutAllowed(text: string, name: string): string {
  const program = parseTOML(text, SYNTAX);
  const list = arrayAt(program, "allow.commands");
  return list ? withoutItem(text, program, list, isText(name)) : text;
}

/** Adds a config to `extends`: to the list where there is one, else in a line before the first table. */
export function withExtended(text: string, name: string): string {
  const program = parseTOML(text, SYNTAX);
  const list = arrayAt(program, "extends");
  if (list) return list.elements.some(isText(name)) ? text : withItem(text, program, list, name);
  const eol = lineBreak(text);
  const line = `extends = ${tomlText([name])}${eol}`;
  const statements = program.body[0].body;
  const pair = statements.findLast((statement) => statement.type === "TOMLKeyValue");
  if (pair) return insertLines(text, nextLine(text, pair.range[1]), line);
  const table = statements.find((statement) => statement.type === "TOMLTable");
  return table
    ? insertLines(text, startOfTable(text, table), `${line}${eol}`)
    : insertLines(text, text.length, line);
}

/** Removes a config from `extends`; an empty list is removed with its line. */
export function withoutExtended(text: string, name: string): string {
  const program = parseTOML(text, SYNTAX);
  const list = arrayAt(program, "extends");
  if (!list?.elements.some(isText(name))) return text;
  if (list.elements.length > 1) return withoutItem(text, program, list, isText(name));
  const after = text.slice(nextLine(text, list.range[1]));
  // As the only line before the tables it was added with a blank line.
  const isAlone = program.body[0].body.filter(({ type }) => type === "TOMLKeyValue").length === 1;
  const kept = isAlone ? after.replace(/^[ \t]*\r?\n/, "") : after;
  return text.slice(0, startOfLine(text, list.parent.range[0])) + kept;
}

/** A TOML array as a list of offsets. */
export function tomlList({ comments }: AST.TOMLProgram, { range, elements }: AST.TOMLArray): CommaList {
  return {
    open: range[0] + 1,
    close: range[1] - 1,
    items: elements.map((element) => element.range),
    comments: comments.map((comment) => comment.range),
  };
}

function withItem(text: string, program: AST.TOMLProgram, list: AST.TOMLArray, item: Json): string {
  return addItem(text, tomlList(program, list), () => tomlText(item));
}

function withoutItem(
  text: string,
  program: AST.TOMLProgram,
  list: AST.TOMLArray,
  isWanted: (item: AST.TOMLContentNode) => boolean,
): string {
  return removeItem(text, tomlList(program, list), list.elements.findIndex(isWanted), { comments: true });
}

function idOf(pairs: readonly AST.TOMLKeyValue[]): unknown {
  const pair = pairs.find(({ key }) => keyText(key) === "id");
  return pair?.value.type === "TOMLValue" ? pair.value.value : undefined;
}

function isText(text: string): (node: AST.TOMLContentNode) => boolean {
  return (node) => node.type === "TOMLValue" && node.value === text;
}

function keyText({ keys }: AST.TOMLKey): string {
  return keys.map(keyName).join(".");
}

/** The array with a dotted name, in a table, at the top level or in an inline table. */
function arrayAt(program: AST.TOMLProgram, name: string): AST.TOMLArray | undefined {
  const search = (pairs: readonly AST.TOMLKeyValue[], prefix: string): AST.TOMLArray | undefined => {
    for (const { key, value } of pairs) {
      const here = `${prefix}${keyText(key)}`;
      if (here === name && value.type === "TOMLArray") return value;
      const inner = value.type === "TOMLInlineTable" ? search(value.body, `${here}.`) : undefined;
      if (inner) return inner;
    }
    return undefined;
  };
  for (const statement of program.body[0].body) {
    const isTable = statement.type === "TOMLTable";
    const list = search(
      isTable ? statement.body : [statement],
      isTable ? `${statement.resolvedKey.join(".")}.` : "",
    );
    if (list) return list;
  }
  return undefined;
}

/** The start of a table: of the comment lines right above its header. */
function startOfTable(text: string, table: AST.TOMLTable, ownComment: readonly string[] = []): number {
  const header = startOfLine(text, table.range[0]);
  let from = header;
  while (from > 0) {
    const above = startOfLine(text, from - 1);
    if (!isCommentLine(text, above)) break;
    from = above;
  }
  // A comment at the top of a file is about the file, unless the table was added with it.
  const isOwn = text.slice(0, header).trimEnd().split(/\r?\n/).join("\n") === ownComment.join("\n");
  return from === 0 && !isOwn ? header : from;
}

/** The end of a table: after its last value, the comment lines right below it and the blank lines before the next table. */
function endOfTable(text: string, table: AST.TOMLTable, next: AST.TOMLTable | undefined): number {
  const limit = next ? startOfTable(text, next) : text.length;
  let end = nextLine(text, table.body.at(-1)?.range[1] ?? table.key.range[1]);
  while (end < limit && isCommentLine(text, end)) end = nextLine(text, end);
  return text.slice(end, limit).trim() === "" ? limit : end;
}

function isCommentLine(text: string, line: number): boolean {
  return text.slice(line, nextLine(text, line)).trimStart().startsWith("#");
}
