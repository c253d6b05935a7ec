/** JSON as a value, and its one canonical spelling: keys in code-unit order, no white space. */
import { sortedKeys } from "./order.js";

export type JsonPrimitive = string | number | boolean | null;
export type Json = JsonPrimitive | Json[] | JsonObject;
export interface JsonObject {
  [key: string]: Json;
}

/** Whether a value is a plain table: an object that is neither null nor an array. */
export function isTable(value: unknown): value is Record<string, unknown> {
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

/** The canonical text of a value: equal meaning gives equal bytes. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(canonical(value));
}

/** The canonical text for people and diffs: sorted keys, two spaces, a final newline. */
export function canonicalPretty(value: unknown): string {
  return `${JSON.stringify(canonical(value), null, 2)}\n`;
}

/** One table laid over another, table by table; everything else is replaced. */
export function laidOver(under: JsonObject, over: JsonObject): JsonObject {
  const out: JsonObject = { ...under };
  for (const [key, value] of Object.entries(over)) {
    const below = out[key];
    define(
      out,
      key,
      isTable(below) && isTable(value) ? laidOver(below as JsonObject, value as JsonObject) : value,
    );
  }
  return out;
}

/** Sets all members of a table in another one, in their order. */
export function defineAll(table: Record<string, unknown>, members: Record<string, unknown>): void {
  for (const key of Object.keys(members)) define(table, key, members[key]);
}

/** Sets a key as an own property even when it is called `__proto__`. */
export function define(table: Record<string, unknown>, key: string, value: unknown): void {
  // Every other name is set the plain way, which is ten times as quick.
  if (key !== "__proto__") table[key] = value;
  else Object.defineProperty(table, key, { value, enumerable: true, configurable: true, writable: true });
}
