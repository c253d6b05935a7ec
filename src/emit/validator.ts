/**
 * Standalone validators: Ajv compiles a schema into a module of its own that imports nothing. A fresh Ajv per schema,
 * because one instance numbers its functions by the order of use; annotations are stripped, so that descriptions do
 * not stand in code.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { ABI_VERSION } from "../abi/plan.js";
import { canonical, define, isTable, type JsonObject } from "../base/json.js";
import { Fault } from "../base/problem.js";
import { inspectModule } from "./inspect.js";
import { render, type Templates } from "./render.js";

/** The schema is not one that Ajv takes. */
export class SchemaError extends Error {
  override readonly name = "SchemaError";
}

/** What Ajv would import from its own package, written out. */
const helpers: { readonly [module: string]: { name: string; lines: string[] } } = {
  "ajv/dist/runtime/ucs2length": {
    name: "characterCount",
    lines: ["const characterCount = (text) => [...text].length;"],
  },
  "ajv/dist/runtime/equal": {
    name: "isEqual",
    lines: [
      "const isEqual = (a, b) => {",
      "  if (a === b) return true;",
      '  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;',
      "  if (Array.isArray(a) !== Array.isArray(b)) return false;",
      "  const keys = Object.keys(a);",
      "  if (keys.length !== Object.keys(b).length) return false;",
      "  return keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]));",
      "};",
    ],
  },
};

/** Throws a SchemaError when a schema from outside is not one at all. */
export function checkSchema(schema: JsonObject): void {
  const ajv = new Ajv2020({ logger: false });
  if (!ajv.validateSchema(schema)) throw new SchemaError(ajv.errorsText());
}

/** The text of a validator module. Throws a SchemaError when the schema cannot be compiled. */
export function emitValidator(schema: JsonObject, subject: string, templates: Templates): string {
  const source = compile(canonical(withoutAnnotations(schema)));
  const used = Object.entries(helpers).filter(([module]) => source.includes(`require("${module}")`));
  let body = source;
  for (const [module, { name }] of used) body = body.replaceAll(`require("${module}").default`, name);
  const exported = /export default (\w+);/.exec(body)?.[1];
  if (exported === undefined) throw new Fault(`the validator of ${subject} has no export`);
  body = body
    .replace(/^"use strict";/, "")
    // Keys of maps stand in pointers; generated code has no regular expression literals.
    .replaceAll('.replace(/~/g, "~0").replace(/\\//g, "~1")', '.replaceAll("~", "~0").replaceAll("/", "~1")')
    .replace(/export const validate = \w+;/, "")
    .replace(/export default \w+;/, "");
  const text = render(templates, "validator.js", {
    abi: ABI_VERSION,
    subject,
    helpers: used.flatMap(([, { lines }]) => lines),
    body: body.trim(),
    validate: exported,
  });
  inspectModule(text, `the validator of ${subject}`);
  return text;
}

function compile(schema: JsonObject): string {
  const ajv = new Ajv2020({
    // A fresh instance would compile the schema of schemas each time: `checkSchema` is for what is not ours.
    meta: false,
    validateSchema: false,
    allErrors: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    logger: false,
    code: { source: true, esm: true, lines: true },
  });
  try {
    const validate = ajv.compile(schema);
    return standaloneCode(ajv, validate);
  } catch (cause) {
    throw new SchemaError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

// The package is CommonJS with a default member: what `import` gives depends on the loader.
const standaloneCode = (
  "default" in standalone ? standalone.default : standalone
) as typeof standalone.default;

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

function withoutAnnotations(schema: JsonObject): JsonObject {
  return strip(schema, false) as JsonObject;
}

function strip(value: unknown, isMap: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item, false));
  if (!isTable(value)) return value;
  const out: Record<string, unknown> = {};
  for (const [key, member] of Object.entries(value)) {
    if (!isMap && annotations.has(key)) continue;
    define(out, key, !isMap && data.has(key) ? member : strip(member, !isMap && maps.has(key)));
  }
  return out;
}
