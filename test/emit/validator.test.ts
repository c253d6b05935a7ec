import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { emitValidator, SchemaError } from "../../src/emit/validator.js";
import { planOf } from "../plan/config.js";
import { bundleOf, compiler, importValidator, templates, textOf } from "./support.js";

const emit = (schema: JsonObject) => emitValidator(schema, "it", templates, compiler);

async function verdicts(schema: JsonObject, values: unknown[]): Promise<boolean[]> {
  const validate = await importValidator(emit(schema));
  return values.map((value) => validate(value));
}

describe("a standalone validator", () => {
  it("counts characters, not code units", async () => {
    const schema = { type: "string", minLength: 2, maxLength: 2 };
    expect(await verdicts(schema, ["👍", "👍👍", "ab", "abc", 1])).toEqual([false, true, true, false, false]);
  });

  it("compares objects in const, enum and uniqueItems by value", async () => {
    expect(
      await verdicts({ const: { a: [1, { b: null }] } }, [{ a: [1, { b: null }] }, { a: [1, {}] }, null]),
    ).toEqual([true, false, false]);
    expect(await verdicts({ enum: [{ a: 1 }, "x"] }, [{ a: 1 }, "x", { a: 2 }, { a: 1, b: 1 }])).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(
      await verdicts({ type: "array", uniqueItems: true }, [
        [{ a: 1 }, { a: 1 }],
        [{ a: 1 }, { a: 2 }],
        [[], {}],
      ]),
    ).toEqual([false, true, true]);
  });

  it("imports nothing, whatever the schema asks for", () => {
    const text = emit({
      type: "object",
      properties: {
        a: { minLength: 1, pattern: "^import\\s[\"'`/]$" },
        b: { uniqueItems: true, enum: [{}] },
      },
    });
    expect(text).not.toMatch(/\brequire\(|\bimport\s*\(|^import /m);
  });

  it("reports every error with path and keyword", async () => {
    const validate = await importValidator(
      emit({
        type: "object",
        properties: { a: { type: "integer", minimum: 1 } },
        required: ["b"],
        additionalProperties: false,
      }),
    );
    expect(validate({ a: 0, c: 1 })).toBe(false);
    expect(validate.errors?.map(({ instancePath, keyword }) => [instancePath, keyword])).toEqual([
      ["", "required"],
      ["", "additionalProperties"],
      ["/a", "minimum"],
    ]);
  });

  it("is the same whatever the order of keys, and whatever was compiled before", () => {
    const one = emit({ type: "object", properties: { a: { type: "string" }, b: { minLength: 1 } } });
    emit({ type: "array", items: { type: "string" } });
    expect(emit({ properties: { b: { minLength: 1 }, a: { type: "string" } }, type: "object" })).toBe(one);
  });

  it("keeps annotations out, but not properties of their names", async () => {
    const schema: JsonObject = {
      type: "object",
      description: "SPOKEN",
      properties: { description: { type: "string", title: "SPOKEN" }, default: { const: { title: "kept" } } },
    };
    expect(emit(schema)).not.toContain("SPOKEN");
    expect(
      await verdicts(schema, [{ description: 1 }, { default: { title: "kept" } }, { default: {} }]),
    ).toEqual([false, true, false]);
  });

  it.each<[string, JsonObject]>([
    ["an unknown keyword", { typ: "string" }],
    ["an unknown type", { type: "text" }],
    ["a reference to elsewhere", { $ref: "https://example.org/x.json" }],
    ["a pattern that does not parse", { type: "string", pattern: "(" }],
  ])("is refused for %s", (_name, schema) => {
    expect(() => emit(schema)).toThrow(SchemaError);
  });
});

const closed = (members: JsonObject, more: JsonObject = {}): JsonObject => ({
  type: "object",
  properties: members,
  additionalProperties: false,
  ...more,
});

const place = { type: "integer", minimum: 1 };
const schemas: [string, JsonObject][] = [
  ["no members", closed({})],
  [
    "members and required ones",
    closed({ a: place, b: { type: "string", maxLength: 2 } }, { required: ["a"] }),
  ],
  ["equal members", closed({ a: place, b: place, c: place })],
  ["names that mean something elsewhere", closed({ __proto__x: place, constructor: place, "a/b~c": place })],
  [
    "objects in it",
    closed({ a: closed({ b: place }, { required: ["b"] }), c: { type: "array", items: place } }),
  ],
  [
    "more that is said of the whole",
    closed(
      { ok: { type: "boolean" }, a: place, b: place },
      {
        required: ["ok"],
        oneOf: [
          { properties: { ok: { const: true }, b: false }, required: ["a"] },
          { properties: { ok: { const: false } }, required: ["b"] },
        ],
      },
    ),
  ],
];

const values: unknown[] = [
  ...[undefined, null, 1, "x", [], [{}], {}],
  ...[{ a: 1 }, { a: 0 }, { a: 1, b: "abc" }, { a: 1, b: "👍👍" }, { a: 1, x: 1, y: 2 }, { a: undefined }],
  ...[{ a: 1, b: 2, c: 0 }, { "a/b~c": 0 }, { constructor: 0 }, { constructor: 1, __proto__x: 1.5 }],
  ...[{ a: {} }, { a: { b: 0, z: 1 } }, { a: { b: 1 }, c: [1, 0, "x"] }],
  ...[{ ok: true, a: 1 }, { ok: true, a: 1, b: 1 }, { ok: false, a: 1 }, { ok: false, b: 1 }, { ok: 1 }],
];

/** The verdict and the errors, without the schema paths. */
function verdictOf(validate: { (value: unknown): unknown; errors?: unknown }, value: unknown): unknown {
  const isRight = validate(value);
  const errors = (isRight ? [] : validate.errors) as JsonObject[];
  return errors
    .map(({ schemaPath: _, ...error }) => JSON.stringify(error, Object.keys(error).sort()))
    .sort()
    .concat(String(isRight));
}

describe("the validator of an object", () => {
  it.each(schemas)("reports the same errors as Ajv: %s", async (_name, schema) => {
    const ours = await importValidator(emit(schema));
    const ajv = new Ajv2020({ allErrors: true, strict: false, ownProperties: true }).compile(schema);
    for (const value of values)
      expect(verdictOf(ours, value), JSON.stringify(value)).toEqual(verdictOf(ajv, value));
  });
});

describe("many tools", () => {
  it("have four files each, and one validator for all answers that are alike", () => {
    const tool = (n: number) =>
      `[[tools]]\nname = "t${n}"\ninput = "position"\noutput = "locations"\nargs.own_${n} = { type = "boolean", default = true, description = "O." }\nrequest = { method = "textDocument/definition", params = "text_document_position" }\n`;
    const bundle = (count: number) =>
      bundleOf(
        planOf(`[mcp]\ncontext = "default"\n${Array.from({ length: count }, (_, n) => tool(n)).join("")}`)
          .plan,
      );
    const [few, many] = [bundle(2), bundle(12)];
    expect(many.files.length - few.files.length).toBe(4 * 10);
    expect(textOf(many, "validators/t3.input.js")).toContain("own_3");
  });
});
