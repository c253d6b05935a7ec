/**
 * Schemas as code: Ajv compiles a schema into a validator that imports nothing. A fresh Ajv per schema, because one
 * instance numbers its functions by the order of use; equal schemas are compiled once, as most tools of a shape share
 * theirs.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import type { JsonObject } from "../base/json.js";
import { Fault } from "../base/problem.js";
import { inspectModule } from "./inspect.js";
import { type SchemaCompiler, SchemaError } from "./validator.js";

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

/** A compiler on Ajv; what `before` knows is not compiled again. */
export function ajvCompiler(
  before: (schema: JsonObject) => string | undefined = () => undefined,
): SchemaCompiler {
  const known = new Map<string, string>();
  return {
    check(schema) {
      const ajv = new Ajv2020({ logger: false });
      if (!ajv.validateSchema(schema)) throw new SchemaError(ajv.errorsText());
    },
    code(schema) {
      const key = JSON.stringify(schema);
      const code = known.get(key) ?? before(schema) ?? compile(schema);
      known.set(key, code);
      return code;
    },
  };
}

/** The lines of a validator module below its head, inspected. */
function compile(schema: JsonObject): string {
  const source = standaloneSource(schema);
  const used = Object.entries(helpers).filter(([module]) => source.includes(`require("${module}")`));
  let body = source;
  for (const [module, { name }] of used) body = body.replaceAll(`require("${module}").default`, name);
  const exported = /export default (\w+);/.exec(body)?.[1];
  if (exported === undefined) throw new Fault("a validator has no export");
  body = body
    .replace(/^"use strict";/, "")
    // Keys of maps stand in pointers; generated code has no regular expression literals.
    .replaceAll('.replace(/~/g, "~0").replace(/\\//g, "~1")', '.replaceAll("~", "~0").replaceAll("/", "~1")')
    .replace(/export const validate = \w+;/, "")
    .replace(/export default \w+;/, "");
  const lines = used.flatMap(([, helper]) => helper.lines);
  const code = [...lines, body.trim(), `export default ${exported};`].join("\n");
  inspectModule(code, "a validator");
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
