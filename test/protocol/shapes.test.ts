import { describe, expect, it } from "vitest";
import { compareKeys } from "../../src/base/order.js";
import { defaultDialect } from "../../src/plan/defaults.js";
import { formatPosition, formatRange } from "../../src/protocol/dialect-format.js";
import { itemKey } from "../../src/protocol/item-order.js";
import { shapes } from "../../src/protocol/shapes.js";

const objects = {
  ...defaultDialect,
  position: {
    ...defaultDialect.position,
    form: "object" as const,
    answers: "object" as const,
    lineBase: 0 as const,
  },
};
const span = { start: { line: 0, character: 4 }, end: { line: 1, character: 0 } };

describe("dialect format", () => {
  it("counts as the dialect does", () => {
    expect(formatPosition(defaultDialect, span.start)).toEqual({ line: 1, character: 5 });
    expect(formatRange(defaultDialect, span)).toEqual({
      line: 1,
      character: 5,
      end_line: 2,
      end_character: 1,
    });
    expect(formatPosition(objects, span.start)).toEqual({ position: { line: 0, character: 5 } });
    expect(formatRange(objects, span)).toEqual({
      range: { start: { line: 0, character: 5 }, end: { line: 1, character: 1 } },
    });
  });
});

describe("order", () => {
  const keyOf = (name: keyof typeof shapes, item: object, dialect = defaultDialect) => {
    const shape = shapes[name];
    if (!shape) throw new Error(`no shape ${name}`);
    return itemKey(shape, item, dialect);
  };
  const place = { path: "a", ...formatRange(defaultDialect, span) };

  it("of diagnostics: path, range, severity with the worst first, code with none last", () => {
    const items = [
      { ...place, severity: "error", code: "1", message: "m" },
      { ...place, severity: "error", code: "1", source: "s", message: "m" },
      { ...place, severity: "error", message: "m" },
      { ...place, severity: "warning", message: "a" },
      { ...place, severity: "hint", message: "a" },
      { ...place, character: 10, severity: "error", message: "a" },
      { ...place, line: 10, severity: "error", message: "a" },
      { ...place, path: "b", line: 1, severity: "error", message: "a" },
    ].map((item) => keyOf("diagnostics", item));
    const [withoutSource = [], withSource = []] = items;
    expect(compareKeys(withSource, withoutSource)).toBeLessThan(0);
    items.slice(1).forEach((key, index, rest) => {
      const next = rest[index + 1];
      if (next) expect(compareKeys(key, next), String(index)).toBeLessThan(0);
    });
  });

  it("is the same in an object dialect", () => {
    const shape = { name: "f", kind: "function" };
    expect(
      keyOf("workspace_symbols", { ...shape, path: "a", ...formatRange(objects, span) }, objects),
    ).toEqual(["a", 0, 5, 1, 1, "f", "function", undefined]);
    expect(
      keyOf("calls", { ...shape, path: "a", ...formatPosition(objects, span.start), sites: [] }, objects),
    ).toEqual(["a", 0, 5, "f", "function"]);
  });

  it("puts a symbol without a range last in its file", () => {
    const symbol = { name: "f", kind: "function", path: "a" };
    const key = keyOf("workspace_symbols", symbol);
    expect(compareKeys(keyOf("workspace_symbols", { ...symbol, ...place }), key)).toBeLessThan(0);
    expect(compareKeys(key, keyOf("workspace_symbols", { ...symbol, ...place, path: "b" }))).toBeLessThan(0);
  });
});
