/** Compares a bundle with what is on disk: every stale, missing or foreign file is told, nothing is written. */
import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Bundle, MANIFEST_FILE } from "../abi/bundle.js";
import { type Code, codes } from "../base/codes.js";
import { toPointer } from "../base/pointer.js";
import type { Problem } from "../base/problem.js";
import { shortDiff } from "./diff.js";
import { exists, listFiles } from "./folder.js";
import { manifestFile } from "./write.js";

/** How the folder differs from the bundle; empty when it is exactly the bundle. */
export function checkBundle(bundle: Bundle, folder: string): Problem[] {
  if (!exists(join(folder, MANIFEST_FILE)))
    return [problem("bundle/missing", MANIFEST_FILE, `There is no bundle in ${folder}.`)];
  const files = [...bundle.files, manifestFile(bundle)];
  const expected = new Set(files.map((file) => file.path));
  const changed = files.flatMap((file) => checkFile(folder, file.path, file.text));
  const foreign = listFiles(folder)
    .filter((path) => !expected.has(path))
    .map((path) => problem("bundle/foreign", path, `${path} does not belong to the bundle.`));
  return [...changed, ...foreign];
}

function checkFile(folder: string, path: string, text: string): Problem[] {
  const full = join(folder, path);
  const stat = lstatSync(full, { throwIfNoEntry: false });
  if (!stat) return [problem("bundle/missing", path, `${path} is missing.`)];
  if (!stat.isFile()) return [problem("bundle/foreign", path, `${path} is not a plain file.`)];
  const found = readFileSync(full);
  if (found.equals(Buffer.from(text))) return [];
  const stale = problem("bundle/stale", path, `${path} is stale.`);
  // The manifest differs whenever a file does; only the file's own difference tells something.
  if (path === MANIFEST_FILE) return [stale];
  return [{ ...stale, detail: shortDiff(found.toString("utf8"), text).split("\n") }];
}

function problem(code: Code, path: string, message: string): Problem {
  return { code, severity: "error", message, pointer: toPointer([path]), fix: codes[code].fix };
}
