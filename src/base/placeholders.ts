/** Replaces `<workspace>`, `<node_modules>`, `<file>` and other placeholders in config strings. */
import { define, isTable, type Json } from "./json.js";

/**
 * The path for a placeholder that is followed by `rest`; undefined for an unknown name; null for one that names nothing
 * here, so that a setting with this value is left out.
 */
export type Placeholders = (name: string, rest: string) => string | null | undefined;

/** A placeholder with the rest of its path. */
const PLACEHOLDER = /<(\w+)>([^,;:"'<>\s]*)/g;

/** A copy of a value with the placeholders of every string replaced. */
export function fillPlaceholders<T extends Json>(value: T, names: Placeholders): T {
  const fill = (item: Json): Json => {
    if (typeof item === "string")
      return item.replace(PLACEHOLDER, (text, name: string, rest: string) => {
        const path = names(name, rest);
        return typeof path === "string" ? `${path}${rest}` : text;
      });
    if (Array.isArray(item)) return item.filter((member) => !namesNothing(member, names)).map(fill);
    if (!isTable(item)) return item;
    const out: { [key: string]: Json } = {};
    for (const [key, member] of Object.entries(item))
      if (!namesNothing(member, names)) define(out, key, fill(member));
    return out;
  };
  return fill(value) as T;
}

/** Whether a value is one placeholder that names nothing here. */
function namesNothing(value: Json, names: Placeholders): boolean {
  if (typeof value !== "string") return false;
  const [text, name = "", rest = ""] = new RegExp(PLACEHOLDER.source).exec(value) ?? [];
  return text === value && names(name, rest) === null;
}

/** The paths after `<node_modules>` in a value, each once. */
export function namedModules(value: Json): string[] {
  const found = new Set<string>();
  fillPlaceholders(value, (name, rest) => {
    if (name === "node_modules") found.add(rest);
    return undefined;
  });
  return [...found];
}

/** The value with `<file>` and `<uri>` replaced by a document's. */
export function withDocument(value: Json, { path, uri }: { path: string; uri: string }): Json {
  const names = new Map([
    ["file", path],
    ["uri", uri],
  ]);
  return fillPlaceholders(value, (name) => names.get(name));
}
