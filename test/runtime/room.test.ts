/** As many items as an answer has room for: the most, and found without making the answer for every count that might do. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../src/abi/handler.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import { type Caps, fits } from "../../src/runtime/answer/limits.js";
import { mostWithRoom } from "../../src/runtime/answer/room.js";

const caps = (some: Partial<Caps>): Caps => ({
  ...{ total: 1e6, page: 1e6, text: 1e6, bytes: 4e6, hasStructure: true, hasText: true },
  ...some,
});
const asIs = { members: {} };

/** An answer with the first items, with or without a cursor as long as its offset, and a line of text for each. */
function answerOf(items: readonly JsonObject[], rename: (item: JsonObject) => JsonObject = (item) => item) {
  let made = 0;
  const answerWith = (count: number): Answer => {
    made++;
    const shown = items.slice(0, count).map(rename);
    const structured: JsonObject = { head: "much beside them ".repeat(20), shown: count, items: shown };
    if (count < items.length) structured.next_cursor = `cursor ${count}`;
    return { structured, text: shown.map(({ name }) => `- ${name}\n`).join(""), notes: "", headline: "" };
  };
  return { answerWith, made: () => made };
}

const item = fc.record({
  name: fc.oneof(fc.string({ maxLength: 40 }), fc.string({ unit: "binary", maxLength: 10 })),
  line: fc.nat(),
});

/** The most items that fit, by trying each count. */
function most(items: readonly JsonObject[], bounds: Caps, answerWith: (count: number) => Answer): number {
  // Without the next page's cursor an answer may be shorter with more items: all of them are tried first.
  if (fits(answerWith(items.length), bounds)) return items.length;
  const counts = Array.from({ length: items.length }, (_, index) => index);
  return Math.max(0, ...counts.filter((count) => fits(answerWith(count), bounds)));
}

/** Limits around what the items take, so that some of them fit and some do not. */
function around(items: readonly JsonObject[], part: number): number {
  return Math.floor(part * JSON.stringify(items).length) + 400;
}

const parts = fc.integer({ min: 0, max: 130 }).map((percent) => percent / 100);
const many = fc.array(item, { minLength: 5, maxLength: 60 });

describe("the items with room", () => {
  it("are the most that fit, whichever limit it is", () => {
    const limited = fc.subarray(["total", "page", "text", "bytes"] as const, { minLength: 1 });
    const forms = fc.constantFrom(
      ...[{}, {}, { hasStructure: false }, { hasText: false }, { hasStructure: false, hasText: false }],
    );
    let cut = 0;
    fc.assert(
      fc.property(many, limited, parts, forms, (items, names, part, sent) => {
        const limits = { total: 0, page: 0, text: -390, bytes: 0 };
        const bounds = caps({
          ...Object.fromEntries(names.map((name) => [name, around(items, part) + limits[name]])),
          ...sent,
        });
        const { answerWith } = answerOf(items);
        const expected = most(items, bounds, answerWith);
        if (expected > 0 && expected < items.length) cut++;
        expect(mostWithRoom(items, bounds, asIs, answerWith)).toBe(expected);
      }),
      { seed: 1, numRuns: 2000 },
    );
    expect(cut).toBeGreaterThan(500);
  });

  it("are those that take exactly as much as there is", () => {
    fc.assert(
      fc.property(many, fc.nat(59), (items, at) => {
        const { answerWith } = answerOf(items);
        const wanted = Math.min(at, items.length - 1);
        const page = JSON.stringify(answerWith(wanted).structured).length;
        for (const spare of [0, 1]) {
          const bounds = caps({ page: page + spare });
          expect(mostWithRoom(items, bounds, asIs, answerWith)).toBe(most(items, bounds, answerWith));
        }
      }),
      { seed: 3, numRuns: 500 },
    );
  });

  it("are the same where a dialect has other names, which are longer or shorter", () => {
    const longer = ({ name = "", line = 0 }: JsonObject): JsonObject => ({ name, the_line_of_it: line });
    const shorter = ({ name = "" }: JsonObject): JsonObject => ({ name });
    let cut = 0;
    fc.assert(
      fc.property(many, parts, (items, part) => {
        for (const rename of [longer, shorter]) {
          const { answerWith } = answerOf(items, rename);
          const bounds = caps({ page: around(items.map(rename), part) });
          const expected = most(items, bounds, answerWith);
          if (expected > 0 && expected < items.length) cut++;
          expect(mostWithRoom(items, bounds, { members: { line: "other" } }, answerWith)).toBe(expected);
        }
      }),
      { seed: 2, numRuns: 1000 },
    );
    expect(cut).toBeGreaterThan(500);
  });

  const lined = (name: (n: number) => string) =>
    Array.from({ length: 200 }, (_, n) => ({ name: name(n), line: n }));

  it("are found with two answers: that with all of them, and that which is given", () => {
    const items = lined((n) => "x".repeat((n * 37) % 300));
    const { answerWith, made } = answerOf(items);
    const page = JSON.stringify(items satisfies Json).length / 2;
    const found = mostWithRoom(items, caps({ page }), asIs, answerWith);
    expect(made()).toBe(2);
    expect(found).toBeGreaterThan(80);
    expect(fits(answerWith(found), caps({ page }))).toBe(true);
    expect(fits(answerWith(found + 1), caps({ page }))).toBe(false);
  });

  it("are the most also where the guess is far too low", () => {
    const items = lined((n) => "x".repeat(n % 7));
    const { answerWith } = answerOf(items);
    /** All of the text is the last item's. */
    const unequal = (count: number): Answer => ({
      ...answerWith(count),
      text: count === items.length ? "y".repeat(1e5) : "",
    });
    for (const wanted of [1, 2, 30, 31, 150, 198]) {
      const page = JSON.stringify(unequal(wanted).structured).length;
      expect(mostWithRoom(items, caps({ page, text: 1000 }), asIs, unequal)).toBe(wanted);
    }
  });

  it("are measured by the text where only that is sent", () => {
    const items = lined(() => "x").map((entry) => ({ ...entry, more: "z".repeat(1000) }));
    const { answerWith } = answerOf(items);
    const text = (count: number) => "y".repeat(count === items.length ? 1e5 : count);
    const unequal = (count: number): Answer => ({ ...answerWith(count), text: text(count) });
    expect(mostWithRoom(items, caps({ page: 150, hasStructure: false }), asIs, unequal)).toBe(150);
  });

  it.each<[string, (n: number) => string, Partial<Caps>]>([
    ["bytes are what is short of", (n) => "漢".repeat((n * 37) % 300), { bytes: 40_000 }],
    ["the first takes nearly all", (n) => "x".repeat(n === 0 ? 20_000 : 100), { total: 30_000 }],
    ["not even one fits", (n) => "x".repeat(500 + n), { page: 400 }],
  ])("are found with few answers where %s", (_, name, limits) => {
    const items = lined(name);
    const { answerWith, made } = answerOf(items);
    const found = mostWithRoom(items, caps(limits), asIs, answerWith);
    expect(made()).toBeLessThanOrEqual(8);
    expect(found).toBe(most(items, caps(limits), answerWith));
  });
});
