/**
 * The form that a dialect gives to answers: files, positions and ranges, and the names of members in values and
 * in schemas. Values of servers and other tools (`value`, `data`, `arguments`, `answer`) stay unchanged.
 */
import type { DialectPlan } from "../abi/plan.js";
import { define, isTable, type Json, type JsonObject } from "../base/json.js";
import { closed, type Fields, required } from "./schema-fields.js";

export interface Point {
  line: number;
  character: number;
}

export interface Span {
  start: Point;
  end: Point;
}

/** The member that names a file in answers: `path`, or `uri` in a dialect that uses URIs. */
export function documentKey(dialect: DialectPlan): "path" | "uri" {
  return dialect.document.form;
}

export function documentFields(dialect: DialectPlan): Fields {
  return required({ [documentKey(dialect)]: { type: "string" } });
}

/** Members of a position: `line, character`, or `position` in an object dialect. */
export function pointFields(dialect: DialectPlan): Fields {
  const point = flatPoint(dialect);
  return dialect.position.answers === "object" ? required({ position: closed(point) }) : point;
}

/** Members of a range: `line, character, end_line, end_character`, or `range` in an object dialect. */
export function spanFields(dialect: DialectPlan): Fields {
  const { answers, lineBase, characterBase } = dialect.position;
  if (answers === "object") return required({ range: spanSchema(dialect) });
  const { line, character, endLine, endCharacter } = spanNames(dialect);
  return required({
    [line]: integerFrom(lineBase),
    [character]: integerFrom(characterBase),
    [endLine]: integerFrom(lineBase),
    [endCharacter]: integerFrom(characterBase),
  });
}

/** The schema of a range as one value. */
export function spanSchema(dialect: DialectPlan): JsonObject {
  if (dialect.position.answers === "flat") return closed(spanFields(dialect));
  const point = closed(flatPoint(dialect));
  return closed(required({ start: point, end: point }));
}

/** The schema of a position as one value. */
export function pointSchema(dialect: DialectPlan): JsonObject {
  return closed(flatPoint(dialect));
}

function flatPoint({ position }: DialectPlan): Fields {
  return required({
    [position.line]: integerFrom(position.lineBase),
    [position.character]: integerFrom(position.characterBase),
  });
}

function integerFrom(minimum: number): JsonObject {
  return { type: "integer", minimum };
}

/** The member names of a flat range, in sort order. */
export function spanNames({ position: { line, character } }: DialectPlan) {
  return { line, character, endLine: `end_${line}`, endCharacter: `end_${character}` };
}

/** A position with the members of `pointFields`. */
export function formatPosition(dialect: DialectPlan, point: Point): JsonObject {
  const value = pointValue(dialect, point);
  return dialect.position.answers === "object" ? { position: value } : value;
}

/** A range with the members of `spanFields`. */
export function formatRange(dialect: DialectPlan, span: Span): JsonObject {
  const { answers, lineBase, characterBase } = dialect.position;
  if (answers === "object") return { range: rangeValue(dialect, span) };
  const { line, character, endLine, endCharacter } = spanNames(dialect);
  return {
    [line]: span.start.line + lineBase,
    [character]: span.start.character + characterBase,
    [endLine]: span.end.line + lineBase,
    [endCharacter]: span.end.character + characterBase,
  };
}

/** Adds the members of a range to an item. */
export function addRange(dialect: DialectPlan, out: JsonObject, span: Span): void {
  Object.assign(out, formatRange(dialect, span));
}

/** A range as one value, as `spanSchema` describes it. */
export function rangeValue(dialect: DialectPlan, span: Span): JsonObject {
  if (dialect.position.answers === "flat") return formatRange(dialect, span);
  return { start: pointValue(dialect, span.start), end: pointValue(dialect, span.end) };
}

/** A position as one value, as `pointSchema` describes it. */
export function pointValue({ position }: DialectPlan, point: Point): JsonObject {
  return {
    [position.line]: point.line + position.lineBase,
    [position.character]: point.character + position.characterBase,
  };
}

type Dialect = Pick<DialectPlan, "members" | "echo" | "errors" | "warnings">;

/** Members whose content is never renamed. */
const foreign: readonly string[] = ["value", "data", "arguments", "answer"];

/** An answer with the dialect's names. */
export function renameMembers(dialect: Dialect, value: JsonObject): JsonObject {
  const coded = hasCodes(value) ? withCodes(dialect, value) : value;
  return Object.keys(dialect.members).length === 0 ? coded : (renameValue(dialect, coded) as JsonObject);
}

/** The dialect's entry for a code, for its prefix, or for `*`. */
export function codeWord<T>(map: { readonly [key: string]: T }, code: string): T | undefined {
  const family = code.slice(0, code.indexOf("/"));
  return [code, family, "*"].flatMap((key) => (Object.hasOwn(map, key) ? [map[key]] : []))[0];
}

/** The schema of an answer with the dialect's names. */
export function renameMembersInSchema(dialect: Dialect, schema: JsonObject): JsonObject {
  const coded = withCodeSchemas(dialect, schema);
  return Object.keys(dialect.members).length === 0 ? coded : (renameSchema(dialect, coded) as JsonObject);
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
      items: renameCode(list.items as JsonObject, warnings.code),
    };
  if (isTable(properties.error)) properties.error = renameCode(properties.error as JsonObject, errors.code);
  return { ...schema, properties };
}

function renameCode(schema: JsonObject, name: string): JsonObject {
  const { code, ...rest } = schema.properties as JsonObject;
  const required = Array.isArray(schema.required) ? schema.required : [];
  return {
    ...schema,
    properties: { [name]: code ?? {}, ...rest },
    required: required.map((member) => (member === "code" ? name : member)),
  };
}

/** Renames or removes the members of a table, and converts the values that are ours. */
function renameTable(dialect: Dialect, table: JsonObject, convert: (value: Json) => Json): JsonObject {
  const out: JsonObject = {};
  for (const [name, value] of Object.entries(table)) {
    const newName = nameIn(dialect, name);
    const isForeign = foreign.includes(name) || name === dialect.echo;
    if (newName !== "") define(out, newName, isForeign ? value : convert(value));
  }
  return out;
}

function renameValue(dialect: Dialect, value: Json): Json {
  const inner = (item: Json) => renameValue(dialect, item);
  if (Array.isArray(value)) return value.map(inner);
  return isTable(value) ? renameTable(dialect, value as JsonObject, inner) : value;
}

function renameSchema(dialect: Dialect, schema: Json): Json {
  if (!isTable(schema)) return schema;
  const inner = (part: Json) => renameSchema(dialect, part);
  const { properties, required, items, oneOf } = schema as JsonObject;
  const out: JsonObject = { ...(schema as JsonObject) };
  if (isTable(properties)) out.properties = renameTable(dialect, properties as JsonObject, inner);
  if (Array.isArray(required))
    out.required = required.map((name) => nameIn(dialect, String(name))).filter((name) => name !== "");
  if (isTable(items)) out.items = inner(items as Json);
  if (Array.isArray(oneOf)) out.oneOf = oneOf.map(inner);
  return out;
}

function nameIn(dialect: Dialect, name: string): string {
  return Object.hasOwn(dialect.members, name) ? (dialect.members[name] ?? name) : name;
}
