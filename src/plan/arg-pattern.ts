/**
 * Checks the `pattern` of an argument. It is matched against texts of clients by a backtracking engine, so only patterns
 * are accepted for which the number of ways to match a text of `max_length` characters is small.
 */

/** Most ways to match. Each takes well under a microsecond. */
const mostWays = 1_000_000;

/** The pattern, and how far it was read. */
interface Reading {
  text: string;
  at: number;
  maxLength: number;
}

/** What a part of a pattern does. */
interface Part {
  /** In how many ways it can match. */
  ways: number;
  /** Whether every match is one fixed sequence of single characters. */
  isFixed: boolean;
}

class PatternError extends Error {}

/** Why a pattern cannot be used; undefined if it can. */
export function patternProblem(pattern: string, maxLength: number | null): string | undefined {
  try {
    new RegExp(pattern, "u");
  } catch {
    return "is not a regular expression";
  }
  if (maxLength === null) return "needs `max_length`";
  const reading: Reading = { text: pattern, at: 0, maxLength };
  try {
    const { ways } = readAlternatives(reading);
    // Without `^` a match is tried at each character.
    const starts = pattern.startsWith("^") && !/\|/.test(pattern) ? 1 : maxLength + 1;
    if (ways * starts > mostWays)
      return "could take too long to match; begin it with `^`, repeat less, or lower `max_length`";
    return undefined;
  } catch (error) {
    if (error instanceof PatternError) return error.message;
    throw error;
  }
}

function readAlternatives(reading: Reading): Part {
  const first = readSequence(reading);
  let { ways } = first;
  let isChoice = false;
  while (reading.text[reading.at] === "|") {
    reading.at++;
    ways += readSequence(reading).ways;
    isChoice = true;
  }
  return { ways, isFixed: first.isFixed && !isChoice };
}

function readSequence(reading: Reading): Part {
  const sequence: Part = { ways: 1, isFixed: true };
  while (reading.at < reading.text.length && !"|)".includes(reading.text[reading.at] ?? "")) {
    const atom = readAtom(reading);
    const times = readQuantifier(reading);
    if (times !== undefined && !atom.isFixed && times.most > 1)
      throw new PatternError("repeats a group that has a choice or a repetition in it");
    const choices = times === undefined ? 1 : Math.min(times.most, reading.maxLength) - times.least + 1;
    sequence.ways = Math.min(Number.MAX_SAFE_INTEGER, sequence.ways * atom.ways * Math.max(1, choices));
    sequence.isFixed &&= atom.isFixed && choices <= 1;
  }
  return sequence;
}

function readAtom(reading: Reading): Part {
  const { text, at } = reading;
  const fixed: Part = { ways: 1, isFixed: true };
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

function readQuantifier(reading: Reading): { least: number; most: number } | undefined {
  const found = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(reading.text.slice(reading.at));
  if (found === null) return undefined;
  const [whole, sign, least, comma, most] = found;
  reading.at += whole.length;
  if (sign === "?") return { least: 0, most: 1 };
  if (sign !== undefined) return { least: sign === "+" ? 1 : 0, most: Number.POSITIVE_INFINITY };
  if (comma === undefined) return { least: Number(least), most: Number(least) };
  return { least: Number(least), most: most === "" ? Number.POSITIVE_INFINITY : Number(most) };
}
