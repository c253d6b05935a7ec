/** The declared `result` schema of a method in one canonical form: keys sorted, and the lists that are sets sorted. */
import { canonical, define, isTable, type JsonObject } from "../base/json.js";
import { sortedKeys, sortedSet } from "../base/order.js";

/** Keywords whose keys are names, not keywords. */
const maps = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
/** Keywords whose values are data. */
const data = new Set(["const", "enum", "default", "examples"]);
/** Keywords whose lists are sets of names. */
const sets = new Set(["required", "type"]);

/** The canonical form of a schema; null when none is declared. */
export function canonicalSchema(schema: unknown): JsonObject | null {
  return isTable(schema) ? (walk(schema, false) as JsonObject) : null;
}

function walk(value: unknown, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => walk(item, false));
  if (!isTable(value)) return value;
  const out: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (!isMap && data.has(key)) define(out, key, canonical(member));
    else if (!isMap && sets.has(key) && isNames(member)) define(out, key, sortedSet(member));
    else define(out, key, walk(member, !isMap && maps.has(key)));
  }
  return out;
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
