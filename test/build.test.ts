/** The build: the same bytes in every folder, licence notices of everything that is bundled, and nothing else in the package. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));
let top: string;
/** A copy of the sources, built, and what the build made there. */
let folder: string;
let built: { [path: string]: string };
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-build-")));
  folder = copyTo(join(top, "one"));
  built = build(folder);
}, 240_000);
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** A copy of the sources in a folder of another name and depth, with the packages of this repository. */
function copyTo(folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const name of [
    ".ci",
    "configs",
    "src",
    "templates",
    "package.json",
    "tsconfig.json",
    "README.md",
    "LICENSE",
  ])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  return folder;
}

function build(folder: string): { [path: string]: string } {
  execFileSync(process.execPath, [join(folder, ".ci", "build.mjs")], { cwd: folder, stdio: "pipe" });
  return digests(join(folder, "dist"));
}

/** Digest and permissions of each file. */
function digests(folder: string): { [path: string]: string } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    paths.map((path) => {
      const sum = createHash("sha256").update(readFileSync(path)).digest("hex");
      return [relative(folder, path), `${sum} ${(statSync(path).mode & 0o777).toString(8)}`];
    }),
  );
}

/** Name and version of each bundled package, from the paths that esbuild writes above each module. */
function bundledPackages(dist: string): string[] {
  const names = Object.keys(digests(dist)).filter((path) => path.startsWith("cli/") && path.endsWith(".js"));
  const folders = names.flatMap((path) =>
    Array.from(
      readFileSync(join(dist, path), "utf8").matchAll(
        /^\/\/ (node_modules\/(?:.*\/node_modules\/)?(?:@[^/\n]+\/)?[^/\n]+)\//gm,
      ),
      ([, folder = ""]) => folder,
    ),
  );
  return [...new Set(folders)].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));
    return `${name} ${version}`;
  });
}

it("gives the same bytes again, in another folder and over an earlier build", () => {
  expect(Object.keys(built).length).toBeGreaterThan(50);
  const another = copyTo(join(top, "another", "deep", "folder"));
  cpSync(join(folder, "dist"), join(another, "dist"), { recursive: true });
  writeFileSync(join(another, "dist", "cli", "left-over.js"), "");
  expect(build(another)).toEqual(built);
}, 240_000);

it("makes everything that the package has, and nothing is packed that it did not make", () => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", top], {
    cwd: folder,
    stdio: "pipe",
  });
  execFileSync("tar", ["-xzf", join(top, `${manifest.name}-${manifest.version}.tgz`), "-C", top]);
  const packed = digests(join(top, "package", "dist"));
  const bytesOf = (digest = "") => digest.split(" ")[0];
  // The tools of the build itself are left out.
  const published = Object.keys(built).filter((path) => !/^cli\/(print|precompile)\./.test(path));
  expect(Object.keys(packed)).toEqual(published);
  for (const path of published) expect(bytesOf(packed[path]), path).toBe(bytesOf(built[path]));
}, 240_000);

it("has the licence of every package whose code is bundled", () => {
  const text = readFileSync(join(folder, "dist", "THIRD_PARTY_NOTICES.txt"), "utf8");
  const sections = text.split(`\n${"-".repeat(80)}\n\n`).slice(1);
  const titles = sections.map((section) => section.split(" (")[0] ?? "");
  const packages = bundledPackages(join(folder, "dist"));
  expect(packages.length).toBeGreaterThan(15);
  expect(packages.filter((name) => !titles.includes(name))).toEqual([]);
  for (const section of sections) expect(section).toMatch(/copyright|licen[cs]e/i);
});
