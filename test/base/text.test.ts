import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  ColumnWalk,
  columnsOf,
  convertColumn,
  cutCharacters,
  decodeUtf8,
  detached,
  Lines,
} from "../../src/base/text.js";
import { character } from "../characters.js";
import { limitFor } from "../processor-time.mjs";

describe("lines", () => {
  it("ends lines at \\n, \\r\\n and \\r", () => {
    const lines = new Lines("a\nb\r\nc\rd");
    expect([0, 1, 2, 3, 4].map((line) => lines.line(line))).toEqual(["a", "b", "c", "d", ""]);
    expect(lines.count).toBe(4);
  });

  it("gives offsets, clamped to the line", () => {
    const lines = new Lines("a😀b\r\nxyz");
    expect(lines.offset(0, 2, "utf-32")).toBe(3);
    expect(lines.offset(0, 99, "utf-32")).toBe(4);
    expect(lines.offset(1, 1, "utf-8")).toBe(7);
    expect(lines.offset(9, 0, "utf-16")).toBe(9);
  });
});

it("decodes UTF-8 apart from its byte order mark, and nothing else", () => {
  expect(decodeUtf8(Buffer.from("\uFEFFé"))).toEqual({ mark: "\uFEFF", text: "é" });
  expect(decodeUtf8(Buffer.from(""))).toEqual({ mark: "", text: "" });
  expect(decodeUtf8("\uFEFFa")).toEqual({ mark: "\uFEFF", text: "a" });
  expect(decodeUtf8(Buffer.from([0x61, 0xff]))).toBeUndefined();
});

describe("columns along a text", () => {
  it("are those that a look at each alone gives, in any order", () => {
    const unit = fc.constantFrom("utf-8", "utf-16", "utf-32");
    const line = (unit: "binary-ascii" | typeof character) => fc.string({ unit, maxLength: 12 });
    const text = fc.array(fc.oneof(line(character), line("binary-ascii")), { maxLength: 4 });
    const place = fc.tuple(fc.nat(4), fc.oneof(fc.nat(30), fc.constant(Number.POSITIVE_INFINITY)));
    fc.assert(
      fc.property(text, fc.array(place), unit, unit, (parts, places, from, to) => {
        const lines = new Lines(parts.join("\n"));
        const walk = new ColumnWalk(lines, from, to);
        for (const [line, column] of places) {
          const alone = convertColumn(lines.line(line), column, from, to);
          expect(walk.convert(line, column)).toBe(alone);
          expect(lines.column(line, column, from, to)).toBe(alone);
        }
      }),
    );
  });

  it("and a text cut out of another are the same when it stands alone", () => {
    fc.assert(
      fc.property(fc.string({ unit: character }), (text) => {
        expect(detached(text)).toBe(text);
      }),
    );
  });
});

describe("columns", () => {
  const line = "\té漢😀e\u0301x";

  it("counts bytes, units and characters", () => {
    expect(columnsOf(line, "utf-8")).toBe(1 + 2 + 3 + 4 + 1 + 2 + 1);
    expect(columnsOf(line, "utf-16")).toBe(8);
    expect(columnsOf(line, "utf-32")).toBe(7);
  });

  it("finds the same character in every unit", () => {
    const characters = [...line];
    characters.forEach((_, index) => {
      const prefix = characters.slice(0, index).join("");
      for (const unit of ["utf-8", "utf-16"] as const) {
        expect(convertColumn(line, index, "utf-32", unit)).toBe(columnsOf(prefix, unit));
        expect(convertColumn(line, columnsOf(prefix, unit), unit, "utf-32")).toBe(index);
      }
    });
  });

  it("moves a column inside a character to its start, and one past the end to the end", () => {
    expect(convertColumn("😀x", 1, "utf-16", "utf-32")).toBe(0);
    for (const [column, whole] of [0, 0, 2, 3, 3].entries())
      expect(convertColumn("😀x", column, "utf-16", "utf-16")).toBe(whole);
    expect(convertColumn("😀x", 3, "utf-8", "utf-32")).toBe(0);
    expect(convertColumn("😀x", 50, "utf-8", "utf-16")).toBe(3);
  });

  it("does not walk along a long line for units that stay the same", () => {
    const long = "é".repeat(1_000_000);
    const before = process.cpuUsage();
    for (let n = 0; n < 2_000; n++)
      expect(convertColumn(long, 999_999 - n, "utf-16", "utf-16")).toBe(999_999 - n);
    // A walk for each takes some ten seconds.
    const ms = process.cpuUsage(before).user / 1_000;
    expect(ms).toBeLessThan(limitFor(ms, 2_000));
  });

  it("goes there and back for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: character }), fc.nat(40), (text, column) => {
        const clamped = Math.min(column, [...text].length);
        for (const unit of ["utf-8", "utf-16"] as const) {
          expect(convertColumn(text, convertColumn(text, clamped, "utf-32", unit), unit, "utf-32")).toBe(
            clamped,
          );
        }
      }),
    );
  });
});

describe("cutting", () => {
  it("never splits a character", () => {
    expect(cutCharacters("a😀b", 2)).toEqual({ text: "a😀", cut: true });
    expect(cutCharacters("a😀b", 3)).toEqual({ text: "a😀b", cut: false });
  });
});
