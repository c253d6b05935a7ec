/** A JSON text changed where two values differ; comments, order and layout of everything else stay as they are. */
import { createScanner, findNodeAtLocation, type JSONPath, type Node, parseTree } from "jsonc-parser";
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { jsonLine } from "../../base/json-text.js";
import {
  beginsLine,
  endOfLine,
  indentAt,
  lineBreak,
  nextLine,
  splice,
  startOfLine,
} from "../text/text-lines.js";

/** The text that means `after` instead of `before`. */
export function changeJson(text: string, before: JsonObject, after: JsonObject): string {
  return table(text.trim() === "" ? "{}\n" : text, [], before, after);
}

function table(text: string, path: JSONPath, before: JsonObject, after: JsonObject): string {
  let now = text;
  for (const key of Object.keys(before))
    if (!Object.hasOwn(after, key)) now = removed(now, path, nodeAt(now, [...path, key])?.parent);
  for (const [key, value] of Object.entries(after)) {
    const old = Object.hasOwn(before, key) ? before[key] : undefined;
    if (old === undefined) now = inserted(now, path, key, value);
    else now = member(now, [...path, key], old, value);
  }
  return now;
}

function member(text: string, path: JSONPath, old: Json, value: Json): string {
  if (canonicalText(old) === canonicalText(value)) return text;
  if (isTable(old) && isTable(value)) return table(text, path, old as JsonObject, value as JsonObject);
  const listed = Array.isArray(old) && Array.isArray(value) ? list(text, path, old, value) : undefined;
  const node = nodeAt(text, path);
  if (listed !== undefined || node === undefined) return listed ?? text;
  const written = pretty(value, indentAt(text, node.offset), layoutOf(text));
  return splice(text, node.offset, endOf(node), written);
}

/** A list that lost or gained items but kept the order of the others; undefined when it changed in other ways. */
function list(text: string, path: JSONPath, old: Json[], value: Json[]): string | undefined {
  const wanted = new Set(value.map(canonicalText));
  const kept = old.filter((item) => wanted.has(canonicalText(item)));
  if (canonicalText(kept) !== canonicalText(value.slice(0, kept.length))) return undefined;
  let now = text;
  for (let at = old.length - 1; at >= 0; at--)
    if (!wanted.has(canonicalText(old[at]))) now = removed(now, path, nodeAt(now, [...path, at]));
  for (const item of value.slice(kept.length)) now = inserted(now, path, undefined, item);
  return now;
}

/** One member or item more, after the last one and laid out as that is. */
function inserted(text: string, path: JSONPath, key: string | undefined, value: Json): string {
  const container = nodeAt(text, path);
  if (container === undefined) return text;
  const layout = layoutOf(text);
  const name = key === undefined ? "" : `${JSON.stringify(key)}: `;
  const last = container.children?.at(-1);
  if (last === undefined) {
    const indent = indentAt(text, container.offset);
    const inner = indent + layout.unit;
    const piece = `${layout.eol}${inner}${name}${pretty(value, inner, layout)}${layout.eol}${indent}`;
    const close = endOf(container) - 1;
    return splice(text, text.slice(0, close).trimEnd().length, close, piece);
  }
  if (!beginsLine(text, last.offset))
    return splice(text, endOf(last), endOf(last), `, ${name}${jsonLine(value)}`);
  const indent = indentAt(text, last.offset);
  const comma = commaAfter(text, endOf(last));
  // Items of one line each are joined by one of the same kind.
  const isFlat = container.type === "array" && !text.slice(last.offset, endOf(last)).includes("\n");
  const written = isFlat ? jsonLine(value) : pretty(value, indent, layout);
  const piece = `${layout.eol}${indent}${name}${written}${comma === undefined ? "" : ","}`;
  // A comment on the last one's line is about that one.
  const line = endOfLine(text, comma ?? endOf(last));
  const next = tokenAfter(text, (comma ?? endOf(last) - 1) + 1);
  const at = next < line ? (comma ?? endOf(last) - 1) + 1 : line;
  const after = splice(text, at, at, piece);
  return comma === undefined ? splice(after, endOf(last), endOf(last), ",") : after;
}

/** The text without a member or an item, its line where it has one, and the comma that it leaves over. */
function removed(text: string, path: JSONPath, node: Node | undefined): string {
  const container = nodeAt(text, path);
  const at =
    node === undefined ? -1 : (container?.children?.findIndex(({ offset }) => offset === node.offset) ?? -1);
  if (container === undefined || node === undefined || at < 0) return text;
  const [before, after] = [container.children?.[at - 1], container.children?.[at + 1]];
  const comma = commaAfter(text, endOf(node));
  const end = comma === undefined ? endOf(node) : comma + 1;
  const hasLine = beginsLine(text, node.offset) && text.slice(end, endOfLine(text, end)).trim() === "";
  if (before === undefined && after === undefined) {
    const [open, close] = [container.offset + 1, endOf(container) - 1];
    const inner = text.slice(open, node.offset) + text.slice(end, close);
    return splice(text, open, close, inner.trim() === "" ? "" : inner);
  }
  if (!hasLine) {
    if (before === undefined) return splice(text, node.offset, after?.offset ?? end, "");
    return splice(text, commaAfter(text, endOf(before)) ?? endOf(before), endOf(node), "");
  }
  let from = startOfLine(text, node.offset);
  // Blank lines that set it off from the one before have nothing to set off any more.
  while (after === undefined && isBlankAbove(text, from)) from = startOfLine(text, from - 1);
  const rest = splice(text, from, nextLine(text, end), "");
  const left = before && comma === undefined ? commaAfter(rest, endOf(before)) : undefined;
  return left === undefined ? rest : splice(rest, left, left + 1, "");
}

interface Layout {
  unit: string;
  eol: string;
}

/** How the text is laid out: its first indentation and its line breaks. */
function layoutOf(text: string): Layout {
  const [, unit = "  "] = /\n([ \t]+)\S/.exec(text) ?? [];
  return { unit, eol: lineBreak(text) };
}

const WIDTH = 100;

/** A value as people write it: tables over several lines, lists on one where they fit. */
function pretty(value: Json, indent: string, layout: Layout): string {
  const line = jsonLine(value);
  const isTall = isTable(value) ? Object.keys(value).length > 0 : Array.isArray(value) && line.length > WIDTH;
  if (!isTall) return line;
  const inner = indent + layout.unit;
  const parts = Array.isArray(value)
    ? value.map((item) => pretty(item, inner, layout))
    : Object.entries(value as JsonObject).map(
        ([key, item]) => `${JSON.stringify(key)}: ${pretty(item, inner, layout)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}${layout.eol}${parts.map((part) => inner + part).join(`,${layout.eol}`)}${layout.eol}${indent}${close}`;
}

function nodeAt(text: string, path: JSONPath): Node | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true });
  return root && findNodeAtLocation(root, path);
}

/** Where the next thing that is no blank and no comment begins. */
function tokenAfter(text: string, offset: number): number {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  scanner.scan();
  return scanner.getTokenOffset();
}

function commaAfter(text: string, offset: number): number | undefined {
  const token = tokenAfter(text, offset);
  return text[token] === "," ? token : undefined;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

function isBlankAbove(text: string, line: number): boolean {
  return line > 0 && text.slice(startOfLine(text, line - 1), line).trim() === "";
}
