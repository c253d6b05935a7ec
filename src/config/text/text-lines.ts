/** Lines of a text that is edited by offsets: where they begin and end, and how they are broken and indented. */

/** The line break that a text has. */
export function lineBreak(text: string): "\r\n" | "\n" {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** Where the line of an offset begins. */
export function startOfLine(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Where the line of an offset ends, before its break. */
export function endOfLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  if (end < 0) return text.length;
  return text[end - 1] === "\r" && end > offset ? end - 1 : end;
}

/** Where the next line begins. */
export function nextLine(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

/** The blanks that the line of an offset begins with. */
export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(startOfLine(text, offset)))?.[0] ?? "";
}

/** Whether only blanks stand before an offset on its line. */
export function beginsLine(text: string, offset: number): boolean {
  return text.slice(startOfLine(text, offset), offset).trim() === "";
}

/** The text with a piece in place of what stands between two offsets. */
export function splice(text: string, from: number, to: number, piece: string): string {
  return text.slice(0, from) + piece + text.slice(to);
}
