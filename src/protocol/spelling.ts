/**
 * How documents, places and ranges are spelt in arguments and answers, as one dialect says. Schema and value of a
 * spelling stand side by side here, so that they cannot part. Points are zero-based, in the dialect's own unit.
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

/** The name under which an answer gives a file: `path`, or `uri` in a dialect of URIs. */
export function documentKey(dialect: DialectPlan): "path" | "uri" {
  return dialect.document.form;
}

/** The member that names a file in an answer. */
export function documentFields(dialect: DialectPlan): Fields {
  return {
    properties: { [documentKey(dialect)]: { type: "string" } },
    required: [documentKey(dialect)],
  };
}

/** Members that give one place: `line, character`, or `position` in an object dialect. */
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

/** Members that give a range: `line, character, end_line, end_character`, or `range` in an object dialect. */
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

/** The schema of a range as a value of its own, under a name that the shape gives it. */
export function spanSchema(dialect: DialectPlan): JsonObject {
  if (dialect.position.answers === "flat") return closed(spanFields(dialect));
  return closed({
    properties: { start: pointObject(dialect), end: pointObject(dialect) },
    required: ["start", "end"],
  });
}

/** The names of a flat range. */
export interface SpanNames {
  readonly line: string;
  readonly character: string;
  readonly endLine: string;
  readonly endCharacter: string;
}

const knownNames = new WeakMap<DialectPlan["position"], SpanNames>();

/** The names of a flat range in a dialect. */
export function spanNames({ position }: DialectPlan): SpanNames {
  const known = knownNames.get(position);
  if (known !== undefined) return known;
  const { line, character } = position;
  const names = { line, character, endLine: `end_${line}`, endCharacter: `end_${character}` };
  knownNames.set(position, names);
  return names;
}

/** A place as `pointFields` describes it. */
export function spellPoint(dialect: DialectPlan, point: Point): JsonObject {
  const spelt = pointValue(dialect, point);
  return dialect.position.answers === "object" ? { position: spelt } : spelt;
}

/** A range as `spanFields` describes it. */
export function spellSpan(dialect: DialectPlan, span: Span): JsonObject {
  const out: JsonObject = {};
  putSpan(dialect, out, span);
  return out;
}

/** The same as members of an item that has others. */
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

/** A range as `spanSchema` describes it. */
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
