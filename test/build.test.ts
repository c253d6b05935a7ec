/** The build that these tests run: the same bytes in every folder, and licence notices of everything that is bundled. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { digests } from "./digests.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const dist = join(root, "dist");

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

/** Name and version of each bundled package, from the paths that esbuild writes above each module. */
function bundledPackages(): string[] {
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
  const built = digests(dist);
  expect(Object.keys(built).length).toBeGreaterThan(50);
  const top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-build-")));
  try {
    const another = copyTo(join(top, "another", "deep", "folder"));
    cpSync(dist, join(another, "dist"), { recursive: true });
    writeFileSync(join(another, "dist", "cli", "left-over.js"), "");
    expect(build(another), "`dist` is not what its sources give: npm run build").toEqual(built);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}, 240_000);

it("has the licence of every package whose code is bundled", () => {
  const text = readFileSync(join(dist, "THIRD_PARTY_NOTICES.txt"), "utf8");
  const sections = text.split(`\n${"-".repeat(80)}\n\n`).slice(1);
  const titles = sections.map((section) => section.split(" (")[0] ?? "");
  const packages = bundledPackages();
  expect(packages.length).toBeGreaterThan(15);
  expect(packages.filter((name) => !titles.includes(name))).toEqual([]);
  for (const section of sections) expect(section).toMatch(/copyright|licen[cs]e/i);
});
