/**
 * Compiles Handlebars text templates to plain JavaScript, so that the runtime does not need Handlebars. Supported are
 * paths, literals, `#each`, `#if`, `#unless`, `else`, `@index`, `@first`, `@last`, `this`, `..`, and the helpers `json`
 * and `one_line`. Config strings enter the code as literals only.
 */
import Handlebars from "handlebars";
import { lit } from "./code-text.js";

/** A template that cannot be used; the message says why. */
export class BadTemplate extends Error {}

/** The part of the Handlebars syntax tree that is used here. */
export interface Node {
  type: string;
  value?: unknown;
  path?: Node;
  params?: Node[];
  hash?: { pairs: unknown[] };
  program?: Program;
  inverse?: Program;
  parts?: string[];
  data?: boolean;
  depth?: number;
  original?: unknown;
  loc?: { start: { line: number; column: number } };
}

/** A template or a block of it. */
export interface Program {
  body: Node[];
  blockParams?: string[];
}

/** Helper in templates → function in the generated module. */
const helpers: { readonly [name: string]: string } = { json: "json", one_line: "oneLine" };
const dataNames = ["index", "first", "last"];
const maxDepth = 8;

/** The statements that append the text of a template to `out`. */
export function templateStatements(source: string): string[] {
  return statements(parseTemplate(source), ["view"]);
}

/** A template's syntax tree. */
export function parseTemplate(source: string): Program {
  try {
    return Handlebars.parse(source) as unknown as Program;
  } catch (error) {
    const [first = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new BadTemplate(`The text template does not parse: ${first.replace(/:$/, "")}.`);
  }
}

const handlebars = Handlebars.create();
handlebars.registerHelper({ json: (value: unknown) => JSON.stringify(value, null, 2), one_line: String });

/** The text of a checked template for a view of one-line texts. */
export function fillTemplate(source: string, view: { [name: string]: string }): string {
  return handlebars.compile(source, { noEscape: true })(view);
}

/** `scopes` are the variables of the enclosing blocks, innermost last. */
function statements(program: Program | undefined, scopes: readonly string[]): string[] {
  return program?.body.flatMap((node) => statement(node, scopes)) ?? [];
}

function statement(node: Node, scopes: readonly string[]): string[] {
  switch (node.type) {
    case "ContentStatement":
      return node.value === "" ? [] : [`out += ${lit(String(node.value))};`];
    case "CommentStatement":
      return [];
    case "MustacheStatement":
      return [`out += ${mustache(node, scopes)};`];
    case "BlockStatement":
      return block(node, scopes);
    default:
      throw unknown(node);
  }
}

function mustache(node: Node, scopes: readonly string[]): string {
  const { path, params = [] } = node;
  if (path === undefined || (node.hash?.pairs.length ?? 0) > 0) throw unknown(node);
  if (params.length === 0) return `text(${expression(path, scopes)})`;
  const [param] = params;
  const name = String(path.original);
  if (!Object.hasOwn(helpers, name) || params.length !== 1 || param === undefined) throw unknown(node);
  return `${helpers[name]}(${expression(param, scopes)})`;
}

function block(node: Node, scopes: readonly string[]): string[] {
  const { path, params = [], program, inverse } = node;
  const [param] = params;
  const isPlain =
    params.length === 1 && (node.hash?.pairs.length ?? 0) === 0 && (program?.blockParams?.length ?? 0) === 0;
  if (!isPlain || param === undefined || scopes.length > maxDepth) throw unknown(node);
  const value = expression(param, scopes);
  const otherwise = statements(inverse, scopes);
  switch (path?.original) {
    case "if":
      return [`if (holds(${value})) {`, ...indent(statements(program, scopes)), ...orElse(otherwise)];
    case "unless":
      return [`if (!holds(${value})) {`, ...indent(statements(program, scopes)), ...orElse(otherwise)];
    case "each":
      return loop(value, statements(program, [...scopes, itemName(scopes.length)]), otherwise, scopes.length);
    default:
      throw unknown(node);
  }
}

function itemName(depth: number): string {
  return `item${depth}`;
}

/** A loop in its own block, so that two loops can use the same variable names. */
function loop(value: string, body: string[], otherwise: string[], depth: number): string[] {
  const list = `list${depth}`;
  const none = otherwise.length === 0 ? [] : [`if (${list}.length === 0) {`, ...indent(otherwise), "}"];
  return [
    "{",
    ...indent([
      `const ${list} = items(${value});`,
      ...none,
      `for (const [index${depth}, ${itemName(depth)}] of ${list}.entries()) {`,
      ...indent(body),
      "}",
    ]),
    "}",
  ];
}

function orElse(lines: string[]): string[] {
  return lines.length === 0 ? ["}"] : ["} else {", ...indent(lines), "}"];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

function expression(node: Node, scopes: readonly string[]): string {
  switch (node.type) {
    case "StringLiteral":
    case "NumberLiteral":
    case "BooleanLiteral":
      return lit(node.value as string | number | boolean);
    case "NullLiteral":
    case "UndefinedLiteral":
      return "null";
    case "PathExpression":
      return node.data ? dataText(node, scopes) : pathText(node, scopes);
    default:
      throw unknown(node);
  }
}

function pathText(node: Node, scopes: readonly string[]): string {
  const scope = scopes[scopes.length - 1 - (node.depth ?? 0)];
  const parts = node.parts ?? [];
  if (scope === undefined || !parts.every((part) => typeof part === "string")) throw unknown(node);
  return parts.length === 0 ? scope : `at(${scope}, ${lit(parts)})`;
}

/** `@index`, `@first` and `@last` refer to the innermost `#each`. */
function dataText(node: Node, scopes: readonly string[]): string {
  const [name, ...rest] = node.parts ?? [];
  const depth = scopes.length - 1;
  if (depth === 0 || rest.length > 0 || node.depth !== 0 || name === undefined || !dataNames.includes(name))
    throw unknown(node);
  if (name === "index") return `index${depth}`;
  return name === "first" ? `index${depth} === 0` : `index${depth} === list${depth}.length - 1`;
}

function unknown(node: Node): BadTemplate {
  const name = String(node.path?.original ?? node.original ?? node.type);
  return new BadTemplate(
    `The text template uses \`${name}\`, which text templates do not support${placeOf(node)}.`,
  );
}

/** Where a node is in its template, for the end of a message. */
export function placeOf({ loc }: Node): string {
  return loc ? ` (line ${loc.start.line}, column ${loc.start.column + 1})` : "";
}
