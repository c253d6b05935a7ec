/** Looks up parts of the schema: the keys of a table, its rules for discovered configs, where a key belongs. */
import * as z from "zod";
import type { DiscoveredRule } from "./schema/values.js";
import type { Path } from "./text/source.js";

export type Schema = z.core.$ZodType;

/** The keys that the table at `path` may have; empty where any key is allowed. */
export function knownKeys(schema: Schema, path: Path): string[] {
  let candidates = alternatives(schema);
  for (const step of path) candidates = candidates.flatMap((candidate) => child(candidate, step));
  return [...new Set(candidates.flatMap((candidate) => Object.keys(shapeOf(candidate))))];
}

/** The tables of the root that have a key: where a misplaced key belongs. */
export function homesOf(schema: Schema, key: string): string[] {
  return Object.keys(shapeOf(schema)).filter((table) => {
    const inside = alternatives(shapeOf(schema)[table]);
    const tables = inside.flatMap((candidate) =>
      definition(candidate).type === "array" ? child(candidate, 0) : [candidate],
    );
    return tables.some((candidate) => Object.hasOwn(shapeOf(candidate), key));
  });
}

/** The key's own rule for discovered configs, if it has one. */
export function ruleOf(schema: Schema): DiscoveredRule | undefined {
  return z.globalRegistry.get(schema)?.discovered as DiscoveredRule | undefined;
}

/** The table of a key, or of the entries of its list; undefined for any other value. */
export function tableOf(schema: Schema): Schema | undefined {
  const def = definition(schema);
  if (def.type === "optional") return tableOf(def.innerType);
  if (def.type === "array") return tableOf(def.element);
  return def.type === "object" ? schema : undefined;
}

/** The key that names the entries of a list. */
export function keyOf(schema: Schema): string {
  return ["id", "name", "method"].find((key) => Object.hasOwn(shapeOf(schema), key)) ?? "id";
}

function definition(schema: Schema): z.core.$ZodTypes["_zod"]["def"] {
  return (schema as z.core.$ZodTypes)._zod.def;
}

export function shapeOf(schema: Schema): { [key: string]: Schema } {
  const def = definition(schema);
  return def.type === "object" ? def.shape : {};
}

/** The schema without its wrappers, or each branch of a union. */
function alternatives(schema: Schema | undefined): Schema[] {
  if (!schema) return [];
  const def = definition(schema);
  if (def.type === "optional") return alternatives(def.innerType);
  if (def.type === "union") return def.options.flatMap(alternatives);
  return def.type === "lazy" ? alternatives(def.getter()) : [schema];
}

function child(schema: Schema, step: string | number): Schema[] {
  const def = definition(schema);
  if (def.type === "object")
    return alternatives(Object.hasOwn(def.shape, step) ? def.shape[step] : undefined);
  if (def.type === "array") return alternatives(def.element);
  if (def.type === "record") return alternatives(def.valueType);
  return [];
}
