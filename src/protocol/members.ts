/**
 * Renames the members of an answer as the dialect says, in values and in schemas. A dialect may rename a member, leave it
 * out, or replace codes. Values of servers and other tools (`value`, `data`, `arguments`, `answer`) stay unchanged.
 */
import type { DialectPlan } from "../abi/plan.js";
import { define, isTable, type Json, type JsonObject } from "../base/json.js";

type Dialect = Pick<DialectPlan, "members" | "echo" | "errors" | "warnings">;

/** Members whose content is never renamed. */
const foreign: readonly string[] = ["value", "data", "arguments", "answer"];

/** An answer with the dialect's names. */
export function spellMembers(dialect: Dialect, value: JsonObject): JsonObject {
  const coded = hasCodes(value) ? withCodes(dialect, value) : value;
  return Object.keys(dialect.members).length === 0 ? coded : spellTable(dialect, coded);
}

/** The dialect's entry for a code, for its prefix, or for `*`. */
export function codeWord<T>(map: { readonly [key: string]: T }, code: string): T | undefined {
  const family = code.slice(0, code.indexOf("/"));
  return [code, family, "*"].flatMap((key) => (Object.hasOwn(map, key) ? [map[key]] : []))[0];
}

/** The schema of an answer with the dialect's names. */
export function spellSchema(dialect: Dialect, schema: JsonObject): JsonObject {
  const coded = withCodeSchemas(dialect, schema);
  return Object.keys(dialect.members).length === 0 ? coded : schemaOf(dialect, coded);
}

function hasCodes({ warnings, error }: JsonObject): boolean {
  return (Array.isArray(warnings) && warnings.length > 0) || isTable(error);
}

/** Replaces the codes of warnings, and renames the code member of warnings and of the error. */
function withCodes({ errors, warnings }: Dialect, value: JsonObject): JsonObject {
  const out = { ...value };
  if (Array.isArray(value.warnings))
    out.warnings = value.warnings.map((warning) => {
      const { code, ...rest } = warning as JsonObject;
      return { [warnings.code]: codeWord(warnings.codes, String(code)) ?? code ?? null, ...rest };
    });
  if (isTable(value.error)) {
    const { code, ...rest } = value.error as JsonObject;
    out.error = { [errors.code]: code ?? null, ...rest };
  }
  return out;
}

/** The same for the schema, which allows any text as a code. */
function withCodeSchemas({ errors, warnings }: Dialect, schema: JsonObject): JsonObject {
  const properties = isTable(schema.properties) ? { ...(schema.properties as JsonObject) } : {};
  const list = properties.warnings;
  if (isTable(list) && isTable(list.items))
    properties.warnings = {
      ...(list as JsonObject),
      items: renamed(list.items as JsonObject, warnings.code),
    };
  if (isTable(properties.error)) properties.error = renamed(properties.error as JsonObject, errors.code);
  return { ...schema, properties };
}

function renamed(schema: JsonObject, name: string): JsonObject {
  const { code, ...rest } = schema.properties as JsonObject;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    ...schema,
    properties: { [name]: code ?? {}, ...rest },
    required: required.map((member) => (member === "code" ? name : member)),
  };
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
