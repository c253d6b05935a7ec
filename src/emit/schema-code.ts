/**
 * Schemas as code: Ajv compiles a schema into a validator that imports nothing, and a closed object is put together from its
 * members' code. A fresh Ajv per schema, because one instance numbers its functions by the order of use; equal schemas are
 * compiled once.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import type { JsonObject } from "../base/json.js";
import { Fault } from "../base/problem.js";
import { inspectModule } from "./inspect.js";
import { joinObjectCode, objectCode, objectHelper, objectParts, type SchemaCode } from "./object-code.js";
import { type SchemaCompiler, SchemaError } from "./validator.js";

/** What Ajv would import from its own package, written out. */
const helpers: { readonly [module: string]: { name: string; lines: readonly string[] } } = {
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

/** A compiler on Ajv; what `before` knows is not compiled again. */
export function ajvCompiler(
  before: (schema: JsonObject) => string | undefined = () => undefined,
): SchemaCompiler {
  const known = new Map<string, string>();
  const parts = new Map<string, SchemaCode>();
  const checked = new Map<string, string | null>();
  return {
    check(schema) {
      const problem = kept(checked, schema, whatIsWrong);
      if (problem !== null) throw new SchemaError(problem);
    },
    code: (schema) =>
      kept(known, schema, () => before(schema) ?? compile(schema, (part) => kept(parts, part, ajvCode))),
  };
}

/** What was made of an equal schema before, or is made now. */
function kept<T>(map: Map<string, T>, schema: JsonObject, make: (schema: JsonObject) => T): T {
  const key = JSON.stringify(schema);
  const before = map.get(key);
  if (before !== undefined) return before;
  const made = make(schema);
  map.set(key, made);
  return made;
}

function whatIsWrong(schema: JsonObject): string | null {
  const ajv = new Ajv2020({ logger: false });
  return ajv.validateSchema(schema) ? null : ajv.errorsText();
}

/** The lines of a validator module below its head. Its parts were inspected when they were made, so only its own half is. */
function compile(schema: JsonObject, codeOf: (part: JsonObject) => SchemaCode): string {
  const parts = objectParts(schema);
  if (parts === undefined) return moduleText(codeOf(schema));
  const code = objectCode(parts, codeOf);
  inspectModule(moduleText({ ...code.own, helpers: [] }), "a validator");
  return moduleText(joinObjectCode(code));
}

function moduleText({ helpers: used, statements, name }: SchemaCode): string {
  const lines = [...Object.values(helpers), objectHelper].flatMap((helper) =>
    used.includes(helper.name) ? helper.lines : [],
  );
  return [...lines, statements, `export default ${name};`].join("\n");
}

/** What Ajv makes of a schema, without anything that reaches out of it. */
function ajvCode(schema: JsonObject): SchemaCode {
  const source = standaloneSource(schema);
  const used = Object.entries(helpers).filter(([module]) => source.includes(`require("${module}")`));
  let body = source;
  for (const [module, { name }] of used) body = body.replaceAll(`require("${module}").default`, name);
  const name = /export default (\w+);/.exec(body)?.[1];
  if (name === undefined) throw new Fault("a validator has no export");
  const statements = body
    .replace(/^"use strict";/, "")
    // Keys of maps stand in pointers; generated code has no regular expression literals.
    .replaceAll('.replace(/~/g, "~0").replace(/\\//g, "~1")', '.replaceAll("~", "~0").replaceAll("/", "~1")')
    .replace(/export const validate = \w+;/, "")
    .replace(/export default \w+;/, "")
    .trim();
  const code = { helpers: used.map(([, helper]) => helper.name), statements, name };
  inspectModule(moduleText(code), "a validator");
  return code;
}

function standaloneSource(schema: JsonObject): string {
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
    // Only the text is wanted: what Ajv would make a function of right away is never run.
    code: { source: true, esm: true, lines: true, process: () => "return () => false" },
  });
  // What was looked at is only kept track of for the keywords that ask.
  ajv.opts.unevaluated = JSON.stringify(schema).includes('"unevaluated');
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
