/** Positions and offsets convert to each other in every encoding; an invalid position has no offset. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Lines, type PositionEncoding } from "../../../src/base/text.js";
import { exactExtent, exactOffset, pointAt } from "../../../src/runtime/edits/proposed-edit.js";
import { plainSnippet } from "../../../src/runtime/edits/server-edit.js";
import { indentationOf } from "../../../src/runtime/point/indentation.js";

const text = fc
  .array(fc.constantFrom("a", "é", "漢", "😀", " ", "\t", "\n", "\r\n", "\r"), { maxLength: 40 })
  .map((parts) => parts.join(""));
const unit = fc.constantFrom<PositionEncoding>("utf-8", "utf-16", "utf-32");

/** The offsets between characters, but not between \r and \n. */
function borders(of: string): number[] {
  const found = [0];
  for (const character of of) found.push((found.at(-1) ?? 0) + character.length);
  return found.filter((at) => !(of[at - 1] === "\r" && of[at] === "\n"));
}

describe("places", () => {
  it("lead back to the offset they were made of", () => {
    fc.assert(
      fc.property(text, unit, (body, encoding) => {
        const lines = new Lines(body);
        for (const at of borders(body))
          expect(exactOffset(lines, pointAt(lines, at, encoding), encoding)).toBe(at);
      }),
    );
  });

  it("have an offset only on a character's border or past the end of their line", () => {
    fc.assert(
      fc.property(text, unit, fc.nat(8), fc.nat(20), (body, encoding, line, character) => {
        const lines = new Lines(body);
        const at = exactOffset(lines, { line, character }, encoding);
        if (line >= lines.count) expect(at).toBeUndefined();
        else if (at !== undefined) {
          expect(borders(body)).toContain(at);
          expect(pointAt(lines, at, encoding).line).toBe(line);
          expect(pointAt(lines, at, encoding).character).toBeLessThanOrEqual(character);
        }
      }),
    );
  });

  it("in reverse, or counted below zero, are none", () => {
    const lines = new Lines("one\ntwo");
    const range = (a: [number, number], b: [number, number]) => ({
      start: { line: a[0], character: a[1] },
      end: { line: b[0], character: b[1] },
    });
    expect(exactExtent(lines, range([1, 0], [0, 2]), "utf-16")).toBeUndefined();
    expect(exactExtent(lines, range([0, -1], [0, 2]), "utf-16")).toBeUndefined();
    expect(exactExtent(lines, range([0, Number.NaN], [0, 2]), "utf-16")).toBeUndefined();
    expect(exactExtent(lines, range([0, 1], [2, 0]), "utf-16")).toEqual({ start: 1, end: 7 });
    expect(exactExtent(lines, range([0, 1], [2, 1]), "utf-16")).toBeUndefined();
    expect(exactExtent(lines, range([2, 0], [2, 0]), "utf-16")).toBeUndefined();
  });
});

it.each([
  ["a$0b", "ab"],
  [`a${"$"}{1:x${"$"}{2:y}}b`, "axyb"],
  [`${"$"}{1|one\\,1,two|}`, "one,1"],
  ["cost: \\$5 \\} \\\\", "cost: $5 } \\"],
  ["$ 5 and $", "$ 5 and $"],
  ["$TM_FILENAME", undefined],
  [`${"$"}{1/(.*)/x/}`, undefined],
  [`${"$"}{1:open`, undefined],
])("the snippet %j is %j", (snippet, plain) => {
  expect(plainSnippet(snippet)).toBe(plain);
});

it.each([
  ["", { tabSize: 4, insertSpaces: true }],
  ["a\n\tb\n\t\tc\n", { tabSize: 4, insertSpaces: false }],
  ["a\n  b\n    c\n  d\n", { tabSize: 2, insertSpaces: true }],
  ["a\n    b\n        c\n/*\n * x\n */\n", { tabSize: 4, insertSpaces: true }],
])("%j is indented by %j", (body, expected) => {
  expect(indentationOf(new Lines(body))).toEqual(expected);
});
