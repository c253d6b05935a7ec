/**
 * Writes a bundle atomically: it is staged next to its folder and swapped in by rename. If the writer dies, the old or
 * the new bundle is complete, in its folder or next to it as `.NAME.old`. The loader reads it there and the next write
 * moves it back. Nothing is fsynced: a bundle torn by a power cut fails its hashes and can be generated again.
 */
import { type Dirent, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import {
  type Bundle,
  type BundleFile,
  MANIFEST_FILE,
  MAX_FILE_BYTES,
  replacedBundle,
} from "../abi/bundle.js";
import { lstatOf } from "../base/file-stamp.js";
import { readPlainFile } from "../base/guarded-open.js";
import { canonicalPretty, isTable } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { ConfigError } from "../base/problem.js";
import { hasCode } from "../base/system.js";

/** The steps of a write between which the disk changes. */
export type WriteStep = "recovered" | "checked" | "staging" | "staged" | "moved" | "swapped" | "done";

/** Writes a bundle to a folder. Throws a ConfigError if the folder may not be replaced. */
export function writeBundle(
  bundle: Bundle,
  folder: string,
  onStep: (step: WriteStep) => void = () => {},
): void {
  const { staging, old } = siblings(folder);
  try {
    makeFolders(dirname(folder));
    recover(folder);
    onStep("recovered");
    checkReplaceable(folder);
    onStep("checked");
    stage([...bundle.files, manifestFile(bundle)], staging, () => onStep("staging"));
    onStep("staged");
    if (exists(folder)) renameSync(folder, old);
    onStep("moved");
    renameSync(staging, folder);
    onStep("swapped");
    rmSync(old, { recursive: true, force: true });
    onStep("done");
  } catch (cause) {
    if (!hasCode(cause)) throw cause;
    throw unwritable(`${folder} cannot be written: ${cause.code}.`, cause);
  }
}

/** The manifest as a file of the bundle. */
export function manifestFile(bundle: Bundle): BundleFile {
  return { path: MANIFEST_FILE, text: canonicalPretty(bundle.manifest) };
}

/** Whether a path exists; a broken link counts. */
export function exists(path: string): boolean {
  return lstatOf(path) !== undefined;
}

/** The paths of all files and empty folders below a folder, sorted, with `/`. */
export function listFiles(folder: string): string[] {
  const walk = (prefix: string): string[] =>
    readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry: Dirent) => {
      const path = prefix === "" ? entry.name : `${prefix}/${entry.name}`;
      const below = entry.isDirectory() ? walk(path) : [];
      return below.length > 0 ? below : [path];
    });
  return sortedSet(walk(""));
}

/** Finishes or undoes an interrupted swap, and removes the staging folder of a dead writer. */
function recover(folder: string): void {
  const { staging, old } = siblings(folder);
  if (exists(old)) {
    if (exists(folder)) rmSync(old, { recursive: true, force: true });
    else renameSync(old, folder);
  }
  rmSync(staging, { recursive: true, force: true });
}

function siblings(folder: string): { staging: string; old: string } {
  const name = basename(folder);
  return { staging: join(dirname(folder), `.${name}.new`), old: join(dirname(folder), replacedBundle(name)) };
}

/** Only an absent or empty folder, or a bundle without foreign files, may be replaced. */
function checkReplaceable(folder: string): void {
  if (!exists(folder) || readdirSync(folder).length === 0) return;
  const known = manifestPaths(folder);
  if (!known) throw unwritable(`${folder} holds files and is not a bundle.`);
  const foreign = listFiles(folder).filter((path) => !known.includes(path));
  if (foreign.length > 0)
    throw unwritable(
      `${folder} holds ${foreign.slice(0, 5).join(", ")}, which the bundle there does not name.`,
    );
}

/** The paths in a folder's manifest, or undefined if it has no manifest of ours. */
function manifestPaths(folder: string): string[] | undefined {
  const content = readPlainFile(join(folder, MANIFEST_FILE), MAX_FILE_BYTES);
  if (content === undefined) return undefined;
  let manifest: unknown;
  try {
    manifest = JSON.parse(content.toString("utf8"));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (!isTable(manifest) || !isTable(manifest.files) || typeof manifest.bundle !== "string") return undefined;
  return [MANIFEST_FILE, ...Object.keys(manifest.files)];
}

/** Creates a folder and its parents. `mkdirSync` with `recursive` never returns below `/proc`. */
function makeFolders(folder: string): void {
  if (exists(folder)) return;
  makeFolders(dirname(folder));
  mkdirSync(folder);
}

function stage(files: readonly BundleFile[], staging: string, onFile: () => void): void {
  const folders = sortedSet(files.map((file) => dirname(join(staging, file.path))));
  for (const path of [staging, ...folders]) mkdirSync(path, { recursive: true });
  for (const file of files) {
    writeFileSync(join(staging, file.path), file.text, { flag: "wx", mode: 0o644 });
    onFile();
  }
}

function unwritable(message: string, cause?: unknown): ConfigError {
  const fix = "Choose an empty folder or an older bundle's folder.";
  const error = new ConfigError([
    { code: "bundle/unwritable", severity: "error", message, pointer: "", fix },
  ]);
  error.cause = cause;
  return error;
}
