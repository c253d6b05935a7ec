import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonical, canonicalPretty, canonicalText } from "../../src/base/json.js";

describe("canonical JSON", () => {
  it("sorts keys at every depth and leaves undefined out", () => {
    expect(canonicalText({ b: [{ d: 1, c: undefined, a: 2 }], a: null })).toBe(
      '{"a":null,"b":[{"a":2,"d":1}]}',
    );
  });

  it("keeps integer-like keys in code-unit order in the text", () => {
    // A JavaScript object lists integer keys first, so the canonical text is what JSON.stringify makes of it.
    expect(canonicalText({ 10: 1, 9: 2, a: 3 })).toBe(canonicalText({ a: 3, 9: 2, 10: 1 }));
  });

  it("carries a key named __proto__ as data", () => {
    const value = JSON.parse('{"__proto__": {"x": 1}}');
    expect(canonicalText(value)).toBe('{"__proto__":{"x":1}}');
    expect(Object.getPrototypeOf(canonical(value))).toBe(Object.prototype);
  });

  it("means the same as its source", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(canonicalText(value))).toEqual(JSON.parse(JSON.stringify(value)));
        expect(JSON.parse(canonicalPretty(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
