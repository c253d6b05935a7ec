/**
 * Compiles a schema to the code of a validator that imports nothing. Ajv writes the code; this file inlines what Ajv
 * would import, and refuses code that still reaches outside. Each schema gets a new Ajv, because Ajv numbers its
 * functions.
 */
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import type { JsonObject } from "../base/json.js";
import { Fault } from "../base/problem.js";
import { inspectModule } from "./code-text.js";
import { type SchemaCompiler, SchemaError } from "./validator.js";

/** Functions that Ajv's code would import from its package, as source text. */
const helpers: readonly { module: string; name: string; lines: readonly string[] }[] = [
  {
    module: "ajv/dist/runtime/ucs2length",
    name: "characterCount",
    lines: ["const characterCount = (text) => [...text].length;"],
  },
  {
    module: "ajv/dist/runtime/equal",
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
];

/** A compiler on Ajv. It compiles equal schemas once, and none for which `shipped` has the code. */
export function ajvCompiler(
  shipped: (schema: JsonObject) => string | undefined = () => undefined,
): SchemaCompiler {
  const compiled = new Map<string, string>();
  return {
    check(schema) {
      const ajv = new Ajv2020({ logger: false });
      if (!ajv.validateSchema(schema)) throw new SchemaError(ajv.errorsText());
    },
    code(schema) {
      const key = JSON.stringify(schema);
      const code = compiled.get(key) ?? shipped(schema) ?? compile(schema);
      compiled.set(key, code);
      return code;
    },
  };
}

function compile(schema: JsonObject): string {
  const source = standaloneSource(schema);
  const used = helpers.filter(({ module }) => source.includes(`require("${module}")`));
  let body = source;
  for (const { module, name } of used) body = body.replaceAll(`require("${module}").default`, name);
  const name = /export default (\w+);/.exec(body)?.[1];
  if (name === undefined) throw new Fault("a validator has no export");
  body = body
    .replace(/^"use strict";/, "")
    // Ajv escapes keys for JSON Pointers with regular expressions, which generated code must not contain.
    .replaceAll('.replace(/~/g, "~0").replace(/\\//g, "~1")', '.replaceAll("~", "~0").replaceAll("/", "~1")')
    .replace(/export const validate = \w+;/, "")
    .replace(/export default \w+;/, "")
    .trim();
  const text = [...used.flatMap(({ lines }) => lines), body, `export default ${name};`].join("\n");
  inspectModule(text, "a validator");
  return text;
}

function standaloneSource(schema: JsonObject): string {
  const ajv = new Ajv2020({
    // Loading the meta-schema in every instance is slow; `check` validates the schemas that users write.
    meta: false,
    validateSchema: false,
    allErrors: true,
    ownProperties: true,
    strict: true,
    strictTypes: false,
    strictRequired: false,
    strictTuples: false,
    logger: false,
    // Only the source text is needed, so Ajv evaluates this instead of the validator.
    code: { source: true, esm: true, lines: true, process: () => "return () => false" },
  });
  // Ajv tracks evaluated properties only for the keywords that need it.
  ajv.opts.unevaluated = JSON.stringify(schema).includes('"unevaluated');
  try {
    return standaloneCode(ajv, ajv.compile(schema));
  } catch (cause) {
    throw new SchemaError(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

// The package is CommonJS with a default member: what `import` returns depends on the loader.
const standaloneCode = (
  "default" in standalone ? standalone.default : standalone
) as typeof standalone.default;
