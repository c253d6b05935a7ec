/** Changes a JSON text where two values differ. Comments, order and layout of everything else stay. */
import { findNodeAtLocation, type JSONPath, type Node, parseTree, visit } from "jsonc-parser";
import { canonicalText, isTable, type Json, type JsonObject, jsonLine } from "../../base/json.js";
import type { Span } from "../text/source.js";
import { addItem, type CommaList, listChanges, removeItem } from "./comma-list.js";
import { indentAt, lineBreak, splice } from "./text-lines.js";

export function changeJson(text: string, before: JsonObject, after: JsonObject): string {
  return changeTable(text.trim() === "" ? "{}\n" : text, [], before, after);
}

function changeTable(text: string, path: JSONPath, before: JsonObject, after: JsonObject): string {
  let now = text;
  for (const key of Object.keys(before)) {
    const property = nodeAt(now, [...path, key])?.parent;
    if (!Object.hasOwn(after, key) && property) now = removeChild(now, path, property);
  }
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    now = old === undefined ? addChild(now, path, key, value) : changeValue(now, [...path, key], old, value);
  }
  return now;
}

function changeValue(text: string, path: JSONPath, old: Json, value: Json): string {
  if (canonicalText(old) === canonicalText(value)) return text;
  if (isTable(old) && isTable(value)) return changeTable(text, path, old, value);
  const changes = Array.isArray(old) && Array.isArray(value) ? listChanges(old, value) : undefined;
  if (changes) {
    let now = text;
    for (const index of changes.removed) {
      const item = nodeAt(now, [...path, index]);
      if (item) now = removeChild(now, path, item);
    }
    for (const item of changes.added) now = addChild(now, path, undefined, item);
    return now;
  }
  const node = nodeAt(text, path);
  if (node === undefined) return text;
  return splice(text, node.offset, endOf(node), pretty(value, indentAt(text, node.offset), text));
}

/** Adds a member, or an item where there is no key, after the last one and laid out like it. */
function addChild(text: string, path: JSONPath, key: string | undefined, value: Json): string {
  const container = nodeAt(text, path);
  if (container === undefined) return text;
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const last = container.children?.at(-1);
  if (last === undefined) {
    const eol = lineBreak(text);
    const outer = indentAt(text, container.offset);
    const inner = outer + indentUnit(text);
    const close = endOf(container) - 1;
    const piece = `${eol}${inner}${name}${pretty(value, inner, text)}${eol}${outer}`;
    return splice(text, text.slice(0, close).trimEnd().length, close, piece);
  }
  const isFlat = container.type === "array" && !text.slice(last.offset, endOf(last)).includes("\n");
  return addItem(text, commaList(text, container), (indent) =>
    indent === undefined || isFlat ? `${name}${jsonLine(value)}` : `${name}${pretty(value, indent, text)}`,
  );
}

/** Removes a property of an object or an item of an array; the comments around it stay. */
function removeChild(text: string, path: JSONPath, child: Node): string {
  const container = nodeAt(text, path);
  if (container === undefined) return text;
  const list = commaList(text, container);
  const index = list.items.findIndex(([from]) => from === child.offset);
  return removeItem(text, list, index, { comments: false });
}

function commaList(text: string, container: Node): CommaList {
  const comments: Span[] = [];
  visit(text, { onComment: (offset, length) => comments.push([offset, offset + length]) });
  const items = (container.children ?? []).map((child): Span => [child.offset, endOf(child)]);
  return { open: container.offset + 1, close: endOf(container) - 1, items, comments };
}

const WIDTH = 100;

/** A value with tables over several lines, and lists on one line where they fit. */
function pretty(value: Json, indent: string, text: string): string {
  const line = jsonLine(value);
  if (!Array.isArray(value) && !isTable(value)) return line;
  if (Array.isArray(value) ? line.length <= WIDTH : Object.keys(value).length === 0) return line;
  const eol = lineBreak(text);
  const inner = indent + indentUnit(text);
  const parts = Array.isArray(value)
    ? value.map((item) => pretty(item, inner, text))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${pretty(item, inner, text)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}${eol}${parts.map((part) => inner + part).join(`,${eol}`)}${eol}${indent}${close}`;
}

function indentUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
}

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root && findNodeAtLocation(root, path);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}
