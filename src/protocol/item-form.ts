/**
 * Gives an item or an answer the form of a dialect,
 * and its schema the same form. A value that is missing has no member.
 */
import type { FormCondition, FormConversion, FormPlan } from "../abi/item-form.js";
import type { DialectPlan } from "../abi/plan.js";
import { canonicalText, define, getAt, isTable, type Json, type JsonObject } from "../base/json.js";
import type { Point } from "./dialect-format.js";
import { severities, symbolKinds } from "./kinds.js";
import { closed, optional, required, text } from "./schema-fields.js";

/** The names and bases of positions, and the URI of a shown path. */
interface FormContext {
  dialect: Pick<DialectPlan, "position">;
  uriOf(path: string): string;
}

export function formValue(form: FormPlan, source: Json, context: FormContext): Json | undefined {
  if (form.kind === "value") {
    const found = (form.at.length === 0 ? source : getAt(source, form.at)) as Json | undefined;
    if (found === undefined || found === null) return undefined;
    if (form.as !== null) return conversions[form.as](found, context);
    const { each } = form;
    if (each === null) return found;
    return (Array.isArray(found) ? found : []).flatMap((item) => formValue(each, item, context) ?? []);
  }
  if (form.when !== null && !holds(form.when, source)) return undefined;
  const out: JsonObject = {};
  for (const [name, member] of form.members) {
    const value = formValue(member, source, context);
    if (value !== undefined) define(out, name, value);
  }
  return Object.keys(out).length === 0 ? undefined : out;
}

function holds({ at, is }: FormCondition, source: Json): boolean {
  const found = (getAt(source, at) ?? null) as Json;
  return is === undefined ? found !== null : canonicalText(found) === canonicalText(is);
}

type Convert = (value: Json, context: FormContext) => Json | undefined;

const conversions: { readonly [name in FormConversion]: Convert } = {
  range: (value, { dialect }) => spanIn(value, dialect, 0),
  zero_based_range: (value, { dialect }) => spanIn(value, dialect, 1),
  position: (value, { dialect }) => pointIn(value, dialect, 0),
  zero_based_position: (value, { dialect }) => pointIn(value, dialect, 1),
  zero_based: (value) => (typeof value === "number" && value >= 1 ? value - 1 : undefined),
  uri: (value, { uriOf }) => (typeof value === "string" ? uriOf(value) : undefined),
  kind_number: (value) => numberOf(symbolKinds, value),
  severity_number: (value) => numberOf(severities, value),
  is_running: (value) => value === "running",
};

function numberOf(words: readonly string[], word: Json): number | undefined {
  const index = typeof word === "string" ? words.indexOf(word) : -1;
  return index < 0 ? undefined : index + 1;
}

/** A position with flat members; `fromZero` subtracts the dialect's bases. */
function pointIn(
  value: Json,
  { position }: FormContext["dialect"],
  fromZero: 0 | 1,
  prefix = "",
): JsonObject | undefined {
  const { line, character, lineBase, characterBase } = position;
  if (!isTable(value)) return undefined;
  const row = value[`${prefix}${line}`];
  const column = value[`${prefix}${character}`];
  if (typeof row !== "number" || typeof column !== "number") return undefined;
  const point: Point = { line: row - fromZero * lineBase, character: column - fromZero * characterBase };
  return { ...point };
}

function spanIn(value: Json, dialect: FormContext["dialect"], fromZero: 0 | 1): JsonObject | undefined {
  const start = pointIn(value, dialect, fromZero);
  const end = pointIn(value, dialect, fromZero, "end_");
  return start === undefined || end === undefined ? undefined : { start, end };
}

const count: JsonObject = { type: "integer", minimum: 0 };
const point = closed(required({ line: count, character: count }));
const span = closed(required({ start: point, end: point }));
const conversionSchemas: { readonly [name in FormConversion]: JsonObject } = {
  range: span,
  zero_based_range: span,
  position: point,
  zero_based_position: point,
  zero_based: count,
  uri: text,
  kind_number: count,
  severity_number: count,
  is_running: { type: "boolean" },
};

/** The schema of the formed value, given that of the source. */
export function formedSchema(form: FormPlan, source: JsonObject): JsonObject {
  if (form.kind === "table")
    return closed(
      optional(
        Object.fromEntries(form.members.map(([name, member]) => [name, formedSchema(member, source)])),
      ),
    );
  if (form.as !== null) return conversionSchemas[form.as];
  const own = form.at.reduce(memberSchema, source);
  if (form.each === null) return own;
  const items = isTable(own.items) ? (own.items as JsonObject) : {};
  return { type: "array", items: formedSchema(form.each, items) };
}

/** The schema of a member; any value where it is not known. */
function memberSchema(schema: JsonObject, name: string): JsonObject {
  const { properties } = schema;
  const found = isTable(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isTable(found) ? (found as JsonObject) : {};
}
