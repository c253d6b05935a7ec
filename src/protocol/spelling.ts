/**
 * How a dialect writes documents, positions and ranges in arguments and answers: for each form the schema and the
 * function that builds the value. Points are zero-based, in the dialect's unit.
 */
import type { DialectPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";

export interface Point {
  line: number;
  character: number;
}

export interface Span {
  start: Point;
  end: Point;
}

/** Members of an object schema. */
export interface Fields {
  properties: JsonObject;
  required: string[];
}

/** The member that names a file in answers: `path`, or `uri` in a dialect that uses URIs. */
export function documentKey(dialect: DialectPlan): "path" | "uri" {
  return dialect.document.form;
}

export function documentFields(dialect: DialectPlan): Fields {
  return {
    properties: { [documentKey(dialect)]: { type: "string" } },
    required: [documentKey(dialect)],
  };
}

/** Members of a position: `line, character`, or `position` in an object dialect. */
export function pointFields(dialect: DialectPlan): Fields {
  if (dialect.position.answers === "object")
    return {
      properties: { position: pointObject(dialect) },
      required: ["position"],
    };
  const { line, character } = dialect.position;
  return {
    properties: {
      [line]: lineSchema(dialect),
      [character]: characterSchema(dialect),
    },
    required: [line, character],
  };
}

/** Members of a range: `line, character, end_line, end_character`, or `range` in an object dialect. */
export function spanFields(dialect: DialectPlan): Fields {
  if (dialect.position.answers === "object")
    return { properties: { range: spanSchema(dialect) }, required: ["range"] };
  const names = spanNames(dialect);
  return {
    properties: {
      [names.line]: lineSchema(dialect),
      [names.character]: characterSchema(dialect),
      [names.endLine]: lineSchema(dialect),
      [names.endCharacter]: characterSchema(dialect),
    },
    required: [names.line, names.character, names.endLine, names.endCharacter],
  };
}

/** The schema of a range as one value. */
export function spanSchema(dialect: DialectPlan): JsonObject {
  if (dialect.position.answers === "flat") return closed(spanFields(dialect));
  return closed({
    properties: { start: pointObject(dialect), end: pointObject(dialect) },
    required: ["start", "end"],
  });
}

/** The member names of a flat range, in sort order. */
export function spanNames({ position: { line, character } }: DialectPlan) {
  return { line, character, endLine: `end_${line}`, endCharacter: `end_${character}` };
}

/** A position with the members of `pointFields`. */
export function spellPoint(dialect: DialectPlan, point: Point): JsonObject {
  const value = pointValue(dialect, point);
  return dialect.position.answers === "object" ? { position: value } : value;
}

/** A range with the members of `spanFields`. */
export function spellSpan(dialect: DialectPlan, span: Span): JsonObject {
  const out: JsonObject = {};
  putSpan(dialect, out, span);
  return out;
}

/** Adds the members of a range to an item. */
export function putSpan(dialect: DialectPlan, out: JsonObject, { start, end }: Span): void {
  const { answers, lineBase, characterBase } = dialect.position;
  if (answers === "object") {
    out.range = { start: pointValue(dialect, start), end: pointValue(dialect, end) };
    return;
  }
  const names = spanNames(dialect);
  out[names.line] = start.line + lineBase;
  out[names.character] = start.character + characterBase;
  out[names.endLine] = end.line + lineBase;
  out[names.endCharacter] = end.character + characterBase;
}

/** A range as one value, as `spanSchema` describes it. */
export function spanValue(dialect: DialectPlan, span: Span): JsonObject {
  if (dialect.position.answers === "flat") return spellSpan(dialect, span);
  return { start: pointValue(dialect, span.start), end: pointValue(dialect, span.end) };
}

/** A closed object schema with these members. */
export function closed(fields: Fields): JsonObject {
  return {
    type: "object",
    properties: fields.properties,
    ...(fields.required.length > 0 ? { required: fields.required } : {}),
    additionalProperties: false,
  };
}

/** Several groups of members as one. */
export function joinFields(...groups: Fields[]): Fields {
  return {
    properties: Object.assign({}, ...groups.map((group) => group.properties)),
    required: [...new Set(groups.flatMap((group) => group.required))],
  };
}

/** The same members, none of them required. */
export function optionalFields(fields: Fields): Fields {
  return { properties: fields.properties, required: [] };
}

function pointValue(dialect: DialectPlan, point: Point): JsonObject {
  const { line, character, lineBase, characterBase } = dialect.position;
  return {
    [line]: point.line + lineBase,
    [character]: point.character + characterBase,
  };
}

function pointObject(dialect: DialectPlan): JsonObject {
  return closed(
    pointFields({
      ...dialect,
      position: { ...dialect.position, answers: "flat" },
    }),
  );
}

function lineSchema(dialect: DialectPlan): JsonObject {
  return { type: "integer", minimum: dialect.position.lineBase };
}

function characterSchema(dialect: DialectPlan): JsonObject {
  return { type: "integer", minimum: dialect.position.characterBase };
}
