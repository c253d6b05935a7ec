/**
 * The globs that a server gives: of document selectors, file watchers and file operations. They are matched within a
 * budget of steps. One that cannot be used matches nothing, and a warning names it.
 */
import { relative } from "node:path";
import { LRUCache } from "lru-cache";
import type { RelativePattern, WorkspaceFolder } from "vscode-languageserver-protocol";
import { compileGlob, type GlobBudget, GlobError, type GlobMatcher, globProblem } from "../base/glob.js";
import { fieldsOf, isTable, itemsOf } from "../base/json.js";
import { isInside, pathOfUri, slashed } from "../base/paths.js";

/** Some servers list all their folders in one pattern. */
const MAX_LENGTH = 4_000;
/** The steps of compiling a pattern, for each of its characters. */
const COMPILE_COST = 4;
/** The steps of finding a compiled pattern. */
const FIND_COST = 10;

/** The compiled patterns, where case counts and where it does not; how much they take goes by their characters. */
const compiled = [matcherCache(), matcherCache()] as const;

function matcherCache() {
  const maxSize = 1_000_000;
  return new LRUCache<string, GlobMatcher>({
    max: 1_000,
    maxSize,
    sizeCalculation: (_, glob) => glob.length + 1,
  });
}

/**
 * Whether an LSP glob (a text, or a pattern relative to a folder) matches a file. Throws a GlobError past the budget.
 */
export function matchesGlob(glob: unknown, path: string, budget: GlobBudget, ignoreCase = false): boolean {
  budget.spend(1);
  if (typeof glob === "string") return globTest(glob, path, budget, ignoreCase);
  const { pattern, baseUri } = fieldsOf<RelativePattern>(glob);
  const uri = isTable(baseUri) ? fieldsOf<WorkspaceFolder>(baseUri).uri : baseUri;
  if (typeof pattern !== "string" || typeof uri !== "string") return false;
  budget.spend(FIND_COST + uri.length);
  const base = pathOfUri(uri);
  if (base === undefined || !isInside(path, base)) return false;
  return globTest(pattern, relative(base, path), budget, ignoreCase);
}

/** The verdict of a match for one file of a message. Past the budget every remaining file counts as matching. */
export function matchesOrTooLong(budget: GlobBudget, match: () => boolean): boolean {
  try {
    return budget.isSpent || match();
  } catch (error) {
    if (error instanceof GlobError) return true;
    throw error;
  }
}

function globTest(glob: string, path: string, budget: GlobBudget, ignoreCase: boolean): boolean {
  const test = usableMatcher(glob, budget, ignoreCase);
  const whole = slashed(path);
  if (test(whole, budget)) return true;
  return !glob.includes("/") && test(whole.slice(whole.lastIndexOf("/") + 1), budget);
}

/** A pattern that cannot be used matches nothing. */
function usableMatcher(glob: string, budget: GlobBudget, ignoreCase: boolean): GlobMatcher {
  budget.spend(FIND_COST);
  if (glob.length > MAX_LENGTH) return matchesNothing;
  const cache = compiled[ignoreCase ? 1 : 0];
  const known = cache.get(glob);
  if (known !== undefined) return known;
  budget.spend(glob.length * COMPILE_COST);
  const isUsable = globProblem(glob, { maxLength: MAX_LENGTH }) === undefined;
  const matcher = isUsable ? compileGlob(glob, { maxLength: MAX_LENGTH, ignoreCase }) : matchesNothing;
  cache.set(glob, matcher);
  return matcher;
}

const matchesNothing: GlobMatcher = () => false;

/** Why a glob of a registration cannot be used: the first such reason. Throws a GlobError past the budget. */
export function registrationProblem(options: unknown, budget: GlobBudget): string | undefined {
  for (const glob of globsOf(options)) {
    budget.spend(1);
    const text = isTable(glob) ? glob.pattern : glob;
    if (typeof text !== "string") continue;
    const isUnusable = usableMatcher(text, budget, false) === matchesNothing;
    if (isUnusable) return globProblem(text, { maxLength: MAX_LENGTH });
  }
  return undefined;
}

/** The globs of document selectors, file watchers and file operations. */
function* globsOf(options: unknown): Iterable<unknown> {
  if (!isTable(options)) return;
  for (const filter of itemsOf(options.documentSelector)) yield isTable(filter) && filter.pattern;
  for (const watcher of itemsOf(options.watchers)) yield isTable(watcher) && watcher.globPattern;
  for (const filter of itemsOf(options.filters))
    yield isTable(filter) && isTable(filter.pattern) && filter.pattern.glob;
}
