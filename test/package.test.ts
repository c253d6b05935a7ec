/** What a fresh clone and an installed package need of `package.json` and the lock. */
import { existsSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

interface Locked {
  optionalDependencies?: { [name: string]: string };
  resolved?: string;
}

const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const locked: { [path: string]: Locked } = JSON.parse(readFileSync("package-lock.json", "utf8")).packages;

it("locks the packages of every platform, or npm ci refuses on a fresh clone", () => {
  const missing = Object.entries(locked).flatMap(([path, entry]) =>
    Object.keys(entry.optionalDependencies ?? {}).filter(
      (name) =>
        locked[`node_modules/${name}`] === undefined && locked[`${path}/node_modules/${name}`] === undefined,
    ),
  );
  expect(missing).toEqual([]);
});

it("names no registry", () => {
  expect(
    Object.entries(locked).filter(([path, entry]) => path !== "" && entry.resolved !== undefined),
  ).toEqual([]);
});

it("ships what the program reads", () => {
  expect(manifest.files).toEqual(expect.arrayContaining(["dist", "templates", "configs"]));
  expect(existsSync(manifest.bin["lsp-proxy"])).toBe(true);
  expect(readFileSync(manifest.bin["lsp-proxy"], "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
});
