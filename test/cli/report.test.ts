import { describe, expect, test } from "vitest";
import type { Problem, ProblemPlace } from "../../src/base/problem.js";
import { renderText } from "../../src/cli/terminal/output.js";
import { problemsJson, type ReportOptions, renderProblems } from "../../src/cli/terminal/report.js";

const problem = (place: ProblemPlace | undefined, changes: Partial<Problem> = {}): Problem => ({
  code: "config/unknown-key",
  severity: "error",
  message: "m",
  pointer: "/a",
  ...(place ? { place } : {}),
  fix: "f",
  ...changes,
});

function rendered(problems: Problem[], options: ReportOptions, color = false): string {
  return renderText(renderProblems(problems, options), color);
}

/** The source line of the frame and the line with its carets. */
function frame(text: string, line: number, column: number, endColumn: number, endLine = line): string[] {
  const place = { file: "c", line, column, endLine, endColumn };
  const lines = rendered([problem(place)], { sources: () => text }).split("\n");
  return [lines[3] ?? "", lines[4] ?? ""];
}

test("a file is shown relative to the folder that contains it, whatever its name begins with", () => {
  const shown = (file: string) =>
    rendered([problem({ file, line: 1, column: 1 })], { sources: () => "a", base: "/w" }).split("\n")[1];
  expect(["/w/..x/c.toml", "/v/c.toml", "/w"].map(shown)).toEqual([
    "  --> ..x/c.toml:1:1",
    "  --> /v/c.toml:1:1",
    "  --> /w:1:1",
  ]);
});

describe("code frames", () => {
  test("carets stand under the span", () => {
    expect(frame("a = 1\nbc = 2\n", 2, 1, 3)).toEqual(["2 | bc = 2", "  | ^^"]);
  });

  test("tabs, wide and combining characters keep the caret in its column", () => {
    expect(frame("\ta = x", 1, 6, 7)).toEqual(["1 |     a = x", "  |         ^"]);
    expect(frame('"設定" = x', 1, 8, 9)).toEqual(['1 | "設定" = x', "  |          ^"]);
    expect(frame("e\u0301 = x", 1, 6, 7)).toEqual(["1 | e\u0301 = x", "  |     ^"]);
    expect(frame('"😀" = x', 1, 2, 3)).toEqual(['1 | "😀" = x', "  |  ^^"]);
  });

  test("a span over several lines is marked to the end of its first", () => {
    expect(frame("a = [\n1\n]", 1, 5, 2, 3)).toEqual(["1 | a = [", "  |     ^"]);
  });

  test("a long line is cut around the caret", () => {
    const [line = "", carets = ""] = frame(`${"x".repeat(500)}!${"y".repeat(500)}`, 1, 501, 502);
    expect(line.length).toBeLessThan(120);
    expect(line[carets.indexOf("^")]).toBe("!");
  });

  test("a place at the end of a line, or of the file, still has one caret", () => {
    expect(frame("ab", 1, 3, 3)).toEqual(["1 | ab", "  |   ^"]);
    expect(frame("", 1, 1, 1)).toEqual(["1 | ", "  | ^"]);
  });

  test("no control character of a config reaches the terminal", () => {
    const place = { file: "c\u001b", line: 1, column: 1 };
    const text = rendered([problem(place, { message: "\u001b[2J", suggestion: "\u0007", fix: "\u202e" })], {
      sources: () => "x\u001b[31m",
    });
    expect(text.replaceAll("\n", "")).not.toMatch(/[\p{Cc}\u202e]/u);
  });
});

describe("reports", () => {
  const place = { file: "/w/c.toml", line: 1, column: 1, endLine: 1, endColumn: 2 };

  test("say where, what was meant and what to do, and count", () => {
    const text = rendered(
      [
        problem(place, { suggestion: "command" }),
        problem(undefined, { severity: "warning", suggestion: "x" }),
      ],
      { sources: () => "comand = 1", base: "/w" },
    );
    expect(text).toBe(`error[config/unknown-key] m
  --> c.toml:1:1
  |
1 | comand = 1
  | ^ did you mean \`command\`?
  = fix: f

warning[config/unknown-key] m
  did you mean \`x\`?
  fix: f

1 problem, 1 warning
`);
  });

  test("without the source the place still stands, and paths outside the base are whole", () => {
    const text = rendered([problem(place, { suggestion: "x" })], {
      sources: () => undefined,
      base: "/elsewhere",
    });
    expect(text).toContain("--> /w/c.toml:1:1\n  = did you mean `x`?\n  = fix: f");
  });

  test("colour only where it is asked for", () => {
    const options = { sources: () => undefined };
    expect(rendered([problem(place)], options, true)).toContain("\u001b[31merror");
    expect(rendered([problem(place)], options)).not.toContain("\u001b");
    expect(rendered([], options)).toBe("");
  });

  test("the same as data", () => {
    expect(
      problemsJson([problem(place, { suggestion: "s" }), problem(undefined, { severity: "warning" })]),
    ).toEqual({
      errors: 1,
      warnings: 1,
      problems: [
        {
          code: "config/unknown-key",
          severity: "error",
          message: "m",
          pointer: "/a",
          file: "/w/c.toml",
          line: 1,
          column: 1,
          end_line: 1,
          end_column: 2,
          suggestion: "s",
          fix: "f",
        },
        { code: "config/unknown-key", severity: "warning", message: "m", pointer: "/a", fix: "f" },
      ],
    });
  });
});
