/** Words at a column: of ASCII they are found unit by unit, and just as the expression for all letters finds them. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { wordAt } from "../../src/runtime/point/words.js";
import { character } from "../characters.js";

/** The same, told by the expression alone. */
function byExpression(line: string, column: number) {
  for (const { index, 0: text } of line.matchAll(/[\p{L}\p{N}\p{M}_$]+/gu))
    if (index <= column && column <= index + text.length) return { start: index, text };
  return undefined;
}

describe("the word at a column", () => {
  it.each([
    ["const value = 1;", 8, "value"],
    ["const value = 1;", 6, "value"],
    ["const value = 1;", 11, "value"],
    ["const value = 1;", 12, undefined],
    ["a.$x_1@", 2, "$x_1"],
    ["naïve()", 0, "naïve"],
    ["naïve()", 5, "naïve"],
    ["größe", 5, "größe"],
    ["é", 1, "é"],
    ["x→y", 1, "x"],
    ["x→y", 2, "y"],
    ["`[{", 1, undefined],
    ["", 0, undefined],
    ["ab", 3, undefined],
    ["ab", -1, undefined],
  ])("of %j at %d", (line, column, word) => {
    expect(wordAt(line, column)?.text).toBe(word);
  });

  it("is what the expression finds, in any line", () => {
    const unit = fc.oneof(
      fc.constantFrom(..."aZ09_$ .@[`{/:\t→é漢"),
      fc.constantFrom("\u0301", "\ud83d", "\ude00", "😀", "𝒳"),
      fc.string({ unit: character, minLength: 1, maxLength: 1 }),
    );
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), fc.integer({ min: -2, max: 16 }), (units, column) => {
        const line = units.join("");
        expect(wordAt(line, column)).toEqual(byExpression(line, column));
      }),
      { seed: 1, numRuns: 20_000 },
    );
  });
});
