/** Words of ours in the texts of a config that stand for paths: `<workspace>`, `<node_modules>` and others. */
import { define, isTable, type Json } from "./json.js";

/** What a name stands for where `rest` follows it in a text; undefined for a name that is not ours. */
export type NamedPaths = (name: string, rest: string) => string | undefined;

/** A name with what follows it, up to where a text may name something else. */
const NAMED = /<(\w+)>([^,;:"'<>\s]*)/g;

/** Puts the named paths into every text of a value. */
export function withNamedPaths<T extends Json>(value: T, names: NamedPaths): T {
  const fill = (item: Json): Json => {
    if (typeof item === "string")
      return item.replace(NAMED, (text, name: string, rest: string) => {
        const path = names(name, rest);
        return path === undefined ? text : `${path}${rest}`;
      });
    if (Array.isArray(item)) return item.map(fill);
    if (!isTable(item)) return item;
    const out: { [key: string]: Json } = {};
    for (const [key, member] of Object.entries(item)) define(out, key, fill(member));
    return out;
  };
  return fill(value) as T;
}

/** What a value names in `<node_modules>`, each once. */
export function namedModules(value: Json): string[] {
  const found = new Set<string>();
  withNamedPaths(value, (name, rest) => {
    if (name === "node_modules") found.add(rest);
    return undefined;
  });
  return [...found];
}
