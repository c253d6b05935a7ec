/** Texts of servers without paths outside the roots, in whatever form those stand there. */
import { expect, test } from "vitest";
import { redact } from "../../src/lsp/redact.js";

const roots = ["/work/a", "/home/me/my project"];

test.each([
  "file:/outside/CANARY",
  "FILE:///outside/CANARY",
  "file://host/outside/CANARY",
  "file%3A%2F%2F%2Foutside%2FCANARY",
  "at:/outside/CANARY",
  "x:/outside/CANARY",
  "--root=/outside/CANARY",
  "gcc -I/outside/CANARY",
  "#include </outside/CANARY>",
  "open /outside/my dir/CANARY failed",
  "open /outside/my own old CANARY.txt failed",
  'open "/outside/my CANARY" failed',
  '{"path":"\\/outside\\/CANARY"}',
  "/work/a/../CANARY",
  "/work/ab/CANARY",
  "file:///work/a/%2e%2e/CANARY",
  "jar:file:/outside/CANARY.jar!/x",
  "(/outside/CANARY:1:2)",
  "[/outside/CANARY]",
  "C:\\outside\\CANARY",
  "src/a.ts,/outside/CANARY",
])("%s", (text) => {
  expect(redact(text, roots)).not.toMatch(/CANARY|outside/);
});

test.each([
  ["error in /work/a/src/x.ts:3:4", "error in src/x.ts:3:4"],
  ["file:///work/a/b.ts is new", "b.ts is new"],
  ["/home/me/my project/src/a.ts: bad", "src/a.ts: bad"],
  ["'/work/a/b c.ts'", "'b c.ts'"],
  ["/work/a", "."],
  ["see https://example.org/a/b and/or </div>", "see https://example.org/a/b and/or </div>"],
  ["node:internal/modules:1", "node:internal/modules:1"],
  ["cannot read /outside/x: no such file", "cannot read <path>: no such file"],
])("%s stays of use", (text, told) => {
  expect(redact(text, roots)).toBe(told);
});

test("a long text takes no long time", () => {
  for (const text of [
    "/a ".repeat(20_000),
    "'/a".repeat(20_000),
    "\\/a".repeat(20_000),
    "/".repeat(60_000),
  ]) {
    const began = performance.now();
    redact(text, roots);
    expect(performance.now() - began).toBeLessThan(5_000);
  }
});
