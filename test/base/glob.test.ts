/** Globs: the same verdicts as picomatch, and no pattern that takes long. What they cost is in `glob-cost.test.ts`. */
import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";
import { compileGlob, GlobBudget, GlobError, GlobList, globProblem } from "../../src/base/glob.js";

describe("a glob", () => {
  it.each([
    ["*.ts", "a.ts", true],
    ["*.ts", "a/b.ts", false],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "a/b/c.ts", true],
    ["a/**", "a", true],
    ["a/**", "a/b/c", true],
    ["a/**", "ab", false],
    ["a/**/b", "a/b", true],
    ["a/**/b", "a/x/y/b", true],
    ["**/.git/**", ".git", true],
    ["**/.git/**", "x/.git/config", true],
    ["**/.git/**", "x.git", false],
    ["**/**/a", "a", true],
    ["**", "a/b", true],
    ["a**b", "axxb", true],
    ["a**b", "ax/xb", false],
    ["?.c", "a.c", true],
    ["?.c", "/.c", false],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[!a-c]x", "dx", true],
    ["[]a]", "]", true],
    ["[a", "[a", true],
    ["*.{ts,tsx}", "a.tsx", true],
    ["*.{ts,j{s,sx}}", "a.jsx", true],
    ["{a,b", "{a,b", true],
    ["a\\*b", "a*b", true],
    ["a\\*b", "axb", false],
  ])("%s against %s: %s", (pattern, path, matches) => {
    expect(compileGlob(pattern)(path)).toBe(matches);
  });

  it("ignores case only when asked, and takes braces literally for git", () => {
    expect(compileGlob("A.TS", { ignoreCase: true })("a.ts")).toBe(true);
    expect(compileGlob("A.TS")("a.ts")).toBe(false);
    expect(compileGlob("{a,b}", { git: true })("{a,b}")).toBe(true);
    expect(new GlobList(["*.a", "*.b"]).matches("x.b")).toBe(true);
    expect(new GlobList(["*.A"], { ignoreCase: true }).matches("x", "X.a")).toBe(true);
  });

  it("has the same verdict as picomatch", () => {
    const piece = fc.constantFrom("a", "b", ".", "*", "?", "/", "**", "[ab]", "{a,b}", "/**/", "**/");
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 7 })
      .map((parts) => parts.join(""))
      // Picomatch has rules of its own for runs of stars, empty segments, patterns that begin like a path, and `/**`
      // behind a wildcard.
      .filter((text) => !/\*\*\*|\*\*[^/]|[^/]\*\*|\/\/|^[./]|\/$|\/\.|\{[^}]*\*|[*?\]}]\/\*\*$/.test(text));
    const segment = fc.array(fc.constantFrom("a", "b", "ab", ".a"), { minLength: 1, maxLength: 2 });
    const path = fc.array(
      segment.map((parts) => parts.join("")),
      { minLength: 1, maxLength: 4 },
    );
    fc.assert(
      fc.property(pattern, path, (glob, parts) => {
        const name = parts.join("/");
        expect([glob, name, compileGlob(glob)(name)]).toEqual([
          glob,
          name,
          picomatch.isMatch(name, glob, { dot: true }),
        ]);
      }),
      { numRuns: 5_000 },
    );
  });

  it("has the same verdict when it is too long to be looked into", () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      "ab",
      "{",
      "}",
      ",",
      "[",
      "]",
      "!",
      "^",
      "*",
      "?",
      "/",
      "{a,b}",
      "[!b]",
    );
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 9 })
      .map((parts) => parts.join(""))
      .filter((text) => !text.includes("**") && globProblem(text) === undefined);
    const name = fc.array(fc.constantFrom("a", "b", "/", "{", ",", "]"), { maxLength: 6 });
    fc.assert(
      fc.property(pattern, name, (glob, parts) => {
        const path = parts.join("");
        const long = `${glob}{,${"x".repeat(200)}}`;
        expect([glob, path, compileGlob(glob)(path)]).toEqual([glob, path, compileGlob(long)(path)]);
      }),
      { numRuns: 20_000 },
    );
  });

  it.each([
    [`${"a/**/".repeat(14)}b`, "a/".repeat(40)],
    [`**/${"*a".repeat(30)}b`, "a".repeat(4_000)],
    [`${"{a,b}".repeat(60)}c`, "ab".repeat(2_000)],
    ["*".repeat(1_000), "a".repeat(4_000)],
  ])("that would backtrack for ever is over at once: %s", (pattern, path) => {
    // Not timed: a matcher that backtracks would not come back at all.
    expect(compileGlob(pattern)(`${path}x`)).toBe(pattern === "*".repeat(1_000));
  });

  it("matches absolute paths, and names with line ends", () => {
    expect(compileGlob("**/*.ts")("/w/a.ts")).toBe(true);
    expect(compileGlob("/w/**/*.ts")("/w/x/a.ts")).toBe(true);
    expect(compileGlob("{/w,/v}/**")("/v/x/a.ts")).toBe(true);
    expect(compileGlob("**/secret*")("a/secret\nb")).toBe(true);
  });

  it.each(["!a", "!(a|b)", "a/+(b)", "x{1..3}"])(
    "in a syntax that it does not know is refused: %s",
    (pattern) => {
      expect(() => compileGlob(pattern)).toThrow(GlobError);
      expect(globProblem(pattern)).toMatch(/write/);
      expect(globProblem(pattern.replace(/[!+(){}]/g, "\\$&"))).toBeUndefined();
    },
  );

  it("uses no more steps than its budget, which matches share", () => {
    const slow = compileGlob(`${"*a".repeat(100)}[b]`);
    const budget = new GlobBudget(60_000);
    expect(slow("a".repeat(100), budget)).toBe(false);
    expect(budget.steps).toBeLessThan(30_000);
    expect(() => slow("a".repeat(100), budget)).toThrow(GlobError);
    expect(budget.isSpent).toBe(true);
    // A set costs what it has members: else a long one would be cheap.
    const set = new GlobBudget(10_000);
    expect(compileGlob(`*[${"x".repeat(900)}]`)("y".repeat(5), set)).toBe(false);
    expect(set.steps).toBeLessThan(2_000);
    // So does what is reached without reading a character.
    const braces = new GlobBudget(10_000);
    expect(() => compileGlob(`*${"{,}".repeat(300)}[b]`)("y".repeat(50), braces)).toThrow(GlobError);
  });

  it("that ran out of steps has the right verdict with more of them", () => {
    const matches = compileGlob("{a,b}*{c,d}*[e]");
    for (let steps = 1; steps < 60; steps++) {
      try {
        matches("axxdxxe", new GlobBudget(steps));
      } catch (error) {
        expect(error).toBeInstanceOf(GlobError);
      }
      expect([steps, matches("axxdxxe")]).toEqual([steps, true]);
    }
  });

  it.each([
    ["{{a}", "{a", true],
    ["{{{a,b}", "{{b", true],
    ["{a}}", "a}", true],
    ["\\{a,b}", "{a,b}", true],
    ["{a\\},b}", "a}", true],
    ["[[a", "[[a", true],
    ["[{a,b}", "[a", true],
    ["{[,]x,b}", ",x", true],
    ["**/ab*cd/**", "x/ab-cd/y", true],
    ["**/ab*cd/**", "x/abc/y", false],
  ])("with brackets that nothing closes: %s against %s: %s", (pattern, path, matches) => {
    expect(compileGlob(pattern)(path)).toBe(matches);
  });

  it("that is too long or too deep is refused", () => {
    expect(() => compileGlob("a".repeat(1_001))).toThrow(GlobError);
    expect(() => compileGlob(`${"{".repeat(20)}a${"}".repeat(20)}`)).toThrow(GlobError);
  });
});

describe("a list of globs", () => {
  it("has a bounded number of patterns", () => {
    expect(() => new GlobList(Array.from({ length: 1_001 }, () => "a"))).toThrow(GlobError);
  });

  it("has no verdict for paths that take too long, and continues with the others", () => {
    const list = new GlobList(Array.from({ length: 400 }, (_, n) => `**/${"*a".repeat(200)}[b${n}]`));
    const slow = "a".repeat(200);
    for (let n = 0; n < 200; n++) expect(list.matches(`${n}/${slow}`)).toBeUndefined();
    expect(list.matches("src/b.ts")).toBe(false);
    const usual = ["**/.git/**", "**/node_modules/**", "**/*.{pem,key}", "secret?/**", "**/[Dd]ist/**"];
    const many = new GlobList(Array.from({ length: 20 }, (_, n) => usual[n % usual.length] ?? ""));
    for (let n = 0; n < 3_000; n++)
      expect(many.matches(`packages/server/src/features/completion/providers/some-thing${n}.ts`)).toBe(false);
  });
});
