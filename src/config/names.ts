/** Names that must be unique within one file: a server's id, a tool's name, a method. */
import { isTable, type JsonObject } from "../base/json.js";
import type { Problem } from "../base/problem.js";
import { type Places, problemAt } from "./text/source.js";

const named = [
  { list: "servers", key: "id", what: "servers" },
  { list: "tools", key: "name", what: "tools" },
  { list: "methods", key: "method", what: "methods" },
] as const;

/** A problem for each entry whose name an earlier entry of the same file has. */
export function duplicateNames(tree: JsonObject, places: Places): Problem[] {
  return named.flatMap(({ list, key, what }) => {
    const entries = tree[list];
    const seen = new Set<unknown>();
    return (Array.isArray(entries) ? entries : []).flatMap((entry, index) => {
      const name = isTable(entry) ? entry[key] : undefined;
      if (typeof name !== "string") return [];
      if (seen.has(name))
        return [
          problemAt(places, "config/duplicate-id", `two ${what} are called \`${name}\``, [list, index, key]),
        ];
      seen.add(name);
      return [];
    });
  });
}
