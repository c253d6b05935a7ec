/** The tables of docs/profiles.md: every row of the inventory is there, says what is true of it, and names its test. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../live/session.js";

/** How many rows the inventory has of each system. */
const counts = { L: 63, C: 54, P: 26, I: 58, G: 49 };

const lines = readFileSync(join(repository, "docs", "profiles.md"), "utf8").split("\n");
const rows = lines.flatMap((line) => {
  const [, row = "", feature = "", state = "", test = ""] = line.split("|").map((cell) => cell.trim());
  return /^[A-Z]\d+$/.test(row) ? [{ row, feature, state, test }] : [];
});

describe("the rows of the originals", () => {
  it.each(Object.entries(counts))("%s1 to %s%i are all there, once and in order", (letter, count) => {
    const expected = Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
    expect(rows.map(({ row }) => row).filter((row) => row.startsWith(letter))).toEqual(expected);
  });

  it.each(rows)("$row works, or says why not, and has a test", ({ feature, state, test }) => {
    expect(feature).not.toBe("");
    expect(state).toMatch(/^works(?:$|[,;: ])|^different: .{10,}|^not yet: .{10,}/);
    const file = /^`(test\/[\w./-]+\.test\.ts)`$/.exec(test)?.[1] ?? "";
    expect(file).not.toBe("");
    expect(existsSync(join(repository, file)), file).toBe(true);
  });
});
