/**
 * Changes to a config that a person wrote in TOML: servers and allowed programs come and go, everything else stays as it
 * is written, comments and layout included.
 */
import { type AST, parseTOML } from "toml-eslint-parser";
import type { Json, JsonObject } from "../../base/json.js";
import { tomlText } from "../../base/toml-text.js";
import { lineBreak, nextLine, splice, startOfLine } from "../text/text-lines.js";
import { withItem, withoutItem } from "../text/toml-list.js";
import { SYNTAX } from "../text/toml-places.js";
import { serverLines } from "./server-text.js";

/** The text with one server more, at its end or in the list that is there. */
export function withServer(text: string, server: JsonObject, comment: readonly string[]): string {
  const program = parseTOML(text, SYNTAX);
  const list = arrayAt(program, ["servers"]);
  if (list) return withItem(text, program, list, tomlText(server as Json));
  const eol = lineBreak(text);
  const block = [...comment, "[[servers]]", ...serverLines(server)].join(eol);
  const before = text.trimEnd();
  return `${before === "" ? "" : `${before}${eol}${eol}`}${block}${eol}`;
}

/**
 * The text without the server of that id: its table, what belongs to it, and the comment right above it. At the very top
 * that must be `comment`, which the server was added with.
 */
export function withoutServer(text: string, id: string, comment: readonly string[] = []): string {
  const program = parseTOML(text, SYNTAX);
  const list = arrayAt(program, ["servers"]);
  if (list) {
    const index = list.elements.findIndex((item) => idIn(item) === id);
    return index < 0 ? text : withoutItem(text, program, list, index);
  }
  const tables = program.body[0].body.filter((statement) => statement.type === "TOMLTable");
  const index = tables.find((table) => isServer(table) && idOf(table) === id)?.resolvedKey[1];
  if (index === undefined) return text;
  const isMine = ({ resolvedKey }: AST.TOMLTable) => resolvedKey[0] === "servers" && resolvedKey[1] === index;
  const cuts = tables.flatMap((table, at) =>
    isMine(table) ? [[start(text, table, comment), tableEnd(text, table, tables[at + 1])] as const] : [],
  );
  const rest = cuts.toReversed().reduce((kept, [from, to]) => splice(kept, from, to, ""), text);
  const isCutAtEnd = cuts.at(-1)?.[1] === text.length && rest.trim() !== "";
  return isCutAtEnd ? `${rest.trimEnd()}${lineBreak(text)}` : rest;
}

/** The text with a program more in `allow.commands`, where there is such a list. */
export function withAllowed(text: string, program: string): string {
  const tree = parseTOML(text, SYNTAX);
  const list = arrayAt(tree, ["allow", "commands"]);
  if (!list || list.elements.some((item) => plainValue(item) === program)) return text;
  return withItem(text, tree, list, tomlText(program));
}

/** The text without a program in `allow.commands`. */
export function withoutAllowed(text: string, program: string): string {
  const tree = parseTOML(text, SYNTAX);
  const list = arrayAt(tree, ["allow", "commands"]);
  const index = list?.elements.findIndex((item) => plainValue(item) === program) ?? -1;
  return list && index >= 0 ? withoutItem(text, tree, list, index) : text;
}

/** The text with a config more that it extends: in the list that is there, or in a line before the first table. */
export function withExtended(text: string, name: string): string {
  const tree = parseTOML(text, SYNTAX);
  const list = arrayAt(tree, ["extends"]);
  if (list?.elements.some((item) => plainValue(item) === name)) return text;
  if (list) return withItem(text, tree, list, tomlText(name));
  const eol = lineBreak(text);
  const statements = tree.body[0].body;
  const pair = statements.findLast((statement) => statement.type === "TOMLKeyValue");
  const table = statements.find((statement) => statement.type === "TOMLTable");
  const line = `extends = ${tomlText([name])}${eol}`;
  if (pair) {
    const at = nextLine(text, pair.range[1]);
    return splice(text, at, at, `${text[at - 1] === "\n" ? "" : eol}${line}`);
  }
  const at = table ? start(text, table) : text.length;
  const isOpen = at > 0 && text[at - 1] !== "\n";
  return splice(text, at, at, `${isOpen ? eol : ""}${line}${table ? eol : ""}`);
}

/** The text without a config that it extends; a list of which nothing is left goes with its line. */
export function withoutExtended(text: string, name: string): string {
  const tree = parseTOML(text, SYNTAX);
  const list = arrayAt(tree, ["extends"]);
  const index = list?.elements.findIndex((item) => plainValue(item) === name) ?? -1;
  if (!list || index < 0) return text;
  if (list.elements.length > 1) return withoutItem(text, tree, list, index);
  const [from, to] = [startOfLine(text, list.parent.range[0]), nextLine(text, list.range[1])];
  const after = text.slice(to);
  // The only line before the tables was put there with a blank one.
  const isAlone = tree.body[0].body.filter(({ type }) => type === "TOMLKeyValue").length === 1;
  return text.slice(0, from) + (isAlone ? after.replace(/^[ \t]*\r?\n/, "") : after);
}

function isServer({ resolvedKey }: AST.TOMLTable): boolean {
  return resolvedKey.length === 2 && resolvedKey[0] === "servers";
}

function idOf(table: AST.TOMLTable): unknown {
  const pair = table.body.find(({ key }) => keyText(key) === "id");
  return pair && plainValue(pair.value);
}

function idIn(item: AST.TOMLContentNode): unknown {
  if (item.type !== "TOMLInlineTable") return undefined;
  const pair = item.body.find(({ key }) => keyText(key) === "id");
  return pair && plainValue(pair.value);
}

function plainValue(node: AST.TOMLContentNode): unknown {
  return node.type === "TOMLValue" ? node.value : undefined;
}

function keyText({ keys }: AST.TOMLKey): string {
  return keys.map((key) => (key.type === "TOMLBare" ? key.name : key.value)).join(".");
}

/** The list at a path of one or two keys, however it is written. */
function arrayAt(
  program: AST.TOMLProgram,
  path: readonly [string] | readonly [string, string],
): AST.TOMLArray | undefined {
  const wanted = path.join(".");
  for (const statement of program.body[0].body) {
    const pairs = statement.type === "TOMLTable" ? statement.body : [statement];
    const prefix = statement.type === "TOMLTable" ? `${statement.resolvedKey.join(".")}.` : "";
    for (const pair of pairs) {
      const name = `${prefix}${keyText(pair.key)}`;
      if (name === wanted && pair.value.type === "TOMLArray") return pair.value;
      if (name === path[0] && path.length === 2 && pair.value.type === "TOMLInlineTable") {
        const inner = pair.value.body.find(({ key }) => keyText(key) === path[1]);
        if (inner?.value.type === "TOMLArray") return inner.value;
      }
    }
  }
  return undefined;
}

/** Where a table begins: at the comment lines that stand right above its header. */
function start(text: string, table: AST.TOMLTable, own: readonly string[] = []): number {
  let from = startOfLine(text, table.range[0]);
  while (from > 0) {
    const above = startOfLine(text, from - 1);
    if (!isComment(text, above)) break;
    from = above;
  }
  const header = startOfLine(text, table.range[0]);
  // A comment at the very top of a file speaks of the file, not of its first table, unless it came with that.
  const isOwn = text.slice(0, header).trimEnd().split(/\r?\n/).join("\n") === own.join("\n");
  return from === 0 && !isOwn ? header : from;
}

/** Where a table ends: after its last value and the comment lines right below it, with the blanks before the next one. */
function tableEnd(text: string, table: AST.TOMLTable, next: AST.TOMLTable | undefined): number {
  const limit = next ? start(text, next) : text.length;
  let end = nextLine(text, table.body.at(-1)?.range[1] ?? table.key.range[1]);
  while (end < limit && isComment(text, end)) end = nextLine(text, end);
  return text.slice(end, limit).trim() === "" ? limit : end;
}

/** Whether a line is nothing but a comment. */
function isComment(text: string, line: number): boolean {
  return text.slice(line, nextLine(text, line)).trimStart().startsWith("#");
}
