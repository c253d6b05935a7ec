/** The same changes to a config that a person wrote in JSON; everything that is not meant stays as it is written. */
import { applyEdits, findNodeAtLocation, type JSONPath, modify, type Node, parseTree } from "jsonc-parser";
import type { Json, JsonObject } from "../base/json.js";

/** The text with one server more. */
export function withServer(text: string, server: JsonObject): string {
  const list = listAt(text, ["servers"]);
  if (list) return withItem(text, list, server);
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: "\n" };
  return applyEdits(text, modify(text, ["servers"], [server], { formattingOptions }));
}

/** The text without the server of that id. */
export function withoutServer(text: string, id: string): string {
  const list = listAt(text, ["servers"]);
  const index = itemsOf(list).findIndex((item) => findNodeAtLocation(item, ["id"])?.value === id);
  return index < 0 ? text : without(text, ["servers", index]);
}

/** The text with a program more in `allow.commands`, where there is such a list. */
export function withAllowed(text: string, program: string): string {
  const list = listAt(text, ["allow", "commands"]);
  if (!list || itemsOf(list).some(({ value }) => value === program)) return text;
  return withItem(text, list, program);
}

/** The text without a program in `allow.commands`. */
export function withoutAllowed(text: string, program: string): string {
  const index = itemsOf(listAt(text, ["allow", "commands"])).findIndex(({ value }) => value === program);
  return index < 0 ? text : without(text, ["allow", "commands", index]);
}

function listAt(text: string, path: JSONPath): Node | undefined {
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, path);
  return node?.type === "array" ? node : undefined;
}

function itemsOf(list: Node | undefined): Node[] {
  return list?.children ?? [];
}

/** A list with one item more, in the way its items are laid out: side by side, or one a line. */
function withItem(text: string, list: Node, item: Json): string {
  const last = itemsOf(list).at(-1);
  if (!last) return splice(text, list.offset + 1, JSON.stringify(item));
  const before = text.slice(text.lastIndexOf("\n", last.offset) + 1, last.offset);
  const gap = /^\s*$/.test(before) ? `\n${before}` : " ";
  return splice(text, last.offset + last.length, `,${gap}${JSON.stringify(item)}`);
}

function splice(text: string, at: number, piece: string): string {
  return text.slice(0, at) + piece + text.slice(at);
}

function without(text: string, path: JSONPath): string {
  return applyEdits(text, modify(text, path, undefined, {}));
}
