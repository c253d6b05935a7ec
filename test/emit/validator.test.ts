import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { emitValidator, SchemaError } from "../../src/emit/validator.js";
import { compiler, importValidator, templates } from "./support.js";

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

  it("tells every error with path and keyword", async () => {
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
