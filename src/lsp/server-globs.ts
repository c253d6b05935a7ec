/**
 * The globs that a server gives: of document selectors, file watchers and file operations. They are matched within a
 * budget of steps. One that cannot be used matches nothing, and a warning names it.
 */
import { basename, relative } from "node:path";
import { LRUCache } from "lru-cache";
import type { RelativePattern, WorkspaceFolder } from "vscode-languageserver-protocol";
import { compileGlob, type GlobBudget, GlobError, type GlobMatcher, globProblem } from "../base/glob.js";
import { fieldsOf, isTable, itemsOf } from "../base/json.js";
import { isInside, pathOfUri, slashed } from "../base/paths.js";

/** Some servers list all their folders in one pattern. */
const MAX_LENGTH = 4_000;
/** How many patterns of a registration are checked. */
const MAX_CHECKED = 1_000;

const compiled = new LRUCache<string, GlobMatcher>({
  max: 1_000,
  memoMethod: (glob) => {
    const isUsable = globProblem(glob, { maxLength: MAX_LENGTH }) === undefined;
    return isUsable ? compileGlob(glob, { maxLength: MAX_LENGTH }) : () => false;
  },
});

/** Whether an LSP glob (a text, or a pattern relative to a folder) matches a file. Throws a GlobError as `compileGlob`. */
export function matchesGlob(glob: unknown, path: string, budget: GlobBudget): boolean {
  if (typeof glob === "string") return globTest(glob, path, budget);
  const { pattern, baseUri } = fieldsOf<RelativePattern>(glob);
  const base = pathOfUri(isTable(baseUri) ? fieldsOf<WorkspaceFolder>(baseUri).uri : baseUri);
  if (typeof pattern !== "string" || base === undefined) return false;
  return isInside(path, base) && globTest(pattern, relative(base, path), budget);
}

function globTest(glob: string, path: string, budget: GlobBudget): boolean {
  if (--budget.steps < 0) throw new GlobError("matching takes too long");
  const test = compiled.memo(glob);
  return test(slashed(path), budget) || (!glob.includes("/") && test(basename(path), budget));
}

/** Why globs of a registration cannot be used. */
export function registrationProblems(options: unknown): string[] {
  if (!isTable(options)) return [];
  const selector = itemsOf(options.documentSelector).map((filter) => isTable(filter) && filter.pattern);
  const watchers = itemsOf(options.watchers).map((watcher) => isTable(watcher) && watcher.globPattern);
  const filters = itemsOf(options.filters).map(
    (filter) => isTable(filter) && isTable(filter.pattern) && filter.pattern.glob,
  );
  return [...selector, ...watchers, ...filters].slice(0, MAX_CHECKED).flatMap((glob) => {
    const text = isTable(glob) ? glob.pattern : glob;
    const why = typeof text === "string" ? globProblem(text, { maxLength: MAX_LENGTH }) : undefined;
    return why ?? [];
  });
}
