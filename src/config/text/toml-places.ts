/** Places of TOML values, from a syntax tree: a table stands at its header, a value where it is written. */
import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { toPointer } from "../../base/pointer.js";
import { MAX_DEPTH, type Path, type Span } from "./source.js";

/** The language that both parsers are asked to read. */
export const SYNTAX = { tomlVersion: "1.1.0" } as const;

/** How keys begin that stand in for duplicates. */
export const RENAMED = "\u0000duplicate-";

/** Where each value of a text stands, by JSON Pointer, and the tables that hold renamed duplicates. */
export interface Spans {
  at: Map<string, { key?: Span; value: Span }>;
  renamed: Map<number, Path>;
}

/** Reads the places of a text; `toOriginal` undoes what renaming did to offsets. */
export function readSpans(text: string, toOriginal: (offset: number) => number): Spans {
  const spans: Spans = { at: new Map(), renamed: new Map() };
  const original = (node: AST.TOMLNode): Span => [toOriginal(node.range[0]), toOriginal(node.range[1])];

  const add = (path: Path, key: AST.TOMLNode | undefined, value: AST.TOMLNode): void => {
    // Deeper values are refused, and pointers of endless dotted keys would cost their square.
    if (path.length > MAX_DEPTH) return;
    const name = path.at(-1);
    if (typeof name === "string" && name.startsWith(RENAMED))
      spans.renamed.set(Number(name.slice(RENAMED.length)), path.slice(0, -1));
    const pointer = toPointer(path);
    if (spans.at.has(pointer)) return;
    spans.at.set(pointer, { ...(key ? { key: original(key) } : {}), value: original(value) });
  };
  const addHeader = (table: AST.TOMLTable): void => {
    let part = 0;
    table.resolvedKey.slice(0, MAX_DEPTH).forEach((step, index) => {
      const path = table.resolvedKey.slice(0, index + 1);
      const node = typeof step === "string" ? table.key.keys[part++] : undefined;
      add(path, node, node ?? table.key);
    });
  };
  const addPair = (pair: AST.TOMLKeyValue, table: Path): void => {
    const last = pair.key.keys.length - 1;
    let path = table;
    for (const [index, node] of pair.key.keys.entries()) {
      if (path.length > MAX_DEPTH) return;
      path = [...path, node.type === "TOMLBare" ? node.name : node.value];
      add(path, node, index === last ? pair.value : node);
    }
    addContent(pair.value, path);
  };
  const addContent = (node: AST.TOMLContentNode, path: Path): void => {
    if (node.type === "TOMLInlineTable") for (const pair of node.body) addPair(pair, path);
    if (node.type !== "TOMLArray") return;
    node.elements.forEach((element, index) => {
      add([...path, index], undefined, element);
      addContent(element, [...path, index]);
    });
  };

  for (const statement of syntaxTree(text)?.body[0].body ?? []) {
    if (statement.type === "TOMLKeyValue") addPair(statement, []);
    else {
      addHeader(statement);
      for (const pair of statement.body) addPair(pair, statement.resolvedKey);
    }
  }
  return spans;
}

/** The syntax tree, or nothing where the two parsers disagree: then values stand and only places are unknown. */
function syntaxTree(text: string): AST.TOMLProgram | undefined {
  try {
    return parseTOML(text, SYNTAX);
  } catch (error) {
    if (error instanceof ParseError || error instanceof RangeError) return undefined;
    throw error;
  }
}
