/** Values that a schema takes, few enough of each kind that two draws often have something in common. */
import fc from "fast-check";
import * as z from "zod";
import type { Json } from "../../src/base/json.js";
import { type Schema, shapeOf } from "../../src/config/schema-walk.js";

/** Words for a text that any word will do for; files and folders among them. */
const words = ["a", "b", "c", "src", "src/deep", "..", "/", "/w/src", "**"];
const seed = 20_261_115;

/** Any value of a schema that TOML can say. */
export function valuesOf(schema: Schema): fc.Arbitrary<Json> {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case "optional":
      return valuesOf(def.innerType);
    case "string":
      return textsOf(
        schema,
        checksOf(schema).flatMap(({ pattern }) => pattern ?? []),
      );
    case "number":
      return numbersOf(
        Math.max(0, ...boundsOf(schema, "greater_than")),
        Math.min(1_000_000_000, ...boundsOf(schema, "less_than")),
      );
    case "boolean":
      return fc.boolean();
    case "literal":
      return fc.constantFrom(...(def.values as Json[]));
    case "enum":
      return fc.constantFrom(...(Object.values(def.entries) as Json[]));
    case "array":
      return fc.uniqueArray(valuesOf(def.element), { minLength: 1, maxLength: 4, selector: JSON.stringify });
    case "tuple":
      return fc.tuple(...def.items.map(valuesOf));
    case "record":
      return fc.dictionary(valuesOf(def.keyType).map(String), valuesOf(def.valueType), { maxKeys: 2 });
    case "union":
      return fc.oneof(...def.options.map(valuesOf));
    case "object":
      return fc
        .record(Object.fromEntries(Object.entries(def.shape).map(([key, inner]) => [key, valuesOf(inner)])))
        .map((table) => table as Json);
    case "lazy":
      // A part of an argument is an argument again; any other is any value.
      if ((def.getter() as z.core.$ZodTypes)._zod.def.type === "object")
        return fc.constant({ type: "string" });
      return fc.oneof(fc.constantFrom<Json>(1, true, "a"), fc.constant<Json>({ a: { b: [1] } }));
    default:
      throw new Error(`no values of ${def.type}`);
  }
}

interface Check {
  check: string;
  pattern?: RegExp;
  value?: number;
}

function checksOf(schema: Schema): Check[] {
  const { checks = [] } = (schema as z.core.$ZodTypes)._zod.def as { checks?: { _zod: { def: Check } }[] };
  return checks.map(({ _zod: { def } }) => def);
}

function boundsOf(schema: Schema, kind: string): number[] {
  return checksOf(schema).flatMap(({ check, value }) => (check === kind ? (value ?? []) : []));
}

/** A few texts that a schema takes. */
function textsOf(schema: Schema, patterns: readonly RegExp[]): fc.Arbitrary<string> {
  const isFine = (text: string) => z.safeParse(schema, text).success;
  const [first] = patterns;
  const known = words.filter(isFine);
  const made = first === undefined ? [] : fc.sample(fc.stringMatching(first), { numRuns: 9, seed });
  return fc.constantFrom(...[...known, ...made.filter(isFine)].slice(0, 9));
}

function numbersOf(least: number, most: number): fc.Arbitrary<number> {
  const middle = Math.min(most, least + 1000);
  return fc.constantFrom(least, Math.min(most, least + 1), middle, most);
}

/** Whether a table must have some key. */
export function hasRequired(table: Schema): boolean {
  return Object.values(shapeOf(table)).some(
    (schema) => (schema as z.core.$ZodTypes)._zod.def.type !== "optional",
  );
}

/** Whether a key holds a list. */
export function isList(schema: Schema): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return def.type === "optional" ? isList(def.innerType) : def.type === "array";
}
