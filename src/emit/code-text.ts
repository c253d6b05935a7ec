/**
 * Generated JavaScript: JSON values as source text, and the check of finished modules. Config strings get into the code
 * only as literals: quoted, without line separators, and without anything that could end a surrounding script or
 * comment.
 */
import { Script } from "node:vm";
import { isTable, type Json } from "../base/json.js";
import { Fault } from "../base/problem.js";

/** Names that generated code must not contain as identifiers. */
const forbiddenNames: ReadonlySet<string> = new Set([
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

/**
 * Throws a Fault if a generated module does not parse, or uses a name that reaches outside in anything but strings and
 * comments. That is a bug of the emitter, never of the config.
 */
export function inspectModule(text: string, what: string): void {
  const found = identifiers(text).find((name) => forbiddenNames.has(name));
  if (found !== undefined) throw new Fault(`${what} names \`${found}\``);
  const exports = text.match(/^export default /gm) ?? [];
  if (exports.length !== 1) throw new Fault(`${what} has ${exports.length} exports`);
  try {
    // Compiled, never run. `export` is not allowed in a script, so it becomes a declaration.
    new Script(`"use strict";${text.replace(/^export default /m, "const exported$ = ")}`);
  } catch (cause) {
    throw new Fault(`${what} does not parse`, { cause });
  }
}

/** Comments and strings, identifiers, and characters that generated code has only inside strings. */
const token =
  /(\/\/.*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n\r]|\\[\s\S])*"|'(?:[^'\\\n\r]|\\[\s\S])*')|([\p{ID_Start}$_][\p{ID_Continue}$]*)|["'`\\]/gu;

/**
 * The identifiers of a text, without member names (`x.name`). Generated code has no regular expression literals,
 * template literals or escaped identifiers; anything that looks like one is refused.
 */
export function identifiers(text: string): string[] {
  const names: string[] = [];
  for (const match of text.matchAll(token)) {
    const [all, skipped, name] = match;
    if (name !== undefined) {
      if (!isMember(text, match.index)) names.push(name);
    } else if (skipped === undefined) throw new Fault(`generated code has a stray ${all}`);
  }
  return names;
}

/** Whether the identifier at this index follows a dot that is not part of a spread. */
function isMember(text: string, at: number): boolean {
  return text[at - 1] === "." && text.slice(at - 3, at) !== "...";
}
