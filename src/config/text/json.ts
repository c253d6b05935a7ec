/**
 * Parses JSON with the place of each value. Duplicate keys, and by default comments and trailing commas, are mistakes.
 */
import { type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { define, isTable, toPointer } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { Lines } from "../../base/text.js";
import { duplicateKey, plainTable } from "./plain-values.js";
import { brokenWith, type Finding, type Parsed, type Path, type Span } from "./source.js";

const MAX_SYNTAX_ERRORS = 20;

/** Parses a JSON text; `lenient` allows comments and trailing commas. */
export function parseJson(text: string, { lenient = false }: { lenient?: boolean } = {}): Parsed {
  const lines = new Lines(text);
  const errors: ParseError[] = [];
  const strict = parseTree(text, errors, { disallowComments: !lenient, allowTrailingComma: lenient });
  // Comments and trailing commas are mistakes, but the values around them are validated as well.
  const otherErrors: ParseError[] = [];
  const root = errors.length > 0 ? parseTree(text, otherErrors, { allowTrailingComma: true }) : strict;
  const findings = firstOfEachLine(errors, lines).map(syntaxError);
  if (!root && findings.length === 0) findings.push(syntaxFinding("a value is expected", 0, text.length));
  if (!root) return brokenWith(findings);
  if (root.type !== "object" && errors.length === 0)
    findings.push({
      code: "config/wrong-type",
      message: `a config is a table, found ${root.type === "array" ? "a list" : `a ${root.type}`}`,
      path: [],
      span: spanOf(root),
    });
  const value = nodeValue(root, [], findings, lines);
  const tree = isTable(value) ? plainTable(value, findings) : {};
  const isBroken = otherErrors.length > 0 || root.type !== "object";
  return { tree: isBroken ? {} : tree, findings, broken: isBroken, span: spanFinder(root) };
}

const messages: { [code: string]: string } = {
  InvalidSymbol: "this is not a JSON value",
  InvalidNumberFormat: "not a JSON number",
  PropertyNameExpected: "a key in double quotes is expected",
  ValueExpected: "a value is expected",
  ColonExpected: "a colon is expected",
  CommaExpected: "a comma is expected",
  CloseBraceExpected: "a closing brace is expected",
  CloseBracketExpected: "a closing bracket is expected",
  EndOfFileExpected: "nothing may follow the value",
  InvalidCommentToken: "JSON has no comments",
  UnexpectedEndOfComment: "JSON has no comments",
  UnexpectedEndOfString: "the string does not end",
  UnexpectedEndOfNumber: "the number does not end",
  InvalidUnicode: "not a valid \\u escape",
  InvalidEscapeCharacter: "not a valid escape",
  InvalidCharacter: "a control character must be escaped",
};

/** The first error of each line: the parser reports later ones that follow from it. */
function firstOfEachLine(errors: ParseError[], lines: Lines): ParseError[] {
  return uniqueBy(errors.slice(0, MAX_SYNTAX_ERRORS), ({ offset }) => String(lines.lineAt(offset)));
}

function syntaxError({ error, offset, length }: ParseError): Finding {
  const message = messages[printParseErrorCode(error)] ?? "not valid JSON";
  return syntaxFinding(message, offset, offset + Math.max(1, length));
}

function syntaxFinding(message: string, start: number, end: number): Finding {
  return { code: "config/syntax", message, path: [], span: [start, end] };
}

/** The value of a node; of duplicate keys the first one counts. */
function nodeValue(node: Node, path: Path, findings: Finding[], lines: Lines): unknown {
  const children = node.children ?? [];
  if (node.type === "array")
    return children.map((child, index) => nodeValue(child, [...path, index], findings, lines));
  if (node.type !== "object") return node.value;
  const out: Record<string, unknown> = {};
  const seen = new Map<string, Node>();
  for (const { children: [key, value] = [] } of children) {
    if (!key) continue;
    const name = String(key.value);
    const first = seen.get(name);
    if (first) findings.push(duplicateKey([...path, name], spanOf(key), lines.lineAt(first.offset) + 1));
    else if (value) define(out, name, nodeValue(value, [...path, name], findings, lines));
    if (!first) seen.set(name, key);
  }
  return out;
}

function spanFinder(root: Node): Parsed["span"] {
  let known: Map<string, Node> | undefined;
  return (path, part) => {
    known ??= nodesOf(root);
    const node = known.get(toPointer(path));
    const key = node?.parent?.type === "property" ? node.parent.children?.[0] : undefined;
    return node && spanOf(part === "key" && key ? key : node);
  };
}

/** The nodes by JSON Pointer; of duplicate keys the first one. */
function nodesOf(root: Node): Map<string, Node> {
  const nodes = new Map<string, Node>();
  const add = (node: Node, pointer: string): void => {
    if (nodes.has(pointer)) return;
    nodes.set(pointer, node);
    for (const [index, child] of (node.children ?? []).entries()) {
      const [key, value] = child.children ?? [];
      if (node.type === "array") add(child, pointer + toPointer([index]));
      else if (key && value) add(value, pointer + toPointer([String(key.value)]));
    }
  };
  add(root, "");
  return nodes;
}

function spanOf(node: Node): Span {
  return [node.offset, node.offset + node.length];
}
