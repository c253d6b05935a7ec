/** A bundle's folder on disk, as it is: every file below it, and whether it is a bundle at all. */
import { type Dirent, lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { MANIFEST_FILE } from "../abi/bundle.js";
import { isTable } from "../base/json.js";
import { sortedSet } from "../base/order.js";

/** Whether anything stands at a path; a broken link counts. */
export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The paths of everything below a folder that is not a folder with something in it, sorted, with `/`. */
export function listFiles(folder: string): string[] {
  const walk = (prefix: string): string[] =>
    readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry: Dirent) => {
      const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      const below = entry.isDirectory() ? walk(path) : [];
      return below.length > 0 ? below : [path];
    });
  return sortedSet(walk(""));
}

/** Makes a folder and those above it. One by one: Node's own recursive way never returns below `/proc`. */
export function makeFolders(folder: string): void {
  if (exists(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder);
}

/** The paths that a folder's manifest names, or undefined when it has no manifest of ours. */
export function manifestPaths(folder: string): string[] | undefined {
  const path = join(folder, MANIFEST_FILE);
  if (!lstatSync(path, { throwIfNoEntry: false })?.isFile()) return undefined;
  let manifest: unknown;
  try {
    manifest = JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isTable(manifest) || !isTable(manifest.files) || typeof manifest.bundle !== "string") return undefined;
  return sortedSet([MANIFEST_FILE, ...Object.keys(manifest.files)]);
}
