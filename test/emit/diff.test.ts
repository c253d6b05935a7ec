import { describe, expect, it } from "vitest";
import { shortDiff } from "../../src/emit/check.js";

describe("shortDiff", () => {
  it.each<[string, string, string]>([
    ["a\nb\nc", "a\nb\nc", ""],
    ["a\nb\nc\nd\ne", "a\nb\nX\nd\ne", "@@ line 3 @@\n a\n b\n-c\n+X"],
    ["a\nb", "a\nx\nb", "@@ line 2 @@\n a\n+x"],
    ["a\nb\nb", "a\nb", "@@ line 3 @@\n a\n b\n-b"],
    ["", "x", "@@ line 1 @@\n-\n+x"],
  ])("of %j and %j", (before, after, expected) => {
    expect(shortDiff(before, after)).toBe(expected);
  });

  it("stays short", () => {
    const lines = (mark: string) =>
      Array.from({ length: 500 }, (_, index) => mark.repeat(300) + index).join("\n");
    const text = shortDiff(lines("a"), lines("b"));
    expect(text.split("\n")).toHaveLength(15);
    expect(text.length).toBeLessThan(3000);
    expect(text).toContain("… 494 more lines");
  });
});
