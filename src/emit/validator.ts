/**
 * Emits validator modules: a header comment and the compiled schema. Annotations are removed first, so that
 * answer and reply schemas that differ only in descriptions share one validator.
 */
import { ABI_VERSION } from "../abi/plan.js";
import { canonical, define, isTable, type JsonObject } from "../base/json.js";
import { sortedKeys } from "../base/order.js";
import { Fault } from "../base/problem.js";
import { formatPattern } from "../protocol/text-formats.js";
import { identifiers } from "./code-text.js";
import { render, type Templates } from "./render.js";

/** Ajv does not accept the schema. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/** Compiles schemas to code. */
export interface SchemaCompiler {
  /** Throws a SchemaError if a schema from a config is not a valid JSON Schema. */
  check(schema: JsonObject): void;
  /** The code of a validator module. Throws a SchemaError if the schema cannot be compiled. */
  code(schema: JsonObject): string;
}

/** The text of a validator module. Throws a SchemaError if the schema cannot be compiled. */
export function emitValidator(
  schema: JsonObject,
  subject: string,
  templates: Templates,
  compiler: SchemaCompiler,
): string {
  const head = render(templates, "validator.js", { abi: ABI_VERSION, subject });
  if (identifiers(head).length > 0)
    throw new Fault(`the head of the validator of ${subject} is not a comment`);
  return `${head}${compiler.code(bareSchema(schema))}\n`;
}

/** The schema that is compiled: without annotations, with sorted keys. */
export function bareSchema(schema: JsonObject): JsonObject {
  return strip(schema, false) as JsonObject;
}

/** Keywords whose value maps names to schemas. */
const maps = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
/** Keywords whose value is data, not a schema. */
const data = new Set(["const", "enum", "required"]);
const annotations = new Set([
  "$schema",
  "$comment",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
]);

function strip(value: unknown, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item, false));
  if (!isTable(value)) return value;
  const out: Record<string, unknown> = {};
  for (const key of sortedKeys(value)) {
    const member = value[key];
    if (member === undefined || (!isMap && annotations.has(key))) continue;
    define(out, key, !isMap && data.has(key) ? canonical(member) : strip(member, !isMap && maps.has(key)));
  }
  return isMap ? out : withBoundedPattern(out);
}

/** A format becomes a pattern, and a pattern is matched only if the length fits: Ajv would match it regardless. */
function withBoundedPattern(schema: Record<string, unknown>): Record<string, unknown> {
  const { format, pattern, maxLength, ...rest } = schema;
  const declared = typeof format === "string" ? formatPattern(format) : undefined;
  const isLong = typeof pattern === "string" && maxLength !== undefined && pattern !== "\\S";
  if (declared === undefined && !isLong) return schema;
  const patterns = [pattern, declared].filter((one) => one !== undefined);
  const then =
    patterns.length === 1 ? { pattern: patterns[0] } : { allOf: patterns.map((one) => ({ pattern: one })) };
  if (maxLength === undefined) return { ...rest, ...then };
  return { ...rest, maxLength, if: { maxLength }, then };
}
