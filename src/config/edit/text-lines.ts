/** Helpers for editing a text by offsets: line starts and ends, indentation, line breaks. */

export function lineBreak(text: string): "\r\n" | "\n" {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

export function startOfLine(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** The end of the line of an offset, before its line break. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  if (end < 0) return text.length;
  return text[end - 1] === "\r" && end > offset ? end - 1 : end;
}

export function nextLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(startOfLine(text, offset)))?.[0] ?? "";
}

export function beginsLine(text: string, offset: number): boolean {
  return text.slice(startOfLine(text, offset), offset).trim() === "";
}

/** The start of the wanted lines right above the line at an offset. */
export function startOfLinesAbove(
  text: string,
  line: number,
  isWanted: (from: number, to: number) => boolean,
): number {
  let from = line;
  while (from > 0 && isWanted(startOfLine(text, from - 1), from)) from = startOfLine(text, from - 1);
  return from;
}

/** The text with `piece` in place of the text between two offsets. */
export function splice(text: string, from: number, to: number, piece: string): string {
  return text.slice(0, from) + piece + text.slice(to);
}

/** The text with a block of whole lines at an offset where a line begins or the text ends. */
export function insertLines(text: string, at: number, block: string): string {
  const isOpen = at > 0 && text[at - 1] !== "\n";
  return splice(text, at, at, `${isOpen ? lineBreak(text) : ""}${block}`);
}

/** The text with a block at its end, after a blank line. */
export function appendBlock(text: string, block: string): string {
  const eol = lineBreak(text);
  const before = text.trimEnd();
  return `${before === "" ? "" : `${before}${eol}${eol}`}${block}${eol}`;
}

/** The text without a region and the blank lines before it, or after it at the start of the text. */
export function cutBlock(text: string, from: number, to: number): string {
  const before = text.slice(0, from).replace(/(\r?\n)[ \t\r\n]*$/, "$1");
  const after = text.slice(to);
  return before.trim() === "" ? after.replace(/^\s*\n/, "") : before + after;
}
