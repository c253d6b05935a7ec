/** Parses JSON with the place of each value. Duplicate keys, and by default comments and trailing commas, are mistakes. */
import { findNodeAtLocation, type Node, type ParseError, parseTree, printParseErrorCode } from "jsonc-parser";
import { define, type Json, type JsonObject } from "../../base/json.js";
import { uniqueBy } from "../../base/order.js";
import { toPointer } from "../../base/pointer.js";
import { duplicateKey, forbiddenKey, isForbiddenKey, plainNumber, tooDeep } from "./plain-values.js";
import { type Finding, lineOf, MAX_DEPTH, type Parsed, type Path, type Span } from "./source.js";

const MAX_SYNTAX_ERRORS = 20;

/** Parses a JSON text; `lenient` allows comments and trailing commas. */
export function parseJson(text: string, { lenient = false }: { lenient?: boolean } = {}): Parsed {
  const deep = tooDeepAt(text);
  if (deep !== undefined) return broken([{ ...tooDeep([]), span: [deep, deep + 1] }]);
  const errors: ParseError[] = [];
  const strict = parseTree(text, errors, { disallowComments: !lenient, allowTrailingComma: lenient });
  // Comments and trailing commas are mistakes, but the values around them are validated as well.
  const otherErrors: ParseError[] = [];
  const root = errors.length > 0 ? parseTree(text, otherErrors, { allowTrailingComma: true }) : strict;
  const findings = firstOfEachLine(errors, text).map(syntaxError);
  if (!root) return broken(findings.length > 0 ? findings : [emptyFile(text)]);
  if (root.type !== "object" && errors.length === 0)
    findings.push({
      code: "config/wrong-type",
      message: `a config is a table, found ${root.type === "array" ? "a list" : `a ${root.type}`}`,
      path: [],
      span: spanOf(root),
    });
  const tree = root.type === "object" ? plainObject(root, [], findings, text) : {};
  const isBroken = otherErrors.length > 0 || root.type !== "object";
  return { tree: isBroken ? {} : tree, findings, broken: isBroken, span: spanFinder(root) };
}

function broken(findings: Finding[]): Parsed {
  return { tree: {}, findings, broken: true, span: () => undefined };
}

function emptyFile(text: string): Finding {
  return { code: "config/syntax", message: "a value is expected", path: [], span: [0, text.length] };
}

/** The offset of the bracket that nests too deep; the parser would overflow its stack. */
function tooDeepAt(text: string): number | undefined {
  let depth = 0;
  for (const token of text.matchAll(/"(?:[^"\\\n]|\\.)*"?|[[\]{}]/g)) {
    if (token[0] === "{" || token[0] === "[") depth++;
    if (token[0] === "}" || token[0] === "]") depth--;
    if (depth > MAX_DEPTH) return token.index;
  }
  return undefined;
}

/** Messages for the parser's error codes. */
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
function firstOfEachLine(errors: ParseError[], text: string): ParseError[] {
  return uniqueBy(errors.slice(0, MAX_SYNTAX_ERRORS), ({ offset }) => String(lineOf(text, offset)));
}

function syntaxError(error: ParseError): Finding {
  return {
    code: "config/syntax",
    message: messages[printParseErrorCode(error.error)] ?? "not valid JSON",
    path: [],
    span: [error.offset, error.offset + Math.max(1, error.length)],
  };
}

function plainObject(node: Node, path: Path, findings: Finding[], text: string): JsonObject {
  const out: JsonObject = {};
  const seen = new Map<string, Node>();
  for (const property of node.children ?? []) {
    const [key, value] = property.children ?? [];
    if (!key) continue;
    const name = String(key.value);
    const first = seen.get(name);
    if (first) findings.push(duplicateKey([...path, name], spanOf(key), lineOf(text, first.offset)));
    else if (isForbiddenKey(name)) findings.push({ ...forbiddenKey(path, name), span: spanOf(key) });
    else if (value) define(out, name, plainValue(value, [...path, name], findings, text));
    if (!first) seen.set(name, key);
  }
  return out;
}

function plainValue(node: Node, path: Path, findings: Finding[], text: string): Json {
  switch (node.type) {
    case "object":
      return plainObject(node, path, findings, text);
    case "array":
      return (node.children ?? []).map((child, index) => plainValue(child, [...path, index], findings, text));
    case "number":
      return plainNumber(Number(node.value), path, findings);
    case "string":
      return String(node.value);
    case "boolean":
      return node.value === true;
    default:
      return null;
  }
}

function spanFinder(root: Node): Parsed["span"] {
  const known = new Map<string, Node | undefined>();
  return (path, part) => {
    const pointer = toPointer(path);
    if (!known.has(pointer)) known.set(pointer, findNodeAtLocation(root, [...path]));
    const node = known.get(pointer);
    if (!node) return undefined;
    const key = node.parent?.type === "property" ? node.parent.children?.[0] : undefined;
    return spanOf(part === "key" && key ? key : node);
  };
}

function spanOf(node: Node): Span {
  return [node.offset, node.offset + node.length];
}
