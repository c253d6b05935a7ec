/**
 * The spelling of an answer's members, in values and in schemas alike: a dialect may rename a member or leave it out, at
 * every level that is ours. What a server or another tool said (`value`, `data`, `arguments`, `answer`) is not touched.
 */
import type { DialectPlan } from "../abi/plan.js";
import { define, isTable, type Json, type JsonObject } from "../base/json.js";

type Dialect = Pick<DialectPlan, "members" | "echo">;

/** Members whose insides are not ours to spell. */
const foreign: readonly string[] = ["value", "data", "arguments", "answer"];

/** A value as the dialect spells its members. */
export function spellMembers(dialect: Dialect, value: JsonObject): JsonObject {
  return Object.keys(dialect.members).length === 0 ? value : spellTable(dialect, value);
}

/** The schema of such a value. */
export function spellSchema(dialect: Dialect, schema: JsonObject): JsonObject {
  return Object.keys(dialect.members).length === 0 ? schema : schemaOf(dialect, schema);
}

function spellTable(dialect: Dialect, table: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(table)) {
    const spelt = spelling(dialect, name);
    if (spelt !== "") define(out, spelt, isForeign(dialect, name) ? value : spellValue(dialect, value));
  }
  return out;
}

function spellValue(dialect: Dialect, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => spellValue(dialect, item));
  return isTable(value) ? spellTable(dialect, value as JsonObject) : value;
}

function schemaOf(dialect: Dialect, schema: JsonObject): JsonObject {
  const out: JsonObject = { ...schema };
  if (isTable(schema.properties)) out.properties = propertiesOf(dialect, schema.properties as JsonObject);
  if (Array.isArray(schema.required))
    out.required = schema.required
      .map((name) => spelling(dialect, String(name)))
      .filter((name) => name !== "");
  if (isTable(schema.items)) out.items = schemaOf(dialect, schema.items as JsonObject);
  if (Array.isArray(schema.oneOf))
    out.oneOf = schema.oneOf.map((part) => (isTable(part) ? schemaOf(dialect, part as JsonObject) : part));
  return out;
}

function propertiesOf(dialect: Dialect, properties: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, schema] of Object.entries(properties)) {
    const spelt = spelling(dialect, name);
    if (spelt === "") continue;
    const isOurs = isTable(schema) && !isForeign(dialect, name);
    define(out, spelt, isOurs ? schemaOf(dialect, schema as JsonObject) : schema);
  }
  return out;
}

function isForeign(dialect: Dialect, name: string): boolean {
  return foreign.includes(name) || name === dialect.echo;
}

function spelling(dialect: Dialect, name: string): string {
  return Object.hasOwn(dialect.members, name) ? (dialect.members[name] ?? name) : name;
}
