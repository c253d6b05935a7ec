import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  compareKeys,
  compareText,
  sortBy,
  sortedSet,
  sortSlices,
  sortWith,
  sortWithNumber,
  uniqueBy,
} from "../../src/base/order.js";

describe("the one order", () => {
  it("goes by code unit, not by locale", () => {
    expect(sortedSet(["b", "a", "B", "ä", "Z", "a"])).toEqual(["B", "Z", "a", "b", "ä"]);
    expect(compareText("\u{1F600}", "\uFFFF")).toBe(-1);
  });

  it("puts a missing part last", () => {
    expect(
      sortBy([{ k: undefined }, { k: "z" }, { k: "a" }], (item) => [item.k]).map((item) => item.k),
    ).toEqual(["a", "z", undefined]);
  });

  it("is total: antisymmetric and transitive", () => {
    const part = fc.option(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { nil: undefined });
    const key = fc.array(part, { maxLength: 4 });
    fc.assert(
      fc.property(key, key, key, (a, b, c) => {
        expect(Math.sign(compareKeys(a, b))).toBe(-Math.sign(compareKeys(b, a)) + 0);
        if (compareKeys(a, b) <= 0 && compareKeys(b, c) <= 0)
          expect(compareKeys(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });

  it("is the same slice by slice, and equal ones keep their order", async () => {
    const numbers = fc.array(fc.nat(500), { maxLength: 5000, size: "max" });
    await fc.assert(
      fc.asyncProperty(numbers, fc.boolean(), async (values, isSorted) => {
        const keys = isSorted ? values.toSorted((a, b) => a - b) : values;
        const indexes = Uint32Array.from(keys.keys());
        let pauses = 0;
        const sorted = await sortSlices(
          indexes.slice(),
          (a, b) => (keys[a] ?? 0) - (keys[b] ?? 0),
          async () => {
            pauses++;
          },
        );
        expect([...sorted]).toEqual(sortBy([...indexes], (index) => [keys[index], index]));
        expect(pauses > 0).toBe(keys.length > 1024);
      }),
      { numRuns: 40, seed: 1 },
    );
  });

  it("is the same with numbers that tell most of it, and equal ones keep their order", () => {
    // From small to more than is told apart together with a count.
    const number = fc.oneof(fc.nat(3), fc.nat(), fc.maxSafeNat());
    const items = fc.array(fc.record({ number, next: fc.nat(2) }), { maxLength: 1100, size: "max" });
    let [few, many] = [0, 0];
    fc.assert(
      fc.property(items, (told) => {
        const numbered = told.map((item, index) => ({ ...item, index }));
        const compare = (a: (typeof told)[number], b: (typeof told)[number]) =>
          a.number - b.number || a.next - b.next;
        expect(sortWithNumber(numbered, (item) => item.number, compare)).toEqual(sortWith(numbered, compare));
        if (told.length > 1024) many++;
        else few++;
      }),
      { numRuns: 100, seed: 1 },
    );
    expect(few).toBeGreaterThan(10);
    expect(many).toBeGreaterThan(2);
  });

  it("is the same with as many items as are told apart by a number, and with one more", () => {
    for (const length of [0, 1, 2, 1023, 1024, 1025]) {
      const items = Array.from({ length }, (_, index) => ({ number: 3 - (index % 3), index }));
      const compare = (a: { number: number }, b: { number: number }) => a.number - b.number;
      expect(sortWithNumber(items, ({ number }) => number, compare)).toEqual(sortWith(items, compare));
    }
  });

  it("keeps the first of equal items", () => {
    expect(uniqueBy(["a1", "b1", "a2"], (text) => text.slice(0, 1))).toEqual(["a1", "b1"]);
  });
});
