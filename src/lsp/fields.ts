/** Reads the fields of messages from servers. The protocol gives their names; their values are checked where used. */
import { isTable } from "../base/json.js";

/** The fields of a protocol type with unknown values. Anything but an object has none. */
export function fieldsOf<T>(value: unknown): { readonly [Field in keyof T]?: unknown } {
  return isTable(value) ? (value as { [Field in keyof T]?: unknown }) : {};
}

/** The items of a list; anything else has none. */
export function itemsOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
