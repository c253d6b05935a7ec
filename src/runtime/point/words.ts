/** Words of a text: an agent that points at a column means the word that covers or touches it. */

const word = /[\p{L}\p{N}\p{M}_$]+/gu;
const plain = /[A-Za-z0-9_$]/;

/** A word and where it begins, in UTF-16 units. */
interface Word {
  start: number;
  text: string;
}

/** The word that covers or touches a column; of two that touch it, the first. */
export function wordAt(line: string, column: number): Word | undefined {
  let start = column;
  let end = column;
  while (start > 0 && plain.test(line.charAt(start - 1))) start--;
  while (end < line.length && plain.test(line.charAt(end))) end++;
  // A character that is not ASCII may belong to the word; only then is the whole line split into words.
  if (line.charCodeAt(start - 1) > 0x7f || line.charCodeAt(end) > 0x7f) {
    for (const { index, 0: text } of line.matchAll(word))
      if (index <= column && column <= index + text.length) return { start: index, text };
    return undefined;
  }
  return start === end ? undefined : { start, text: line.slice(start, end) };
}

export function firstWord(line: string): Word | undefined {
  for (const { index, 0: text } of line.matchAll(word)) return { start: index, text };
  return undefined;
}

/** All words of a line. */
export function wordsOf(line: string): Word[] {
  return [...line.matchAll(word)].map(({ index, 0: text }) => ({ start: index, text }));
}

/** Whether a text is one word and nothing else. */
export function isWord(text: string): boolean {
  return /^[\p{L}\p{N}\p{M}_$]+$/u.test(text);
}

/** Finds texts that contain a word. */
export function hasWord(name: string): (text: string) => boolean {
  const escaped = name.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}\\p{M}_$])${escaped}(?![\\p{L}\\p{N}\\p{M}_$])`, "u");
  return (text) => text.includes(name) && pattern.test(text);
}
