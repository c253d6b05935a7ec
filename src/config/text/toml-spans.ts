/** The offsets of TOML keys and values, from a syntax tree. A table is at its header. */
import { type AST, ParseError, parseTOML } from "toml-eslint-parser";
import { toPointer } from "../../base/pointer.js";
import { MAX_DEPTH, type Path, type Span } from "./source.js";

/** The TOML version for both parsers. */
export const SYNTAX = { tomlVersion: "1.1.0" } as const;

/** The start of the key that is inserted before a duplicate key. */
export const DUPLICATE = "\u0000duplicate-";

export interface Spans {
  /** By JSON Pointer. */
  at: Map<string, { key?: Span; value: Span }>;
  /** The table of each duplicate key, by the duplicate's id. */
  duplicates: Map<number, Path>;
}

/** Reads the spans of a text; `toOriginal` maps offsets back to the text without inserted keys. */
export function readSpans(text: string, toOriginal: (offset: number) => number): Spans {
  const spans: Spans = { at: new Map(), duplicates: new Map() };
  const original = (node: AST.TOMLNode): Span => [toOriginal(node.range[0]), toOriginal(node.range[1])];

  const add = (path: Path, key: AST.TOMLNode | undefined, value: AST.TOMLNode): void => {
    // Deeper values are refused anyway; pointers of endless dotted keys would take quadratic memory.
    if (path.length > MAX_DEPTH) return;
    const name = path.at(-1);
    if (typeof name === "string" && name.startsWith(DUPLICATE))
      spans.duplicates.set(Number(name.slice(DUPLICATE.length)), path.slice(0, -1));
    const pointer = toPointer(path);
    if (spans.at.has(pointer)) return;
    spans.at.set(pointer, { ...(key ? { key: original(key) } : {}), value: original(value) });
  };
  const addHeader = (table: AST.TOMLTable): void => {
    let part = 0;
    table.resolvedKey.slice(0, MAX_DEPTH).forEach((step, index) => {
      const node = typeof step === "string" ? table.key.keys[part++] : undefined;
      add(table.resolvedKey.slice(0, index + 1), node, node ?? table.key);
    });
  };
  const addPair = (pair: AST.TOMLKeyValue, table: Path): void => {
    let path = table;
    for (const node of pair.key.keys) {
      if (path.length > MAX_DEPTH) return;
      path = [...path, keyName(node)];
      add(path, node, node === pair.key.keys.at(-1) ? pair.value : node);
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

/** The text of a key without its quotes. */
export function keyName(key: AST.TOMLBare | AST.TOMLQuoted): string {
  return key.type === "TOMLBare" ? key.name : key.value;
}

/** The syntax tree; undefined where the two parsers disagree, so that only places are unknown. */
function syntaxTree(text: string): AST.TOMLProgram | undefined {
  try {
    return parseTOML(text, SYNTAX);
  } catch (error) {
    if (error instanceof ParseError || error instanceof RangeError) return undefined;
    throw error;
  }
}
