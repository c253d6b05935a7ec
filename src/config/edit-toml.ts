/**
 * Changes to a config that a person wrote in TOML: servers and allowed programs come and go, everything else stays as it
 * is written, comments and layout included.
 */
import { type AST, parseTOML } from "toml-eslint-parser";
import type { Json, JsonObject } from "../base/json.js";
import { tomlText } from "../base/toml-text.js";
import { serverLines } from "./server-text.js";
import { SYNTAX } from "./toml-places.js";

/** The text with one server more, at its end or in the list that is there. */
export function withServer(text: string, server: JsonObject, comment: readonly string[]): string {
  const list = arrayAt(text, ["servers"]);
  if (list) return withItem(text, list, tomlText(server as Json));
  const block = [...comment, "[[servers]]", ...serverLines(server)].join("\n");
  const before = text.trimEnd();
  return `${before === "" ? "" : `${before}\n\n`}${block}\n`;
}

/** The text without the server of that id: its table, what belongs to it, and the comment right above it. */
export function withoutServer(text: string, id: string): string {
  const list = arrayAt(text, ["servers"]);
  if (list) {
    const index = list.elements.findIndex((item) => idIn(item) === id);
    return index < 0 ? text : withoutItem(text, list, index);
  }
  const tables = tablesOf(text);
  const index = tables.find((table) => isServer(table) && idOf(table) === id)?.resolvedKey[1];
  if (index === undefined) return text;
  const isMine = ({ resolvedKey }: AST.TOMLTable) => resolvedKey[0] === "servers" && resolvedKey[1] === index;
  const cuts = tables.flatMap((table, at) =>
    isMine(table) ? [[start(text, table), tableEnd(text, table, tables[at + 1])] as const] : [],
  );
  const rest = cuts.toReversed().reduce((kept, [from, to]) => kept.slice(0, from) + kept.slice(to), text);
  return `${rest.trimEnd()}\n`;
}

/** The text with a program more in `allow.commands`, where there is such a list. */
export function withAllowed(text: string, program: string): string {
  const list = arrayAt(text, ["allow", "commands"]);
  if (!list || list.elements.some((item) => plainValue(item) === program)) return text;
  return withItem(text, list, tomlText(program));
}

/** The text without a program in `allow.commands`. */
export function withoutAllowed(text: string, program: string): string {
  const list = arrayAt(text, ["allow", "commands"]);
  const index = list?.elements.findIndex((item) => plainValue(item) === program) ?? -1;
  return list && index >= 0 ? withoutItem(text, list, index) : text;
}

function statements(text: string): (AST.TOMLKeyValue | AST.TOMLTable)[] {
  return parseTOML(text, SYNTAX).body[0].body;
}

function tablesOf(text: string): AST.TOMLTable[] {
  return statements(text).filter((statement) => statement.type === "TOMLTable");
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
  text: string,
  path: readonly [string] | readonly [string, string],
): AST.TOMLArray | undefined {
  const wanted = path.join(".");
  for (const statement of statements(text)) {
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

/** A list with one item more, in the way its items are laid out: side by side, or one a line. */
function withItem(text: string, list: AST.TOMLArray, item: string): string {
  const last = list.elements.at(-1);
  if (!last) return `${text.slice(0, list.range[0])}[${item}]${text.slice(list.range[1])}`;
  const isTall = last.loc.start.line !== list.loc.start.line;
  const gap = isTall ? `\n${" ".repeat(last.loc.start.column)}` : " ";
  return `${text.slice(0, last.range[1])},${gap}${item}${text.slice(last.range[1])}`;
}

/** A list without one item and the comma that it leaves over. */
function withoutItem(text: string, list: AST.TOMLArray, index: number): string {
  const item = list.elements[index];
  if (!item) return text;
  const [before, after] = [list.elements[index - 1], list.elements[index + 1]];
  if (before) return text.slice(0, before.range[1]) + text.slice(item.range[1]);
  if (after) return text.slice(0, item.range[0]) + text.slice(after.range[0]);
  return `${text.slice(0, list.range[0])}[]${text.slice(list.range[1])}`;
}

/** Where a table begins: at the comment lines that stand right above its header. */
function start(text: string, table: AST.TOMLTable): number {
  let from = lineStart(text, table.range[0]);
  while (from > 0) {
    const above = lineStart(text, from - 1);
    if (!/^[ \t]*#/.test(text.slice(above, from))) break;
    from = above;
  }
  // A comment at the very top of a file speaks of the file, not of its first table.
  return from === 0 ? lineStart(text, table.range[0]) : from;
}

/** Where a table ends: after its last value's line, or where the next one begins when only blanks stand between. */
function tableEnd(text: string, table: AST.TOMLTable, next: AST.TOMLTable | undefined): number {
  const line = text.indexOf("\n", table.range[1]);
  const end = line < 0 ? text.length : line + 1;
  const limit = next ? start(text, next) : text.length;
  return /^\s*$/.test(text.slice(end, limit)) ? limit : end;
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}
