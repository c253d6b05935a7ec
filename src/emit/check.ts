/** Compares a bundle with a folder and reports every stale, missing or foreign file. It writes nothing. */
import { join } from "node:path";
import { diffArrays } from "diff";
import { type Bundle, MANIFEST_FILE, MAX_FILE_BYTES } from "../abi/bundle.js";
import { type Code, codes } from "../base/codes.js";
import { readPlainFile } from "../base/guarded-open.js";
import { toPointer } from "../base/json.js";
import type { Problem } from "../base/problem.js";
import { exists, listFiles, manifestFile } from "./write.js";

/** How the folder differs from the bundle; empty if it is exactly the bundle. */
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
  if (!exists(full)) return [problem("bundle/missing", path, `${path} is missing.`)];
  const found = readPlainFile(full, MAX_FILE_BYTES);
  if (found === undefined) return [problem("bundle/foreign", path, `${path} is not a plain file.`)];
  if (found.equals(Buffer.from(text))) return [];
  const stale = problem("bundle/stale", path, `${path} is stale.`);
  // The manifest differs whenever another file does, so its diff says nothing new.
  if (path === MANIFEST_FILE) return [stale];
  return [{ ...stale, detail: shortDiff(found.toString("utf8"), text).split("\n") }];
}

function problem(code: Code, path: string, message: string): Problem {
  return { code, severity: "error", message, pointer: toPointer([path]), fix: codes[code].fix };
}

const CONTEXT_LINES = 2;
const SHOWN_LINES = 6;
/** More edits than this take long to compute, and their diff would not help anyone. */
const MAX_EDITS = 1000;

/** The first difference of two texts, `-` for old and `+` for new lines; empty if they are equal. */
export function shortDiff(before: string, after: string): string {
  const changes = diffArrays(before.split("\n"), after.split("\n"), { maxEditLength: MAX_EDITS });
  if (changes === undefined) return `@@ more than ${MAX_EDITS} changed lines @@`;
  const first = changes.findIndex(({ added, removed }) => added || removed);
  if (first < 0) return "";
  const common = changes[first - 1]?.value ?? [];
  const [one, two] = changes.slice(first);
  return [
    `@@ line ${common.length + 1} @@`,
    ...common.slice(-CONTEXT_LINES).map((line) => cutLine(` ${line}`)),
    ...[one, two].flatMap((change) => {
      if (change?.removed) return someLines(change.value, "-");
      return change?.added ? someLines(change.value, "+") : [];
    }),
  ].join("\n");
}

function someLines(lines: readonly string[], mark: string): string[] {
  const out = lines.slice(0, SHOWN_LINES).map((line) => cutLine(mark + line));
  if (lines.length > SHOWN_LINES) out.push(`${mark}… ${lines.length - SHOWN_LINES} more lines`);
  return out;
}

function cutLine(line: string): string {
  const characters = [...line];
  return characters.length > 160 ? `${characters.slice(0, 159).join("")}…` : line;
}
