import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fromPointer, getAt, toPointer } from "../../src/base/json.js";

describe("JSON Pointer", () => {
  it("escapes and unescapes any key", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), (path) => {
        expect(fromPointer(toPointer(path))).toEqual(path);
      }),
    );
  });

  it("reads own values only", () => {
    expect(getAt({ a: [{ b: 1 }] }, ["a", 0, "b"])).toBe(1);
    expect(getAt({}, ["constructor"])).toBeUndefined();
    expect(getAt("text", ["length"])).toBeUndefined();
  });

  it("refuses what is not a pointer", () => {
    expect(() => fromPointer("a/b")).toThrow(TypeError);
  });
});
