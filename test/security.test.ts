/** The security model, which docs/security.md links to, names the tests that hold it; each of them is there. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

it("every test that docs/security.md names exists", () => {
  const texts = ["security.md", "security-model.md"].map((page) =>
    readFileSync(new URL(`../docs/${page}`, import.meta.url), "utf8"),
  );
  const named = [...texts.join("\n").matchAll(/`(test\/[\w./-]+)`/g)].map(([, path]) => path ?? "");
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([]);
});
