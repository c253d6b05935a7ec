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

describe("the items with room", () => {
  it("are the most that fit, whichever limit it is", () => {
    const few = fc.integer({ min: 0, max: 3000 });
    const some = fc.record({ total: few, page: few, text: few, bytes: few });
    const whole = { hasStructure: fc.boolean(), hasText: fc.boolean() };
    fc.assert(
      fc.property(fc.array(item, { maxLength: 60 }), some, fc.record(whole), (items, limits, forms) => {
        const bounds = caps({ ...limits, ...forms });
        const { answerWith } = answerOf(items);
        // Without the next page's cursor an answer may be shorter with more items: all of them are tried first.
        const counts = Array.from({ length: items.length }, (_, index) => index);
        const most = fits(answerWith(items.length), bounds)
          ? items.length
          : Math.max(0, ...counts.filter((count) => fits(answerWith(count), bounds)));
        expect(mostWithRoom(items, bounds, asIs, answerWith)).toBe(most);
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  it("are the same where a dialect has other names, which are longer or shorter", () => {
    const longer = ({ name = "", line = 0 }: JsonObject): JsonObject => ({ name, the_line_of_it: line });
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 60 }), fc.nat(3000), (items, page) => {
        const bounds = caps({ page });
        for (const rename of [longer, ({ name = "" }: JsonObject): JsonObject => ({ name })]) {
          const { answerWith } = answerOf(items, rename);
          let most = 0;
          for (let count = 1; count < items.length; count++)
            if (fits(answerWith(count), bounds)) most = count;
          if (fits(answerWith(items.length), bounds)) most = items.length;
          const dialect = { members: { line: "other" } };
          expect(mostWithRoom(items, bounds, dialect, answerWith)).toBe(most);
        }
      }),
      { seed: 2 },
    );
  });

  it("are found with two answers: that with all of them, and that which is given", () => {
    const items = Array.from({ length: 200 }, (_, n) => ({ name: "x".repeat((n * 37) % 300), line: n }));
    const { answerWith, made } = answerOf(items);
    const page = JSON.stringify(items satisfies Json).length / 2;
    const most = mostWithRoom(items, caps({ page }), asIs, answerWith);
    expect(made()).toBe(2);
    expect(most).toBeGreaterThan(80);
    expect(fits(answerWith(most), caps({ page }))).toBe(true);
    expect(fits(answerWith(most + 1), caps({ page }))).toBe(false);
  });
});
