/**
 * Validators: a schema's code under a head that names its subject. Annotations are stripped first, so that descriptions
 * do not stand in code and tools that differ in words only share theirs.
 */
import { ABI_VERSION } from "../abi/plan.js";
import { canonical, define, isTable, type JsonObject } from "../base/json.js";
import { sortedKeys } from "../base/order.js";
import { Fault } from "../base/problem.js";
import { identifiers } from "./inspect.js";
import { render, type Templates } from "./render.js";

/** The schema is not one that Ajv takes. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/** What makes code of schemas. */
export interface SchemaCompiler {
  /** Throws a SchemaError when a schema from outside is not one at all. */
  check(schema: JsonObject): void;
  /** The lines of a validator module below its head. Throws a SchemaError when the schema cannot be compiled. */
  code(schema: JsonObject): string;
}

/** The text of a validator module. Throws a SchemaError when the schema cannot be compiled. */
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

/** A schema as the compiler sees it: without annotations, its keys in order. */
export function bareSchema(schema: JsonObject): JsonObject {
  return strip(schema, false) as JsonObject;
}

/** Keywords under which a table's keys are names, not keywords. */
const maps = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
/** Keywords whose values are data. */
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
  return out;
}
