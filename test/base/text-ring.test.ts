/** A text is given back as it was written, or not at all. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TextRing, type Written } from "../../src/base/text-ring.js";

describe("a ring of texts", () => {
  it("has the latest texts that fit, each as it was", () => {
    const texts = fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 80 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 8, max: 40 }), (told, size) => {
        const ring = new TextRing(size, size);
        const written: { text: string; where: Written }[] = [];
        for (const text of told) {
          const where = ring.put(text);
          expect(where === undefined).toBe(Buffer.byteLength(text) > size);
          if (where === undefined) continue;
          written.push({ text, where });
          const there = written.map((one) => ring.get(one.where));
          expect(there.at(-1)).toBe(text);
          for (const [at, got] of there.entries()) if (got !== undefined) expect(got).toBe(written[at]?.text);
          // Once one is gone, all before it are.
          const firstThere = there.findIndex((got) => got !== undefined);
          expect(there.slice(firstThere).every((got) => got !== undefined)).toBe(true);
        }
      }),
    );
  });

  it("writes over no more than it has to", () => {
    const ring = new TextRing(10, 10);
    const [one, two] = [ring.put("aaaa"), ring.put("bbbb")] as [Written, Written];
    expect(ring.put("cc")).toBeDefined();
    expect([ring.get(one), ring.get(two)]).toEqual(["aaaa", "bbbb"]);
    ring.put("dddd");
    expect([ring.get(one), ring.get(two)]).toEqual([undefined, "bbbb"]);
    // It would not stand in one piece behind it.
    const long = ring.put("eeeeeee") as Written;
    expect([ring.get(two), ring.get(long)]).toEqual([undefined, "eeeeeee"]);
  });

  it("takes no text that is larger than it should be", () => {
    const ring = new TextRing(10, 5);
    expect(ring.put("éé")).toBeDefined();
    expect(ring.put("ééé")).toBeUndefined();
    expect(new TextRing(0, 0).put("a")).toBeUndefined();
  });

  it("has nothing after it was cleared, and begins anew", () => {
    const ring = new TextRing(10, 10);
    ring.clear();
    const before = [ring.put("aaaa"), ring.put("bbbbbb")] as [Written, Written];
    ring.clear();
    expect(before.map((where) => ring.get(where))).toEqual([undefined, undefined]);
    const after = ring.put("cccccccccc") as Written;
    expect([...before, after].map((where) => ring.get(where))).toEqual([undefined, undefined, "cccccccccc"]);
  });
});
