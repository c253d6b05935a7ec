/**
 * JSON values as JavaScript source text. Config strings get into generated code only through this file: quoted, without
 * line separators, and without anything that could end a surrounding script or comment.
 */
import { isTable, type Json } from "../base/json.js";

/** Names that generated code must not contain as identifiers. */
export const forbiddenNames: ReadonlySet<string> = new Set([
  "Function",
  "eval",
  "globalThis",
  "import",
  "process",
  "require",
]);

/** A JSON value as a JavaScript expression. */
export function lit(value: Json): string {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : `[${value.map(lit).join(", ")}]`;
  if (isTable(value))
    return objectText(Object.entries(value).map(([key, member]) => [key, lit(member as Json)]));
  return typeof value === "string" ? quote(value) : JSON.stringify(value);
}

/** An object expression from keys and the texts of their values. */
export function objectText(members: readonly (readonly [key: string, text: string])[]): string {
  if (members.length === 0) return "{}";
  const parts = members.map(([key, text]) =>
    isPlainName(key) && key === text ? key : `${keyText(key)}: ${text}`,
  );
  return `{ ${parts.join(", ")} }`;
}

/** A property access, by dot where the name allows it. */
export function memberText(object: string, key: string, optional = false): string {
  if (isPlainName(key)) return `${object}${optional ? "?." : "."}${key}`;
  return `${object}${optional ? "?." : ""}[${quote(key)}]`;
}

/** Escapes a text for a line comment: one line, printable. */
export function commentText(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, "?");
}

function keyText(key: string): string {
  // In an object literal `__proto__: x` sets the prototype; a computed key does not.
  if (key === "__proto__") return '["__proto__"]';
  return isPlainName(key) ? key : quote(key);
}

function isPlainName(key: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key) && key !== "__proto__" && !forbiddenNames.has(key);
}

function quote(text: string): string {
  return JSON.stringify(text)
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029")
    .replaceAll("</", "<\\/")
    .replaceAll("<!--", "\\u003c!--")
    .replaceAll("-->", "--\\u003e");
}
