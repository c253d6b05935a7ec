import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareKeys, compareText, sortBy, sortedSet, sortInTurns, uniqueBy } from "../../src/base/order.js";
import { Turns } from "../../src/base/timing.js";

describe("the one order", () => {
  it("is by code unit, not by locale", () => {
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

  it("is the same when long lists are sorted in turns, and equal items keep their order", async () => {
    const numbers = fc.array(fc.nat(500), { maxLength: 20_000, size: "max" });
    await fc.assert(
      fc.asyncProperty(numbers, fc.boolean(), async (values, isSorted) => {
        const keys = isSorted ? values.toSorted((a, b) => a - b) : values;
        const items = keys.map((key, index) => ({ key, index }));
        let [pauses, compared, most] = [0, 0, 0];
        class CountedTurns extends Turns {
          override yield() {
            most = Math.max(most, compared);
            [pauses, compared] = [pauses + 1, 0];
            return super.yield();
          }
        }
        const compare = (a: { key: number }, b: { key: number }) => {
          compared++;
          return a.key - b.key;
        };
        const sorted = await sortInTurns(items, compare, new CountedTurns(undefined, 0));
        expect(sorted).toEqual(sortBy(items, ({ key, index }) => [key, index]));
        expect(pauses > 1).toBe(keys.length > 512);
        // A comparison may take some microseconds, and nothing else runs until the next pause.
        expect(Math.max(most, compared)).toBeLessThan(10_000);
      }),
      { numRuns: 20, seed: 1 },
    );
  });

  it("keeps the first of equal items", () => {
    expect(uniqueBy(["a1", "b1", "a2"], (text) => text.slice(0, 1))).toEqual(["a1", "b1"]);
  });
});
