/** The page about the security model names the tests that hold it; each of them is there. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("every test that docs/security-model.md names exists", () => {
  const text = readFileSync(new URL("../docs/security-model.md", import.meta.url), "utf8");
  const named = [...text.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path]) => path ?? "");
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([]);
});
