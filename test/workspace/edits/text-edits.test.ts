import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyChanges,
  checkChanges,
  decodeText,
  encodeText,
  fitLineEnds,
  wholeChange,
} from "../../../src/workspace/edits/text-edits.js";
import type { TextChange } from "../../../src/workspace/edits/types.js";

const piece = fc.constantFrom("a", "bc", "\n", "\r\n", "\r", "é", "𝒳", "👩‍💻", " ", "\t", "\u2028", "\ufeff");
const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));

/** A text and changes that do not overlap, in any order. */
const edited = text.chain((before) =>
  fc
    .tuple(
      fc.array(fc.nat(before.length), { maxLength: 12 }),
      fc.array(fc.tuple(text, fc.boolean()), { minLength: 6, maxLength: 6 }),
      fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
    )
    .map(([places, texts, order]) => {
      const borders = places.map((place) => wholeCharacter(before, place)).toSorted((a, b) => a - b);
      const changes: TextChange[] = [];
      for (let i = 0; i + 1 < borders.length; i += 2) {
        const [newText, inserts] = texts[i / 2] ?? ["", false];
        const [start = 0, end = 0] = [borders[i], borders[i + 1]];
        changes.push({ start, end: inserts ? start : end, newText });
      }
      const shuffled = changes
        .map((change, index) => ({ change, key: order[index] ?? 0 }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ change }) => change);
      return { before, changes: shuffled };
    }),
);

function wholeCharacter(from: string, offset: number): number {
  const code = from.charCodeAt(offset);
  return code >= 0xdc00 && code <= 0xdfff ? offset - 1 : offset;
}

/** The simplest implementation: for each character, what is inserted before it and whether it is kept. */
function oracle(before: string, changes: TextChange[]): string {
  let after = "";
  for (let offset = 0; offset <= before.length; offset++) {
    const here = changes.filter((change) => change.start === offset);
    for (const change of here.filter(({ start, end }) => start === end)) after += change.newText;
    for (const change of here.filter(({ start, end }) => start < end)) after += change.newText;
    const gone = changes.some(({ start, end }) => start <= offset && offset < end);
    if (!gone && offset < before.length) after += before[offset];
  }
  return after;
}

describe("changes of a text", () => {
  test("come out as the plainest way says", () => {
    fc.assert(
      fc.property(edited, ({ before, changes }) => {
        expect(checkChanges(before, changes)).toBeUndefined();
        expect(applyChanges(before, changes)).toBe(oracle(before, changes));
      }),
      { numRuns: 2_000 },
    );
  });

  test("insert in their order, and before what is replaced at the same place", () => {
    const changes = [
      { start: 1, end: 2, newText: "X" },
      { start: 1, end: 1, newText: "1" },
      { start: 1, end: 1, newText: "2" },
    ];
    expect(applyChanges("abc", changes)).toBe("a12Xc");
  });

  test.each([
    ["overlap", [0, 3], [2, 4]],
    ["one inside the other", [0, 4], [1, 2]],
    ["the same piece twice", [1, 2], [1, 2]],
    ["an insertion in the middle of a replacement", [0, 3], [1, 1]],
  ])("are refused: %s", (_, [a = 0, b = 0], [c = 0, d = 0]) => {
    const changes = [
      { start: a, end: b, newText: "x" },
      { start: c, end: d, newText: "y" },
    ];
    expect(checkChanges("abcdef", changes)?.code).toBe("edit/overlap");
    expect(checkChanges("abcdef", changes.toReversed())?.code).toBe("edit/overlap");
  });

  test.each([
    [-1, 0],
    [2, 1],
    [0, 7],
    [7, 7],
    [0.5, 1],
    [Number.NaN, 1],
    [0, Number.POSITIVE_INFINITY],
  ])("are refused outside the text: %d to %d", (start, end) => {
    expect(checkChanges("abcdef", [{ start, end, newText: "" }])?.code).toBe("edit/out-of-range");
  });

  test("are refused in the middle of a character", () => {
    expect(checkChanges("a𝒳b", [{ start: 2, end: 3, newText: "" }])?.code).toBe("edit/out-of-range");
    expect(checkChanges("ab", [{ start: 1, end: 1, newText: "\ud835" }])?.code).toBe("edit/out-of-range");
    expect(checkChanges("a𝒳b", [{ start: 1, end: 3, newText: "" }])).toBeUndefined();
  });

  test("can be reported as one", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const change = wholeChange(before, after);
        expect(checkChanges(before, [change])).toBeUndefined();
        expect(applyChanges(before, [change])).toBe(after);
      }),
    );
  });
});

describe("line ends", () => {
  test.each([
    ["a\r\nb\r\n", "x\ny\rz\r\n", "x\r\ny\r\nz\r\n"],
    ["a\nb", "x\r\ny", "x\ny"],
    ["a\rb", "x\ny", "x\ry"],
    ["a\r\nb\n", "x\ny\r\n", "x\ny\r\n"],
    ["ab", "x\ny\r\n", "x\ny\r\n"],
  ])("are those of the text, when it has one kind: %j", (before, newText, fitted) => {
    expect(fitLineEnds(before, [{ start: 0, end: 0, newText }])).toEqual([
      { start: 0, end: 0, newText: fitted },
    ]);
  });

  test("stay one kind whatever is changed", () => {
    const uniform = text.map((mixed) => `${mixed.replace(/\r\n|\r|\n/g, "\r\n")}\r\n`);
    fc.assert(
      fc.property(uniform, text, fc.nat(), (before, newText, place) => {
        const offset = wholeCharacter(before, place % (before.length + 1));
        fc.pre(before[offset] !== "\n");
        const changes = fitLineEnds(before, [{ start: offset, end: offset, newText }]);
        expect(applyChanges(before, changes).replaceAll("\r\n", "")).not.toMatch(/[\r\n]/);
      }),
    );
  });
});

describe("bytes", () => {
  test("come back as they were", () => {
    fc.assert(
      fc.property(text, fc.boolean(), (content, marked) => {
        const bytes = Buffer.from((marked ? "\ufeff" : "") + content);
        const decoded = decodeText(bytes);
        expect(decoded && encodeText(decoded)).toEqual(bytes);
      }),
    );
  });

  test("that are not UTF-8 text are none", () => {
    expect(decodeText(new Uint8Array([0xff, 0xfe, 0x41]))).toBeUndefined();
    expect(decodeText(new Uint8Array([0x41, 0]))).toBeUndefined();
  });
});
