/**
 * Glob patterns, matched in linear time. Patterns come from repositories, configs and language servers, so matching
 * must not backtrack: a pattern is compiled to a small automaton whose states advance together over the path.
 * Syntax: `*`, `?`, `**` between slashes, `[a-z]`, `[!a]`, `{a,b}` and `\` before a character.
 */

import {
  ANY,
  CHARACTER,
  type CharacterSet,
  compileProgram,
  GlobError,
  IN_SEGMENT,
  JUMP,
  MATCH,
  type Program,
  SET,
  SLASH,
  SPLIT,
} from "./glob-program.js";

export { GlobError };

export interface GlobOptions {
  /** Whether letters match in either case. */
  ignoreCase?: boolean;
  /** The rules of `.gitignore`: braces are plain, `a/**` does not match `a`, and an open `[` or a last `\` matches nothing. */
  git?: boolean;
  /** The longest pattern that is accepted. */
  maxLength?: number;
  /** The verdict of a list for a path that takes too long; without it a GlobError is thrown. */
  whenTooLong?: boolean;
}

/** How many steps matching may still take. Matches that belong together share one. */
export interface GlobBudget {
  steps: number;
}

/** Whether a path with forward slashes matches. Throws a GlobError when the budget is used up. */
export type GlobMatcher = (path: string, budget?: GlobBudget) => boolean;

/** Longer patterns are refused: none that a person writes is. */
export const MAX_GLOB_LENGTH = 1_000;
/** Most patterns of one list. */
export const MAX_GLOBS = 1_000;
/** How many steps one path may take, with all patterns of a list: a few milliseconds. */
const MAX_STEPS = 500_000;
/** Rounds are counted in 32 bits. */
const MAX_ROUNDS = 2 ** 31;
/** Compiles a pattern. Throws a GlobError for one that is too long, nested too deeply or in an unknown syntax. */
export function compileGlob(pattern: string, options: GlobOptions = {}): GlobMatcher {
  const { ignoreCase = false, maxLength = MAX_GLOB_LENGTH } = options;
  if (pattern.length > maxLength)
    throw new GlobError(`a glob has at most ${maxLength} characters, this one has ${pattern.length}`);
  if (!options.git) refuseOtherSyntax(pattern);
  const glob = ignoreCase ? pattern.toLowerCase() : pattern;
  const nameOf = (path: string) => (ignoreCase ? path.toLowerCase() : path);
  if (!/[*?[\]{}\\]/.test(glob)) return (path) => nameOf(path) === glob;
  const program = compileProgram(glob, options.git === true);
  // Nearly every path differs at its start or its end from what a pattern spells out there.
  const head = literalPart(glob, 0, 1);
  const tail = literalPart(glob, glob.length - 1, -1);
  return (path, budget = { steps: MAX_STEPS }) => {
    const name = nameOf(path);
    return name.startsWith(head) && name.endsWith(tail) && run(program, name, budget);
  };
}

/** Compiles several patterns into one matcher; any of them may match. */
export function compileGlobs(patterns: readonly string[], options: GlobOptions = {}): GlobMatcher {
  if (patterns.length > MAX_GLOBS)
    throw new GlobError(`there are at most ${MAX_GLOBS} globs in a list, here are ${patterns.length}`);
  const matchers = patterns.map((pattern) => compileGlob(pattern, options));
  return (path, budget = { steps: MAX_STEPS }) => {
    try {
      return matchers.some((matches) => matches(path, budget));
    } catch (error) {
      if (options.whenTooLong === undefined || !(error instanceof GlobError)) throw error;
      return options.whenTooLong;
    }
  };
}

/** Why a pattern cannot be used; undefined for one that can. */
export function globProblem(pattern: string, options: GlobOptions = {}): string | undefined {
  try {
    compileGlob(pattern, options);
    return undefined;
  } catch (error) {
    if (error instanceof GlobError) return error.message;
    throw error;
  }
}

/** Other programs read these as more than plain characters. A pattern that would silently match less is refused. */
function refuseOtherSyntax(pattern: string): void {
  if (pattern.startsWith("!"))
    throw new GlobError("a glob cannot begin with `!`; write `\\!` for the character itself");
  if (/(?<!\\)[!?*+@]\(/.test(pattern))
    throw new GlobError("`?(`, `*(`, `+(`, `@(` and `!(` are not supported; write `{a,b}` for alternatives");
  if (/(?<!\\)\{[^{},/]{0,20}\.\.[^{},/]{0,20}\}/.test(pattern))
    throw new GlobError("`{a..b}` is not supported; write `[a-b]` or `{a,b}`");
}

/** The plain characters of the first or the last segment, up to the first that may be special. */
function literalPart(glob: string, from: number, step: 1 | -1): string {
  let end = from;
  while (end >= 0 && end < glob.length && !"*?[]{}\\,/".includes(glob.charAt(end))) end += step;
  return step === 1 ? glob.slice(0, end) : glob.slice(end + 1);
}

/** Advances all states over the path at once: instructions × characters at the most. */
function run(program: Program, path: string, budget: GlobBudget): boolean {
  const { code, sets } = program;
  if (program.round > MAX_ROUNDS) {
    program.seen.fill(0);
    program.round = 1;
  }
  let current: number[] = [];
  let next: number[] = [];
  reach(program, 0, current);
  for (let at = 0; at < path.length && current.length > 0; at++) {
    const char = path.charCodeAt(at);
    program.round++;
    for (const index of current) {
      const argument = code[index + 1] ?? 0;
      const set = code[index] === SET ? sets[argument] : undefined;
      budget.steps -= 1 + (set?.ranges.length ?? 0);
      if (budget.steps < 0) throw new GlobError("matching takes too long");
      const isRead = set === undefined ? reads(code[index], argument, char) : isInSet(set, char);
      if (isRead) reach(program, index + 2, next);
    }
    [current, next] = [next, current];
    next.length = 0;
  }
  program.round++;
  return current.some((index) => code[index] === MATCH);
}

function reads(kind: number | undefined, argument: number, char: number): boolean {
  if (kind === CHARACTER) return char === argument;
  return kind === ANY || (kind === IN_SEGMENT && char !== SLASH);
}

function isInSet({ ranges, isNegated }: CharacterSet, char: number): boolean {
  if (char === SLASH) return false;
  for (let at = 0; at < ranges.length; at += 2)
    if ((ranges[at] ?? 0) <= char && char <= (ranges[at + 1] ?? 0)) return !isNegated;
  return isNegated;
}

/** Adds the instructions that read a character or match, reached from one without reading. */
function reach(program: Program, from: number, found: number[]): void {
  const { code, seen, round } = program;
  for (let index = from; seen[index] !== round; ) {
    seen[index] = round;
    const kind = code[index];
    if (kind !== SPLIT && kind !== JUMP) {
      found.push(index);
      return;
    }
    if (kind === SPLIT) reach(program, index + 2, found);
    index = code[index + 1] ?? 0;
  }
}
