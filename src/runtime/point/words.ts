/** Words of a text: an agent that points at a column means the word that covers or touches it. */

const word = /[\p{L}\p{N}\p{M}_$]+/gu;

/** A word and where it begins, in UTF-16 units. */
export interface Word {
  start: number;
  text: string;
}

/** The word that covers or touches a column; of two that touch it, the first. */
export function wordAt(line: string, column: number): Word | undefined {
  let [start, end] = [column, column];
  while (start > 0 && isPlain(line.charCodeAt(start - 1))) start--;
  while (end < line.length && isPlain(line.charCodeAt(end))) end++;
  // A character that is not ASCII may belong to the word.
  if (isOther(line.charCodeAt(start - 1)) || isOther(line.charCodeAt(end))) return anyWordAt(line, column);
  return start === end ? undefined : { start, text: line.slice(start, end) };
}

function anyWordAt(line: string, column: number): Word | undefined {
  for (const { index, 0: text } of line.matchAll(word)) {
    if (index <= column && column <= index + text.length) return { start: index, text };
  }
  return undefined;
}

/** Whether a character is an ASCII letter, digit, `_` or `$`. */
function isPlain(unit: number): boolean {
  const small = unit | 0x20;
  return (small >= 0x61 && small <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x5f || unit === 0x24;
}

function isOther(unit: number): boolean {
  return unit > 0x7f;
}

/** The first word of a line. */
export function firstWord(line: string): Word | undefined {
  for (const { index, 0: text } of line.matchAll(word)) return { start: index, text };
  return undefined;
}

/** Whether a text is one word and nothing else. */
export function isWord(text: string): boolean {
  return /^[\p{L}\p{N}\p{M}_$]+$/u.test(text);
}
