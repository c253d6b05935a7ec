/** A text is given back as it was written, or not at all. */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { TextRing, type Written } from "../../src/base/text-ring.js";

describe("a ring of texts", () => {
  it("has the latest texts that fit, each as it was", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 12 });
    // What is written, how many of the oldest nobody needs then, and whether all are forgotten before.
    const step = fc.record({ text, gone: fc.nat(3), isAnew: fc.nat(9).map((dice) => dice === 0) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), fc.integer({ min: 1, max: 40 }), (steps, size) => {
        const ring = new TextRing(size, size);
        const past: Written[] = [];
        let needed: { text: string; where: Written }[] = [];
        for (const { text, gone, isAnew } of steps) {
          if (isAnew) {
            ring.clear();
            needed = [];
            expect(past.filter(({ bytes }) => bytes > 0).map((where) => ring.get(where))).not.toContainEqual(
              expect.any(String),
            );
          }
          needed.splice(0, gone);
          const where = ring.put(text, needed[0]?.where);
          expect(where === undefined).toBe(Buffer.byteLength(text) > size);
          if (where === undefined) continue;
          past.push(where);
          needed.push({ text, where });
          const there = needed.map((one) => ring.get(one.where));
          expect(there.at(-1)).toBe(text);
          // Once one is gone, all before it are.
          const first = there.findIndex((got) => got !== undefined);
          expect(there.slice(first)).toEqual(needed.slice(first).map((one) => one.text));
          needed = needed.slice(first);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("takes no more memory than a few times what is needed, if that is told", () => {
    const ring = new TextRing(100_000, 1_000);
    const needed: Written[] = [];
    let most = 0;
    for (let times = 0; times < 1_000; times++) {
      const where = ring.put("x".repeat(50 + (times % 50)), needed[0]) as Written;
      most = Math.max(most, (where.at % 100_000) + where.bytes);
      needed.push(where);
      if (needed.length > 10) needed.shift();
      expect(needed.every((one) => ring.has(one))).toBe(true);
    }
    expect(most).toBeLessThan(4_000);
  });

  it("begins anew before what is needed only where there is room for the text, and as much as is taken", () => {
    const ring = new TextRing(100, 100);
    ring.put("a".repeat(20));
    const oldest = ring.put("b".repeat(20));
    expect(ring.put("c".repeat(21), oldest)?.at).toBe(40);
    expect(ring.put("d", oldest)?.at).toBe(61);
    const another = new TextRing(100, 100);
    another.put("a".repeat(20));
    expect(another.put("c".repeat(20), another.put("b".repeat(20)))?.at).toBe(100);
  });

  it("writes none where there is no memory", () => {
    const ring = new TextRing(10, 10);
    const alloc = vi.spyOn(Buffer, "allocUnsafeSlow").mockImplementationOnce(() => {
      throw new RangeError("no memory");
    });
    expect(ring.put("a")).toBeUndefined();
    expect(ring.get(ring.put("a") as Written)).toBe("a");
    alloc.mockRestore();
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
    for (const text of ["a", ""]) expect(new TextRing(0, 0).put(text)).toBeUndefined();
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
