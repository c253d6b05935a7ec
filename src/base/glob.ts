/**
 * Glob patterns. They come from repositories, configs and language servers, so matching must not backtrack: a pattern
 * is compiled to a small automaton whose states advance together over the path. That takes at most instructions ×
 * characters steps, and a GlobBudget limits the steps further.
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
import { folded } from "./paths.js";

export { GlobError };

interface GlobOptions {
  /** Whether letters match in either case, and with their accents as one character or as two. */
  ignoreCase?: boolean;
  /**
   * The rules of `.gitignore`: braces are plain, `a/**` does not match `a`,
   * and an open `[` or a last `\` matches nothing.
   */
  git?: boolean;
  /** The longest pattern that is accepted. */
  maxLength?: number;
}

/** Whether a path with forward slashes matches. Throws a GlobError when the budget is used up. */
export type GlobMatcher = (path: string, budget?: GlobBudget) => boolean;

/** Longer patterns are refused. No hand-written pattern is longer. */
export const MAX_GLOB_LENGTH = 1_000;
/** Most patterns of one list. */
const MAX_GLOBS = 1_000;
/** How many steps the match of one path may take, with all its patterns: some 10 ms. */
export const PATH_STEPS = 250_000;
/** How many steps matching may take without a pause, for all paths together: less than half a second. */
export const BATCH_STEPS = 5_000_000;
/** The bound on the steps of a list for all paths together, about a second. */
export const LIST_STEPS = 20_000_000;
/** Steps that the budget of a list gains with each path, about 20 µs. Twenty patterns with braces and `**` use a quarter. */
export const STEPS_GAINED_PER_PATH = 400;
/** The cost of a prefilter in steps, and of each character that it compares. */
const CHECK_COST = 0.3;
const CHARACTER_COST = 0.05;
/** The longest literal text that a prefilter searches for; this bounds its cost. */
const MAX_PLAIN = 8;
/** Only patterns this short are expanded, to at most this many patterns without braces. */
const MAX_EXPANDED_LENGTH = 200;
const MAX_EXPANDED = 16;
/** `Program.seen` holds numbers of rounds in 32 bits. */
const MAX_ROUNDS = 2 ** 31;

/** How many steps matching may still take. Matches of one piece of work share a budget. */
export class GlobBudget {
  #steps: number;

  constructor(steps = PATH_STEPS) {
    this.#steps = steps;
  }

  get steps(): number {
    return this.#steps;
  }

  get isSpent(): boolean {
    return this.#steps <= 0;
  }

  /** Throws a GlobError when so many steps are not left. */
  spend(steps: number): void {
    this.#steps -= steps;
    if (this.#steps < 0) throw new GlobError("matching takes too long");
  }

  /** Adds steps, up to a bound. */
  refill(steps: number, most: number): void {
    this.#steps = Math.min(Math.max(this.#steps, 0) + steps, most);
  }

  /** Runs a match with at most `most` of these steps, and takes off what it used. */
  lend<T>(most: number, match: (part: GlobBudget) => T): T {
    const part = new GlobBudget(Math.max(Math.min(most, this.#steps), 0));
    const lent = part.steps;
    try {
      return match(part);
    } finally {
      this.#steps -= lent - part.steps;
    }
  }
}

/** Compiles a pattern. Throws a GlobError for one that is too long, nested too deeply or in an unknown syntax. */
export function compileGlob(pattern: string, options: GlobOptions = {}): GlobMatcher {
  const { ignoreCase = false, maxLength = MAX_GLOB_LENGTH } = options;
  if (pattern.length > maxLength)
    throw new GlobError(`a glob has at most ${maxLength} characters, this one has ${pattern.length}`);
  if (!options.git) refuseOtherSyntax(pattern);
  const glob = ignoreCase ? folded(pattern) : pattern;
  const nameOf = (path: string) => (ignoreCase ? folded(path) : path);
  if (!/[*?[\]{}\\]/.test(glob))
    return (path, budget) => {
      budget?.spend(CHECK_COST);
      return nameOf(path) === glob;
    };
  const program = compileProgram(glob, options.git === true);
  const prefilters = (options.git ? [glob] : expandBraces(glob)).map((one) =>
    prefilterFor(one, options.git === true),
  );
  return (path, budget = new GlobBudget()) => {
    const name = nameOf(path);
    return prefilters.some((mayMatch) => mayMatch(name, budget)) && run(program, name, budget);
  };
}

/** A cheap check before the automaton runs: whether a path has the literal texts of a pattern. Most paths have not. */
function prefilterFor(glob: string, isGit: boolean): (name: string, budget: GlobBudget) => boolean {
  const head = literalPart(glob, 0, 1);
  const tail = literalPart(glob, glob.length - 1, -1);
  const plain = plainPart(glob, isGit);
  const cost = CHECK_COST + (head.length + tail.length) * CHARACTER_COST;
  return (name, budget) => {
    budget.spend(cost);
    if (!name.startsWith(head) || !name.endsWith(tail)) return false;
    budget.spend(name.length * CHARACTER_COST);
    return name.includes(plain);
  };
}

/**
 * A pattern with its braces expanded; unchanged when that gives too many, or when it has other brackets too.
 */
function expandBraces(glob: string): string[] {
  if (glob.length > MAX_EXPANDED_LENGTH || /[[\]\\]/.test(glob)) return [glob];
  let all = [glob];
  while (all.length <= MAX_EXPANDED) {
    const next = all.flatMap((one) => {
      const [group = "", inner = ""] = /\{([^{}]*)\}/.exec(one) ?? [];
      return group === "" ? [one] : inner.split(",").map((part) => one.replace(group, () => part));
    });
    if (next.length === all.length && next.every((one, index) => one === all[index])) return all;
    all = next;
  }
  return [glob];
}

/**
 * A list of patterns for any number of paths. All paths share a budget that grows with each path. Once slow patterns
 * have used it up, a path gets only its own share.
 */
export class GlobList {
  readonly #matchers: readonly GlobMatcher[];
  readonly #ignoreCase: boolean;
  readonly #budget = new GlobBudget(LIST_STEPS);

  /** Throws a GlobError for a pattern that cannot be used, and for too many. */
  constructor(patterns: readonly string[], { ignoreCase = false }: { ignoreCase?: boolean } = {}) {
    if (patterns.length > MAX_GLOBS)
      throw new GlobError(`there are at most ${MAX_GLOBS} globs in a list, here are ${patterns.length}`);
    this.#ignoreCase = ignoreCase;
    this.#matchers = patterns.map((pattern) => compileGlob(ignoreCase ? folded(pattern) : pattern));
  }

  /** The steps that are left for all paths. */
  get steps(): number {
    return this.#budget.steps;
  }

  /** Whether any pattern matches any of a file's names; undefined when that takes too long. */
  matches(...names: readonly string[]): boolean | undefined {
    const paths = this.#ignoreCase ? names.map(folded) : names;
    this.#budget.refill(STEPS_GAINED_PER_PATH, LIST_STEPS);
    try {
      return this.#budget.lend(PATH_STEPS, (budget) =>
        paths.some((path) => this.#matchers.some((matches) => matches(path, budget))),
      );
    } catch (error) {
      if (error instanceof GlobError) return undefined;
      throw error;
    }
  }
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

/** The start of the longest literal text that every match contains. Only the part before a brace or backslash is used. */
function plainPart(glob: string, isGit: boolean): string {
  // Sets with brackets or backslashes inside are not recognised here.
  const mayDropSets = !isGit && glob.length <= MAX_EXPANDED_LENGTH && !glob.includes("\\");
  const withoutSets = mayDropSets ? glob.replace(/\[[!^]?[^\]!^][^\]]*\]/g, "*") : glob;
  const [before = ""] = withoutSets.split(/[[{\\]/, 1);
  let longest = "";
  for (const part of before.split(/[*?/]+/)) {
    if (part.length > longest.length) longest = part;
  }
  return longest.slice(0, MAX_PLAIN);
}

/** Advances all states over the path at once. */
function run(program: Program, path: string, budget: GlobBudget): boolean {
  const { code, sets } = program;
  if (program.round > MAX_ROUNDS) {
    program.seen.fill(0);
    program.round = 0;
  }
  let current: number[] = [];
  let next: number[] = [];
  program.round++;
  addReachable(program, 0, current, budget);
  for (let at = 0; at < path.length && current.length > 0; at++) {
    const char = path.charCodeAt(at);
    program.round++;
    for (const index of current) {
      const argument = code[index + 1] ?? 0;
      const set = code[index] === SET ? sets[argument] : undefined;
      budget.spend(1 + (set?.ranges.length ?? 0));
      const isMatch = set === undefined ? matchesCharacter(code[index], argument, char) : isInSet(set, char);
      if (isMatch) addReachable(program, index + 2, next, budget);
    }
    [current, next] = [next, current];
    next.length = 0;
  }
  return current.some((index) => code[index] === MATCH);
}

function matchesCharacter(kind: number | undefined, argument: number, char: number): boolean {
  if (kind === CHARACTER) return char === argument;
  return kind === ANY || (kind === IN_SEGMENT && char !== SLASH);
}

function isInSet({ ranges, isNegated }: CharacterSet, char: number): boolean {
  if (char === SLASH) return false;
  for (let at = 0; at < ranges.length; at += 2)
    if ((ranges[at] ?? 0) <= char && char <= (ranges[at + 1] ?? 0)) return !isNegated;
  return isNegated;
}

/** Adds the instructions that consume a character or end the match and that `from` leads to without consuming one. */
function addReachable(program: Program, from: number, found: number[], budget: GlobBudget): void {
  const { code, seen, round } = program;
  for (let index = from; seen[index] !== round; ) {
    seen[index] = round;
    budget.spend(1);
    const kind = code[index];
    if (kind !== SPLIT && kind !== JUMP) {
      found.push(index);
      return;
    }
    if (kind === SPLIT) addReachable(program, index + 2, found, budget);
    index = code[index + 1] ?? 0;
  }
}
