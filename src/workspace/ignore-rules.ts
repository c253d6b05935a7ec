/** The rules of one ignore file in git's syntax: parsed within bounds, and matched in the order of the file. */
import { compileGlob, type GlobBudget, GlobError, type GlobMatcher } from "../base/glob.js";
import { here, type Platform } from "../base/platform.js";

export interface IgnoreRule {
  /** `!name`: what matches is not ignored after all. */
  isNegated: boolean;
  /** `name/`: only folders match. */
  isForFolders: boolean;
  /** A rule without a slash matches names, in any folder; another one matches paths. */
  isForNames: boolean;
  matches: GlobMatcher;
}

/** Most rules that are used of one file. */
export const MAX_RULES = 10_000;

/** The steps of passing over a rule. */
const RULE_COST = 0.1;

/** The rules of an ignore file, and how many lines are no usable rules: too long, or more than the bound. */
export function parseIgnoreRules(
  text: string,
  platform: Platform = here,
): { rules: IgnoreRule[]; skipped: number } {
  const rules: IgnoreRule[] = [];
  let skipped = 0;
  for (const line of linesOf(text)) {
    const rule = rules.length < MAX_RULES ? parseRule(line, platform) : undefined;
    if (rule === undefined) skipped++;
    else rules.push(rule);
  }
  return { rules, skipped };
}

/** Whether the rules ignore a path; undefined when none matches. The last rule that matches decides. */
export function verdictOf(
  rules: readonly IgnoreRule[],
  path: string,
  isFolder: boolean,
  budget: GlobBudget,
): boolean | undefined {
  const name = path.slice(path.lastIndexOf("/") + 1);
  for (let index = rules.length - 1; index >= 0; index--) {
    const rule = rules[index];
    budget.spend(RULE_COST);
    if (rule === undefined || (rule.isForFolders && !isFolder)) continue;
    if (rule.matches(rule.isForNames ? name : path, budget)) return !rule.isNegated;
  }
  return undefined;
}

/** The lines that are neither empty nor comments, without line ends and the spaces before them. */
function* linesOf(text: string): Iterable<string> {
  for (const line of text.replace(/^\uFEFF/, "").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const trimmed = withoutLastSpaces(line.endsWith("\r") ? line.slice(0, -1) : line);
    if (trimmed !== "") yield trimmed;
  }
}

/** Spaces at the end do not count, except for one behind a backslash. */
function withoutLastSpaces(line: string): string {
  let end = line.length;
  while (end > 0 && line.charAt(end - 1) === " ") end--;
  if (end === line.length) return line;
  let slashes = 0;
  while (line.charAt(end - 1 - slashes) === "\\") slashes++;
  return line.slice(0, slashes % 2 === 0 ? end : end + 1);
}

/** Undefined for a rule that is over a bound. */
function parseRule(line: string, { ignoresCase }: Platform): IgnoreRule | undefined {
  const isNegated = line.startsWith("!");
  const whole = isNegated ? line.slice(1) : line;
  const isForFolders = whole.endsWith("/");
  const pattern = isForFolders ? whole.slice(0, -1) : whole;
  const isForNames = !pattern.includes("/");
  try {
    // Where the system ignores it, a repository's `core.ignorecase` is set.
    const matches = compileGlob(pattern.replace(/^\//, ""), { git: true, ignoreCase: ignoresCase });
    return { isNegated, isForFolders, isForNames, matches };
  } catch (error) {
    if (error instanceof GlobError) return undefined;
    throw error;
  }
}
