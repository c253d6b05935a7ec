/** Config strings in Markdown: one line, and nothing that a renderer takes for a mark-up of its own. */

/** A text that may stand in a paragraph or a table cell. Marked code (`like this`) stays code. */
export function markdownText(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ").trim();
  return line.replaceAll(/[\\|<>*[\]#]|(?<!\w)_|_(?!\w)/g, (mark, at: number) =>
    isInCode(line, at) && mark !== "|" ? mark : `\\${mark}`,
  );
}

/** Whether a character stands between a pair of backticks. */
function isInCode(line: string, at: number): boolean {
  const before = line.slice(0, at).split("`").length - 1;
  return before % 2 === 1 && line.includes("`", at);
}
