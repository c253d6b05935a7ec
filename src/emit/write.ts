/**
 * Writes a bundle as a whole: staged beside its place, then swapped in by rename. Whenever the writer dies, the old or the
 * new bundle is whole, at its place or beside it as `.NAME.old`: the loader reads it there, and the next write takes it
 * back. The disk is not waited for: what a power cut tears is refused by its hashes, and can be made again.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type Bundle, type BundleFile, MANIFEST_FILE, replacedBundle } from "../abi/bundle.js";
import { canonicalPretty } from "../base/json.js";
import { sortedSet } from "../base/order.js";
import { ConfigError } from "../base/problem.js";
import { exists, listFiles, makeFolders, manifestPaths } from "./folder.js";

/** The moments of a write between which the disk changes. */
export type WriteStep = "recovered" | "checked" | "staging" | "staged" | "moved" | "swapped" | "done";

/** Puts a bundle into a folder. Throws a ConfigError when the folder is not ours to replace. */
export function writeBundle(
  bundle: Bundle,
  folder: string,
  onStep: (step: WriteStep) => void = () => {},
): void {
  const { staging, old } = besides(folder);
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
    if (!isSystemError(cause)) throw cause;
    throw unwritable(`${folder} cannot be written: ${cause.code}.`, cause);
  }
}

/** The manifest as the last file of a bundle. */
export function manifestFile(bundle: Bundle): BundleFile {
  return { path: MANIFEST_FILE, text: canonicalPretty(bundle.manifest) };
}

/** Finishes or undoes a swap that was cut short, and clears what a dead writer left. */
function recover(folder: string): void {
  const { staging, old } = besides(folder);
  if (exists(old)) {
    if (exists(folder)) rmSync(old, { recursive: true, force: true });
    else renameSync(old, folder);
  }
  rmSync(staging, { recursive: true, force: true });
}

function besides(folder: string): { staging: string; old: string } {
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

function stage(files: readonly BundleFile[], staging: string, onFile: () => void): void {
  const folders = sortedSet(files.map((file) => dirname(join(staging, file.path))));
  for (const path of [staging, ...folders]) mkdirSync(path, { recursive: true });
  for (const file of files) {
    writeFileSync(join(staging, file.path), file.text, { flag: "wx", mode: 0o644 });
    onFile();
  }
}

function unwritable(message: string, cause?: unknown): ConfigError {
  const error = new ConfigError([
    {
      code: "bundle/unwritable",
      severity: "error",
      message,
      pointer: "",
      fix: "Choose an empty folder or an older bundle's folder.",
    },
  ]);
  error.cause = cause;
  return error;
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && typeof error.code === "string" && "syscall" in error;
}
