/** The tables of docs/profile-rows.md: every row of the inventory is there, says what is true of it, and names its test. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { repository } from "../live/session.js";

/** How many rows the inventory has of each system. */
const counts = { L: 63, C: 54, P: 26, I: 58, G: 49 };

const lines = readFileSync(join(repository, "docs", "profile-rows.md"), "utf8").split("\n");
const rows = lines.flatMap((line) => {
  const [, row = "", feature = "", state = "", test = ""] = line.split("|").map((cell) => cell.trim());
  return /^[A-Z]\d+$/.test(row) ? [{ row, feature, state, test }] : [];
});

/** Whether a test of a file has this title and is not switched off. */
function hasTest(file: string, title: string): boolean {
  const text = readFileSync(join(repository, file), "utf8");
  const literal = JSON.stringify(title).replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&");
  // The title is the first argument of the call that makes the test; its body follows.
  const calls = [...text.matchAll(new RegExp(`^(.*)\\(\\s*${literal},\\s`, "gm"))];
  return calls.some(([, before = ""]) => !/describe|\.(?:skip|todo)\b/.test(before));
}

describe("the rows of the originals", () => {
  it.each(Object.entries(counts))("%s1 to %s%i are all there, once and in order", (letter, count) => {
    const expected = Array.from({ length: count }, (_, index) => `${letter}${index + 1}`);
    expect(rows.map(({ row }) => row).filter((row) => row.startsWith(letter))).toEqual(expected);
  });

  it.each(rows)("$row works, or says why it is different, and has a test", ({ feature, state, test }) => {
    expect(feature).not.toBe("");
    expect(state).toMatch(/^works(?:$|[,;: ])|^different: .{20,}/);
    // What works has no part that is missing or another: such a row is different, with a reason.
    if (state.startsWith("works")) expect(state).not.toMatch(/\b(?:instead|missing|ignored|not yet|but)\b/);
    const [, file = "", title = ""] = /^`(test\/[\w./-]+\.test\.ts)`, "(.+)"$/.exec(test) ?? [];
    expect(existsSync(join(repository, file)) && file, test).toBe(file || "a file and a title");
    expect(hasTest(file, title), `${file} has no test "${title}"`).toBe(true);
  });

  it("takes no title that no test has, and none of a test that is switched off", () => {
    const file = "test/profiles/rows.test.ts";
    expect(hasTest(file, "takes no title that no test has, and none of a test that is switched off")).toBe(
      true,
    );
    expect(hasTest(file, "takes no title")).toBe(false);
    expect(hasTest(file, "the rows of the originals")).toBe(false);
  });
});
