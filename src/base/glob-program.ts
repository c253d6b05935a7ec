/**
 * Compiles a glob to the instructions of an automaton, which `glob.ts` runs. Patterns may be untrusted: compiling looks
 * at each character a fixed number of times.
 */

/** A pattern that cannot be used, or one that takes too long; the message says why. */
export class GlobError extends Error {}

/** Most braces within braces. */
const MAX_DEPTH = 8;
export const SLASH = 47;

/** The instructions: a number for each, and an argument. The first four read a character. */
export const CHARACTER = 0;
/** Reads a character that is in the set with this index. */
export const SET = 1;
/** Reads any character but a slash. */
export const IN_SEGMENT = 2;
export const ANY = 3;
/** Continues at the next instruction and at another. */
export const SPLIT = 4;
export const JUMP = 5;
export const MATCH = 6;

export interface CharacterSet {
  /** The first and the last character of each range. */
  readonly ranges: readonly number[];
  readonly isNegated: boolean;
}

/** A set without any character. */
const NOTHING: CharacterSet = { ranges: [], isNegated: false };

export interface Program {
  /** Each instruction with its argument behind it. */
  readonly code: Int32Array;
  readonly sets: readonly CharacterSet[];
  /** The round in which each instruction was last reached, and the number of the last one. */
  readonly seen: Uint32Array;
  round: number;
}

/** Throws a GlobError for a pattern that is nested too deeply. */
export function compileProgram(pattern: string, isGit: boolean): Program {
  return new Compiler(pattern, isGit).compile();
}

/** Translates a pattern, character by character, to instructions. */
class Compiler {
  readonly #code: number[] = [];
  readonly #sets: CharacterSet[] = [];
  /** Where the braces are that another one closes. The others are plain characters. */
  readonly #closedBraces: ReadonlySet<number>;
  /** Whether a `[` was found that nothing closes. */
  #isSetOpen = false;
  #at = 0;

  constructor(
    private readonly pattern: string,
    private readonly isGit: boolean,
  ) {
    this.#closedBraces = isGit ? new Set() : closedBraces(pattern);
  }

  compile(): Program {
    this.#sequence(0);
    this.#add(MATCH);
    const code = Int32Array.from(this.#code);
    return { code, sets: this.#sets, seen: new Uint32Array(code.length), round: 0 };
  }

  /** A run of characters; inside braces it ends at a comma or the closing brace. */
  #sequence(depth: number): void {
    while (this.#at < this.pattern.length) {
      const char = this.pattern.charAt(this.#at);
      if (depth > 0 && (char === "," || char === "}")) return;
      if (this.#globstar()) continue;
      this.#at++;
      if (char === "*") this.#stars();
      else if (char === "?") this.#add(IN_SEGMENT);
      else if (char === "[") this.#set();
      else if (this.#closedBraces.has(this.#at - 1)) this.#alternatives(depth + 1);
      else if (char === "\\") this.#escaped();
      else this.#literal(char);
    }
  }

  #add(instruction: number, argument = 0): number {
    return this.#code.push(instruction, argument) - 2;
  }

  #literal(char: string): void {
    this.#add(CHARACTER, char.charCodeAt(0));
  }

  #escaped(): void {
    if (this.#at < this.pattern.length) this.#literal(this.pattern.charAt(this.#at++));
    else if (this.isGit) this.#matchNothing();
    else this.#literal("\\");
  }

  /** Several stars in a row are one: more would only be more states. */
  #stars(): void {
    while (this.pattern.charAt(this.#at) === "*" && !this.#isGlobstarAt(this.#at)) this.#at++;
    this.#repeat(IN_SEGMENT);
  }

  #repeat(instruction: typeof IN_SEGMENT | typeof ANY): void {
    const split = this.#add(SPLIT);
    this.#add(instruction);
    this.#add(JUMP, split);
    this.#code[split + 1] = this.#code.length;
  }

  #isGlobstarAt(at: number): boolean {
    return (at === 0 || this.pattern.charAt(at - 1) === "/") && this.pattern.startsWith("**", at);
  }

  // `**` as a whole segment; several in a row are one. The instructions of each case, as regular expressions:
  //   `**`      .*
  //   `**/y`    ([^/]*/)*y
  //   `x/**`    x(/.*)?        for git x/.*
  //   `x/**/y`  x/([^/]*/)*y
  #globstar(): boolean {
    if (this.pattern.charAt(this.#at) === "/" && this.#at > 0) return this.#lastGlobstar();
    const end = this.#endOfGlobstars(this.#at);
    if (end === undefined) return false;
    if (end === this.pattern.length) {
      this.#repeat(ANY);
      this.#at = end;
    } else {
      this.#folders();
      this.#at = end + 1;
    }
    return true;
  }

  /** `/**` at the end of the pattern. `a/**` matches `a` too, so the slash is optional; not for git. */
  #lastGlobstar(): boolean {
    if (this.#endOfGlobstars(this.#at + 1) !== this.pattern.length) return false;
    const split = this.isGit ? undefined : this.#add(SPLIT);
    this.#literal("/");
    this.#repeat(ANY);
    if (split !== undefined) this.#code[split + 1] = this.#code.length;
    this.#at = this.pattern.length;
    return true;
  }

  /** The end of the last of the `**` segments that begin here, before its slash; undefined when none begins here. */
  #endOfGlobstars(from: number): number | undefined {
    let end: number | undefined;
    for (let at = from; this.#isGlobstarAt(at); at++) {
      while (this.pattern.charAt(at) === "*") at++;
      if (at < this.pattern.length && this.pattern.charAt(at) !== "/") break;
      end = at;
    }
    return end;
  }

  /** Zero or more folders: `(segment "/")*`. The first segment of an absolute path is empty. */
  #folders(): void {
    const split = this.#add(SPLIT);
    this.#repeat(IN_SEGMENT);
    this.#literal("/");
    this.#add(JUMP, split);
    this.#code[split + 1] = this.#code.length;
  }

  /** `[a-z]`; without a closing bracket the `[` is a plain character, and for git a pattern that matches nothing. */
  #set(): void {
    const found = this.#isSetOpen ? undefined : parseSet(this.pattern, this.#at, this.isGit);
    if (found !== undefined) {
      this.#at = found.end;
      this.#addSet(found.set);
    } else if (this.isGit) this.#matchNothing();
    else {
      // Nothing behind it closes a later one either.
      this.#isSetOpen = true;
      this.#literal("[");
    }
  }

  /** The rest of the pattern has no meaning: nothing gets there. */
  #matchNothing(): void {
    this.#addSet(NOTHING);
    this.#at = this.pattern.length;
  }

  #addSet(set: CharacterSet): void {
    this.#add(SET, this.#sets.push(set) - 1);
  }

  /** `{a,b}`: splits to each alternative; each alternative continues behind the last. */
  #alternatives(depth: number): void {
    if (depth > MAX_DEPTH) throw new GlobError(`a glob has at most ${MAX_DEPTH} braces within braces`);
    const ends: number[] = [];
    for (;;) {
      const split = this.#add(SPLIT);
      this.#sequence(depth);
      const isLast = this.pattern.charAt(this.#at++) !== ",";
      ends.push(this.#add(JUMP));
      // The last alternative has no successor, so both branches enter it.
      this.#code[split + 1] = isLast ? split + 2 : this.#code.length;
      if (isLast) break;
    }
    for (const end of ends) this.#code[end + 1] = this.#code.length;
  }
}

/** Where the opening braces are that are closed later. */
function closedBraces(pattern: string): Set<number> {
  const closed = new Set<number>();
  const open: number[] = [];
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern.charAt(at);
    if (char === "\\") at++;
    else if (char === "{") open.push(at);
    else if (char === "}") {
      const start = open.pop();
      if (start !== undefined) closed.add(start);
    }
  }
  return closed;
}

/** The classes of POSIX, which git knows inside a set: `[[:alpha:]_]`. Each is a list of ranges. */
const classes: { readonly [name: string]: string } = {
  alnum: "09AZaz",
  alpha: "AZaz",
  blank: "  \t\t",
  cntrl: "\0\x1f\x7f\x7f",
  digit: "09",
  graph: "!~",
  lower: "az",
  print: " ~",
  punct: "!/:@[`{~",
  space: "\t\r  ",
  upper: "AZ",
  xdigit: "09AFaf",
};

/** The set that begins here, behind its `[`, and where it ends; undefined when it is not closed or not valid. */
function parseSet(
  pattern: string,
  from: number,
  isGit: boolean,
): { set: CharacterSet; end: number } | undefined {
  const isNegated = pattern.charAt(from) === "!" || pattern.charAt(from) === "^";
  const start = isNegated ? from + 1 : from;
  const ranges: number[] = [];
  let at = start;
  /** The first `]` that may end a class which begins here; -1 when there is none. */
  let close = 0;
  const character = (): number => {
    if (pattern.charAt(at) === "\\") at++;
    return pattern.charCodeAt(at++);
  };
  while (at < pattern.length) {
    if (pattern.charAt(at) === "]" && at > start) return { set: { ranges, isNegated }, end: at + 1 };
    const isClass = isGit && pattern.startsWith("[:", at);
    // It is searched for only behind the last one: each character is looked at once.
    if (isClass && close >= 0 && close < at + 3) close = pattern.indexOf("]", at + 3);
    if (isClass && close > 0 && pattern.charAt(close - 1) === ":") {
      const name = pattern.slice(at + 2, close - 1);
      const members = Object.hasOwn(classes, name) ? classes[name] : undefined;
      if (members === undefined) return undefined;
      for (let index = 0; index < members.length; index++) ranges.push(members.charCodeAt(index));
      at = close + 1;
      continue;
    }
    const first = character();
    const isRange = pattern.charAt(at) === "-" && at + 1 < pattern.length && pattern.charAt(at + 1) !== "]";
    if (isRange) at++;
    ranges.push(first, isRange ? character() : first);
  }
  return undefined;
}
