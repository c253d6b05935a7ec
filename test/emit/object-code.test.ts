import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { objectParts } from "../../src/emit/object-code.js";
import { bareSchema, emitValidator } from "../../src/emit/validator.js";
import { planOf } from "../plan/config.js";
import { bundleOf, compiler, importValidator, templates, textOf } from "./support.js";

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

/** What is told of a value, apart from the place in the schema, which nobody reads. */
function told(validate: { (value: unknown): unknown; errors?: unknown }, value: unknown): unknown {
  const isRight = validate(value);
  const errors = (isRight ? [] : validate.errors) as JsonObject[];
  return errors
    .map(({ schemaPath: _, ...error }) => JSON.stringify(error, Object.keys(error).sort()))
    .sort()
    .concat(String(isRight));
}

describe("an object's validator, made of its members'", () => {
  it.each(schemas)("tells what Ajv tells of the whole: %s", async (_name, schema) => {
    expect(objectParts(bareSchema(schema))).toBeDefined();
    const ours = await importValidator(emitValidator(schema, "it", templates, compiler));
    const whole = new Ajv2020({ allErrors: true, strict: false, ownProperties: true }).compile(schema);
    for (const value of values) expect(told(ours, value), JSON.stringify(value)).toEqual(told(whole, value));
  });

  it("holds a member's code once, however many members have it", () => {
    const text = emitValidator(closed({ a: place, b: place, c: place }), "it", templates, compiler);
    expect(text.match(/must be integer/g)).toHaveLength(1);
  });

  it.each<[string, JsonObject]>([
    ["an open object", { type: "object", properties: { a: place } }],
    ["a reference", closed({ a: { $ref: "#/$defs/x" } }, { $defs: { x: place } })],
    ["a reference deep inside", closed({ a: { items: { allOf: [{ $ref: "#" }] } } })],
    ["patterns of names", closed({ a: place }, { patternProperties: { "^x": place } })],
    ["what looks at other keywords", closed({ a: { unevaluatedItems: false } })],
    ["a member that nothing fits", closed({ a: false })],
  ])("is not made for %s, which is compiled as a whole", async (_name, schema) => {
    expect(objectParts(bareSchema(schema))).toBeUndefined();
    const ours = await importValidator(emitValidator(schema, "it", templates, compiler));
    const whole = new Ajv2020({ allErrors: true, strict: false }).compile(schema);
    for (const value of values) expect(ours(value), JSON.stringify(value)).toBe(whole(value));
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
    expect(textOf(many, "validators/t3.input.js")).toContain('["own_3", ');
  });
});
