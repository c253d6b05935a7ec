/** Words of a text: what an agent means by a place is the word that covers or touches it. */

const word = /[\p{L}\p{N}\p{M}_$]+/gu;

/** A word and where it begins, in UTF-16 units. */
export interface Word {
  start: number;
  text: string;
}

/** The word that covers or touches a column; of two that touch it, the first. */
export function wordAt(line: string, column: number): Word | undefined {
  for (const { index, 0: text } of line.matchAll(word)) {
    if (index <= column && column <= index + text.length) return { start: index, text };
  }
  return undefined;
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
