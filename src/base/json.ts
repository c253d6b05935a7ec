/**
 * JSON values: their types, one canonical text (keys in code-unit order, no white space), merging, JSON Pointers
 * (RFC 6901), and reading fields of unknown values.
 */
import { sortedKeys } from "./order.js";

type JsonPrimitive = string | number | boolean | null;
export type Json = JsonPrimitive | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Whether a value is an object that is neither null nor an array. */
export function isTable(value: Json | undefined): value is JsonObject;
export function isTable(value: unknown): value is Record<string, unknown>;
export function isTable(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A deep copy with every table's keys in code-unit order; `undefined` members are left out. */
export function canonical<T>(value: T): T {
  if (Array.isArray(value)) return value.map((item) => canonical(item)) as T;
  if (!isTable(value)) return value;
  const out: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) {
    if (value[key] !== undefined) define(out, key, canonical(value[key]));
  }
  return out as T;
}

/** The canonical text of a value: equal values have equal texts. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(canonical(value));
}

/** The canonical text for people: sorted keys, two spaces, a final newline. */
export function canonicalPretty(value: unknown): string {
  return `${JSON.stringify(canonical(value), null, 2)}\n`;
}

/** Merges one table over another: nested tables are merged, everything else is replaced. */
export function mergeOver(under: JsonObject, over: JsonObject): JsonObject {
  const out: JsonObject = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = out[key];
    define(out, key, isTable(below) && isTable(value) ? mergeOver(below, value) : value);
  }
  return out;
}

/** Copies all members of a table into another one. */
export function defineAll(table: Record<string, unknown>, members: Record<string, unknown>): void {
  for (const key of Object.keys(members)) define(table, key, members[key]);
}

/** Sets a key as an own property, even `__proto__`. */
export function define(table: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== "__proto__") table[key] = value;
  else Object.defineProperty(table, key, { value, enumerable: true, configurable: true, writable: true });
}

/** JSON on one line with spaces after commas and colons, for people. */
export function jsonLine(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(jsonLine).join(", ")}]`;
  if (!isTable(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${jsonLine(member)}`);
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** Parses a text; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The pointer of a path of keys and indices; the root is the empty text. */
export function toPointer(path: readonly (string | number)[]): string {
  return path.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The keys of a pointer. Throws when it does not begin with a slash. */
export function fromPointer(pointer: string): string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw new TypeError(`not a JSON Pointer: ${pointer}`);
  return pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value a pointer names, own properties only, or `undefined`. */
export function getAt(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const part of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<string | number, unknown>)[part];
  }
  return current;
}

/** The fields of a protocol type with unknown values. Anything but an object has none. */
export function fieldsOf<T>(value: unknown): { readonly [Field in keyof T]?: unknown } {
  return isTable(value) ? (value as { [Field in keyof T]?: unknown }) : {};
}

/** The items of a list; anything else has none. */
export function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
