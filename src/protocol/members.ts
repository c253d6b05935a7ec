/**
 * The spelling of an answer's members, in values and in schemas alike: a dialect may rename a member or leave it out, at
 * every level that is ours. What a server or another tool said (`value`, `data`, `arguments`, `answer`) is not touched.
 */
import type { DialectPlan } from "../abi/plan.js";
import { define, isTable, type Json, type JsonObject } from "../base/json.js";

type Members = DialectPlan["members"];

/** Members whose insides are not ours to spell. */
const foreign: readonly string[] = ["value", "data", "arguments", "answer"];

/** A value as the dialect spells its members. */
export function spellMembers(members: Members, value: JsonObject): JsonObject {
  return Object.keys(members).length === 0 ? value : spellTable(members, value);
}

/** The schema of such a value. */
export function spellSchema(members: Members, schema: JsonObject): JsonObject {
  return Object.keys(members).length === 0 ? schema : schemaOf(members, schema);
}

function spellTable(members: Members, table: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(table)) {
    const spelt = spelling(members, name);
    if (spelt !== "") define(out, spelt, foreign.includes(name) ? value : spellValue(members, value));
  }
  return out;
}

function spellValue(members: Members, value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => spellValue(members, item));
  return isTable(value) ? spellTable(members, value as JsonObject) : value;
}

function schemaOf(members: Members, schema: JsonObject): JsonObject {
  const out: JsonObject = { ...schema };
  if (isTable(schema.properties)) out.properties = propertiesOf(members, schema.properties as JsonObject);
  if (Array.isArray(schema.required))
    out.required = schema.required
      .map((name) => spelling(members, String(name)))
      .filter((name) => name !== "");
  if (isTable(schema.items)) out.items = schemaOf(members, schema.items as JsonObject);
  if (Array.isArray(schema.oneOf))
    out.oneOf = schema.oneOf.map((part) => (isTable(part) ? schemaOf(members, part as JsonObject) : part));
  return out;
}

function propertiesOf(members: Members, properties: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, schema] of Object.entries(properties)) {
    const spelt = spelling(members, name);
    if (spelt === "") continue;
    const isOurs = isTable(schema) && !foreign.includes(name);
    define(out, spelt, isOurs ? schemaOf(members, schema as JsonObject) : schema);
  }
  return out;
}

function spelling(members: Members, name: string): string {
  return Object.hasOwn(members, name) ? (members[name] ?? name) : name;
}
