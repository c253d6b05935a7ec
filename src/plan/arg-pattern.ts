/**
 * Checks the `pattern` of an argument. It is matched against texts of clients by a backtracking engine, so only
 * patterns are accepted that need few steps for any text of `max_length` characters.
 */

/** Most steps for all texts of a call. A step compares one character; it takes some nanoseconds. */
const mostSteps = 20_000_000;

/** The pattern, and how far it was read. */
interface PatternCursor {
  text: string;
  at: number;
  maxLength: number;
}

/** The facts of a part of a pattern. */
interface PatternCost {
  /** In how many ways it can match. */
  ways: number;
  /** How many characters are compared to try all of them. */
  steps: number;
  /** Whether every match is one fixed sequence of single characters. */
  isFixed: boolean;
}

class PatternError extends Error {}

/** Why a pattern cannot be used; undefined if it can. A call matches it against `texts` texts at most. */
export function patternProblem(pattern: string, maxLength: number | null, texts = 1): string | undefined {
  try {
    new RegExp(pattern, "u");
  } catch {
    return "is not a regular expression";
  }
  if (maxLength === null) return "needs `max_length`";
  const reading: PatternCursor = { text: pattern, at: 0, maxLength };
  try {
    const { steps } = readAlternatives(reading);
    // Without `^` a match is tried at each character.
    const starts = pattern.startsWith("^") && !/\|/.test(pattern) ? 1 : maxLength + 1;
    if (steps * starts * texts > mostSteps)
      return "could take too long to match; begin it with `^`, repeat less, or lower `max_length` or `max_items`";
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

function readAlternatives(reading: PatternCursor): PatternCost {
  const first = readSequence(reading);
  let { ways, steps } = first;
  let isChoice = false;
  while (reading.text[reading.at] === "|") {
    reading.at++;
    const next = readSequence(reading);
    ways += next.ways;
    steps += next.steps;
    isChoice = true;
  }
  return { ways, steps, isFixed: first.isFixed && !isChoice };
}

function readSequence(reading: PatternCursor): PatternCost {
  const sequence: PatternCost = { ways: 1, steps: 0, isFixed: true };
  while (reading.at < reading.text.length && !"|)".includes(reading.text[reading.at] ?? "")) {
    const atom = readAtom(reading);
    const times = readQuantifier(reading);
    if (times !== undefined && !atom.isFixed && times.most > 1)
      throw new PatternError("repeats a group that has a choice or a repetition in it");
    const most = Math.min(times?.most ?? 1, reading.maxLength + 1);
    const choices = times === undefined ? 1 : most - times.least + 1;
    // Each way to match what comes before tries this part again.
    sequence.steps += sequence.ways * atom.steps * Math.max(1, most);
    sequence.ways = Math.min(Number.MAX_SAFE_INTEGER, sequence.ways * atom.ways * Math.max(1, choices));
    sequence.isFixed &&= atom.isFixed && choices <= 1;
  }
  return sequence;
}

function readAtom(reading: PatternCursor): PatternCost {
  const { text, at } = reading;
  const fixed: PatternCost = { ways: 1, steps: 1, isFixed: true };
  if (text[at] === "(") {
    const head = /^\((?!\?)|^\(\?:/.exec(text.slice(at))?.[0];
    if (head === undefined) throw new PatternError("has lookaround or a named group");
    reading.at += head.length;
    const inner = readAlternatives(reading);
    reading.at++;
    return inner;
  }
  const [whole = text[at] ?? ""] =
    /^\[(?:\\.|[^\]\\])*\]|^\\p\{[^}]*\}|^\\u\{[^}]*\}|^\\u[0-9a-f]{4}|^\\x[0-9a-f]{2}|^\\./is.exec(
      text.slice(at),
    ) ?? [];
  if (/^\\(?:[1-9]|k)/.test(whole)) throw new PatternError("has a backreference");
  reading.at += whole.length;
  return fixed;
}

function readQuantifier(reading: PatternCursor): { least: number; most: number } | undefined {
  const found = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(reading.text.slice(reading.at));
  if (found === null) return undefined;
  const [whole, sign, least, comma, most] = found;
  reading.at += whole.length;
  if (sign === "?") return { least: 0, most: 1 };
  if (sign !== undefined) return { least: sign === "+" ? 1 : 0, most: Number.POSITIVE_INFINITY };
  if (comma === undefined) return { least: Number(least), most: Number(least) };
  return { least: Number(least), most: most === "" ? Number.POSITIVE_INFINITY : Number(most) };
}
