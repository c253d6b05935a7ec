/** Edits a person's config file, TOML or JSON. Everything else stays as it is written, comments and layout included. */
import { type AST, parseTOML } from "toml-eslint-parser";
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { tomlText } from "../../base/toml-text.js";
import { parseJson } from "../text/json.js";
import { isJson } from "../text/read.js";
import { keyName, SYNTAX } from "../text/toml.js";
import { changeJson } from "./change-json.js";
import { addItem, removeItem, tomlList } from "./comma-list.js";
import { serverLines } from "./server-text.js";
import {
  appendBlock,
  insertLines,
  lineBreak,
  nextLine,
  splice,
  startOfLine,
  startOfLinesAbove,
} from "./text-lines.js";

export interface ConfigEditor {
  /** Adds a server; in TOML below the comment, unless the servers are one list. */
  withServer(text: string, server: JsonObject, comment?: readonly string[]): string;
  /** Removes a server. The comment at the top of a file is removed only if it is `comment`. */
  withoutServer(text: string, id: string, comment?: readonly string[]): string;
  /** Adds a program to `allow.commands`, where there is such a list. */
  withAllowed(text: string, program: string): string;
  withoutAllowed(text: string, program: string): string;
  /** Adds a config to `extends`. */
  withExtended(text: string, name: string): string;
  /** Removes a config from `extends`; an empty list is removed with its line. */
  withoutExtended(text: string, name: string): string;
}

export function editorOf(file: string, text: string): ConfigEditor {
  return isJson(file, text) ? jsonEditor : tomlEditor;
}

export const jsonEditor: ConfigEditor = {
  withServer: (text, server) =>
    change(text, (tree) => ({ ...tree, servers: [...listOf(tree.servers), server] })),
  withoutServer: (text, id) =>
    change(text, (tree) => {
      const servers = listOf(tree.servers);
      const rest = servers.filter((server) => !(isTable(server) && server.id === id));
      return rest.length === servers.length ? tree : { ...tree, servers: rest };
    }),
  withAllowed: (text, program) =>
    changePrograms(text, (programs) => (programs.includes(program) ? programs : [...programs, program])),
  withoutAllowed: (text, program) =>
    changePrograms(text, (programs) => programs.filter((name) => name !== program)),
  withExtended: (text, name) =>
    change(text, (tree) => {
      const names = [tree.extends ?? []].flat();
      return names.includes(name) ? tree : { ...tree, extends: [...names, name] };
    }),
  withoutExtended: (text, name) =>
    change(text, ({ extends: names, ...tree }) => {
      if (names === undefined) return tree;
      const rest = [names].flat().filter((other) => other !== name);
      return rest.length === 0 ? tree : { extends: Array.isArray(names) ? rest : names, ...tree };
    }),
};

function changePrograms(text: string, edit: (programs: Json[]) => Json[]): string {
  return change(text, (tree) => {
    const { allow } = tree;
    if (!isTable(allow) || !Array.isArray(allow.commands)) return tree;
    return { ...tree, allow: { ...allow, commands: edit(allow.commands) } };
  });
}

function change(text: string, edit: (tree: JsonObject) => JsonObject): string {
  const { tree } = parseJson(text.trim() === "" ? "{}" : text);
  return changeJson(text, tree, edit(tree));
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

export const tomlEditor: ConfigEditor = {
  withServer: (text, server, comment = []) =>
    withItem(text, "servers", server) ??
    appendBlock(text, [...comment, "[[servers]]", ...serverLines(server)].join(lineBreak(text))),
  withoutServer: (text, id, comment = []) =>
    withoutItem(text, "servers", (item) => "body" in item && idOf(item.body) === id) ??
    withoutServerTables(text, id, comment),
  withAllowed: (text, program) => withItem(text, "allow.commands", program) ?? text,
  withoutAllowed: (text, program) => withoutItem(text, "allow.commands", isText(program)) ?? text,
  withExtended: (text, name) => withItem(text, "extends", name) ?? withExtendsLine(text, name),
  withoutExtended(text, name) {
    const program = parseTOML(text, SYNTAX);
    const list = arrayAt(program, "extends");
    if (!list?.elements.some(isText(name))) return text;
    if (list.elements.length > 1) return withoutItem(text, "extends", isText(name)) ?? text;
    const after = text.slice(nextLine(text, list.range[1]));
    // As the only line before the tables it was added with a blank line.
    const isAlone = program.body[0].body.filter(({ type }) => type === "TOMLKeyValue").length === 1;
    const kept = isAlone ? after.replace(/^[ \t]*\r?\n/, "") : after;
    return text.slice(0, startOfLine(text, list.parent.range[0])) + kept;
  },
};

/** Adds an item to the list with that name, unless it has it; undefined when there is no such list. */
function withItem(text: string, name: string, item: Json): string | undefined {
  const program = parseTOML(text, SYNTAX);
  const list = arrayAt(program, name);
  if (list?.elements.some(isText(item))) return text;
  return list && addItem(text, tomlList(program, list), () => tomlText(item));
}

function withoutItem(
  text: string,
  name: string,
  isWanted: (item: AST.TOMLContentNode) => boolean,
): string | undefined {
  const program = parseTOML(text, SYNTAX);
  const list = arrayAt(program, name);
  return (
    list && removeItem(text, tomlList(program, list), list.elements.findIndex(isWanted), { comments: true })
  );
}

/** The text without a server's tables and the comment right above them. */
function withoutServerTables(text: string, id: string, comment: readonly string[]): string {
  const tables = parseTOML(text, SYNTAX).body[0].body.filter((statement) => statement.type === "TOMLTable");
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

function withExtendsLine(text: string, name: string): string {
  const eol = lineBreak(text);
  const line = `extends = ${tomlText([name])}${eol}`;
  const statements = parseTOML(text, SYNTAX).body[0].body;
  const pair = statements.findLast((statement) => statement.type === "TOMLKeyValue");
  if (pair) return insertLines(text, nextLine(text, pair.range[1]), line);
  const table = statements.find((statement) => statement.type === "TOMLTable");
  return table
    ? insertLines(text, startOfTable(text, table), `${line}${eol}`)
    : insertLines(text, text.length, line);
}

function idOf(pairs: readonly AST.TOMLKeyValue[]): unknown {
  const pair = pairs.find(({ key }) => keyText(key) === "id");
  return pair?.value.type === "TOMLValue" ? pair.value.value : undefined;
}

function isText(text: Json): (node: AST.TOMLContentNode) => boolean {
  return (node) => node.type === "TOMLValue" && node.value === text;
}

function keyText({ keys }: AST.TOMLKey): string {
  return keys.map(keyName).join(".");
}

/** The array with a dotted name, in a table, at the top level or in an inline table. */
function arrayAt(program: AST.TOMLProgram, name: string): AST.TOMLArray | undefined {
  const search = (pairs: readonly AST.TOMLKeyValue[], prefix: string): AST.TOMLArray[] =>
    pairs.flatMap(({ key, value }) => {
      const here = `${prefix}${keyText(key)}`;
      if (value.type === "TOMLInlineTable") return search(value.body, `${here}.`);
      return here === name && value.type === "TOMLArray" ? [value] : [];
    });
  return program.body[0].body.flatMap((statement) =>
    statement.type === "TOMLTable"
      ? search(statement.body, `${statement.resolvedKey.join(".")}.`)
      : search([statement], ""),
  )[0];
}

/** The start of a table: of the comment lines right above its header. */
function startOfTable(text: string, table: AST.TOMLTable, ownComment: readonly string[] = []): number {
  const header = startOfLine(text, table.range[0]);
  const from = startOfLinesAbove(text, header, (line) => isCommentLine(text, line));
  // A comment at the top of a file is about the file, unless the table was added with it.
  const isOwn = text.slice(0, header).trimEnd().split(/\r?\n/).join("\n") === ownComment.join("\n");
  return from === 0 && !isOwn ? header : from;
}

/**
 * The end of a table: after its last value, the comment lines right below it and the blank lines before the next table.
 */
function endOfTable(text: string, table: AST.TOMLTable, next: AST.TOMLTable | undefined): number {
  const limit = next ? startOfTable(text, next) : text.length;
  let end = nextLine(text, table.body.at(-1)?.range[1] ?? table.key.range[1]);
  while (end < limit && isCommentLine(text, end)) end = nextLine(text, end);
  return text.slice(end, limit).trim() === "" ? limit : end;
}

function isCommentLine(text: string, line: number): boolean {
  return text.slice(line, nextLine(text, line)).trimStart().startsWith("#");
}
