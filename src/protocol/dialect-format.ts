/**
 * How a dialect writes documents, positions and ranges in arguments and answers: for each form the schema and the
 * function that builds the value. Points are zero-based, in the dialect's unit.
 */
import type { DialectPlan } from "../abi/plan.js";
import type { JsonObject } from "../base/json.js";
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

function pointValue({ position }: DialectPlan, point: Point): JsonObject {
  return {
    [position.line]: point.line + position.lineBase,
    [position.character]: point.character + position.characterBase,
  };
}
