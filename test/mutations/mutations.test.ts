/** The list of mutations names lines that exist, so that `npm run mutations` breaks what it says. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

/** A line that keeps a rule, and the test that fails without it. */
interface Mutation {
  rule: string;
  file: string;
  line: string;
  broken: string;
  test: string;
}

const root = new URL("../..", import.meta.url);
const mutations: Mutation[] = JSON.parse(readFileSync(new URL("mutations.json", import.meta.url), "utf8"));

it.each(mutations)("breaks one line that exists: $rule", ({ file, line, test }) => {
  const text = readFileSync(new URL(`src/${file}`, root), "utf8");
  expect(text.split(line)).toHaveLength(2);
  expect(existsSync(new URL(`test/${test}.test.ts`, root))).toBe(true);
});
