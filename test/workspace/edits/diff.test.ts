import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { maxEditLength, unifiedDiff } from "../../../src/workspace/edits/preview.js";
import { applyChanges, wholeChange } from "../../../src/workspace/edits/text-edits.js";
import type { TextChange } from "../../../src/workspace/edits/types.js";

function diffOf(before: string, changes: TextChange[], maxChars = 1_000_000): { diff: string } {
  const after = applyChanges(before, changes);
  return unifiedDiff({ before: { shown: "f", text: before }, after: { shown: "f", text: after } }, maxChars);
}

/** Applies a diff like `patch`, but checks every line and number. */
function patched(before: string, diff: string): string {
  const old = before.split(/(?<=\n)/).filter((line) => line !== "");
  const lines = diff
    .split(/(?<=\n)/)
    .filter((line) => line !== "")
    .slice(2);
  const out: string[] = [];
  let at = 0;
  for (let i = 0; i < lines.length; ) {
    const head = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@\n$/.exec(lines[i++] ?? "");
    if (!head) throw new Error(`not a hunk: ${lines[i - 1]}`);
    const [oldStart, oldCount, nowStart, nowCount] = head.slice(1).map(Number) as [
      number,
      number,
      number,
      number,
    ];
    const start = oldCount === 0 ? oldStart : oldStart - 1;
    while (at < start) out.push(old[at++] ?? "missing");
    expect(out.length).toBe(nowCount === 0 ? nowStart : nowStart - 1);
    let [olds, nows] = [0, 0];
    while (i < lines.length && !lines[i]?.startsWith("@@")) {
      const mark = lines[i]?.[0];
      let line = lines[i]?.slice(1) ?? "";
      i++;
      if (lines[i]?.startsWith("\\")) {
        line = line.slice(0, -1);
        i++;
      }
      if (mark !== "+") {
        expect(old[at++]).toBe(line);
        olds++;
      }
      if (mark !== "-") {
        out.push(line);
        nows++;
      }
    }
    expect([olds, nows]).toEqual([oldCount, nowCount]);
  }
  return [...out, ...old.slice(at)].join("");
}

const line = fc.constantFrom("a\n", "b\n", "c\r\n", "\n", "dd\n", "e\r");
const text = fc
  .tuple(fc.array(line, { maxLength: 40 }), fc.constantFrom("", "end"))
  .map(([lines, end]) => lines.join("") + end);

describe("a unified diff", () => {
  test("makes the new text of the old one", () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        const { diff } = diffOf(before, [wholeChange(before, after)]);
        expect(patched(before, diff)).toBe(after);
      }),
      { numRuns: 1_000 },
    );
  });

  test("of many small changes, too", () => {
    const many = fc.tuple(
      text,
      fc.array(fc.tuple(fc.nat(), fc.constantFrom("", "x", "y\n", "\nz")), { maxLength: 8 }),
    );
    fc.assert(
      fc.property(many, ([before, inserts]) => {
        const changes = inserts.map(([place, newText]) => {
          const start = place % (before.length + 1);
          return { start, end: start, newText };
        });
        const after = applyChanges(before, changes);
        fc.pre(before !== after);
        expect(patched(before, diffOf(before, changes).diff)).toBe(after);
      }),
      { numRuns: 1_000 },
    );
  });

  test("shows only what differs, with three lines around it", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `line ${index}\n`);
    const before = lines.join("");
    const after = before
      .replace("line 3\n", "three\n")
      .replace("line 20\n", "")
      .replace("line 22\n", "line 22\nnew\n");
    // A formatter often replaces the whole text.
    const { diff } = diffOf(before, [{ start: 0, end: before.length, newText: after }]);
    expect(diff).toMatchInlineSnapshot(`
      "--- a/f
      +++ b/f
      @@ -1,7 +1,7 @@
       line 0
       line 1
       line 2
      -line 3
      +three
       line 4
       line 5
       line 6
      @@ -18,9 +18,9 @@
       line 17
       line 18
       line 19
      -line 20
       line 21
       line 22
      +new
       line 23
       line 24
       line 25
      "
    `);
  });

  test("is read by patch", () => {
    const folder = mkdtempSync(join(tmpdir(), "diff-"));
    const before = "a\r\nb\nc";
    const changes = [
      { start: 0, end: 1, newText: "A" },
      { start: 6, end: 6, newText: "!\nd" },
    ];
    writeFileSync(join(folder, "f"), before);
    execFileSync("patch", ["--binary", "-p1"], { cwd: folder, input: diffOf(before, changes).diff });
    expect(readFileSync(join(folder, "f"), "utf8")).toBe(applyChanges(before, changes));
    rmSync(folder, { recursive: true });
  });

  test("quotes a name that would end the line, and is cut after a line", () => {
    const sides = {
      before: null,
      after: { shown: "a\n+++ b/x", text: "1\n2\n3\n" },
    };
    expect(unifiedDiff(sides, 1000).diff.split("\n").slice(0, 2)).toEqual([
      "--- /dev/null",
      '+++ "b/a\\n+++ b/x"',
    ]);
    const cut = unifiedDiff(sides, 55);
    expect(cut.diffCut).toBe(true);
    expect(cut.diff.endsWith("\n")).toBe(true);
    expect(cut.diff.length).toBeLessThanOrEqual(55);
  });

  test("of a large text with everything different takes no time", () => {
    const before = Array.from({ length: 20_000 }, (_, index) => `old ${index}\n`).join("");
    const after = Array.from({ length: 20_000 }, (_, index) => `new ${index}\n`).join("");
    const started = performance.now();
    expect(diffOf(before, [wholeChange(before, after)], 10_000_000).diff.split("\n")).toHaveLength(40_004);
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  test("of each of many files gets less effort, and is still a diff", () => {
    expect([maxEditLength(1), maxEditLength(20)]).toEqual([1000, 1000]);
    expect(maxEditLength(5_000)).toBeLessThan(100);
    const sides = { before: { shown: "f", text: "1\n2\n3" }, after: { shown: "f", text: "1\n4\n5\n" } };
    const { diff } = unifiedDiff(sides, 1_000, 1);
    expect(diff).toContain("@@ -1,3 +1,3 @@\n-1\n");
    expect(patched("1\n2\n3", diff)).toBe("1\n4\n5\n");
  });
});
