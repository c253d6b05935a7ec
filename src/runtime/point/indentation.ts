/** Detects a file's indentation from its lines, for formatting requests. */
import type { FormattingOptions } from "vscode-languageserver-protocol";
import type { Lines } from "../../base/text.js";

const readLines = 2000;
const widths = [2, 4, 8, 3];

/** Tabs where more lines begin with them; else the most common step of indentation. */
export function indentationOf(lines: Lines): FormattingOptions {
  let tabbed = 0;
  let spaced = 0;
  let before = 0;
  const steps = new Map<number, number>();
  for (let line = 0; line < Math.min(lines.count, readLines); line++) {
    const text = lines.line(line);
    if (text.trim() === "") continue;
    if (text.startsWith("\t")) tabbed++;
    const width = text.length - text.replace(/^ +/, "").length;
    if (width > 1) spaced++;
    // Odd steps are comments and aligned arguments.
    if (widths.includes(width - before)) steps.set(width - before, (steps.get(width - before) ?? 0) + 1);
    before = width;
  }
  if (tabbed > spaced) return { tabSize: 4, insertSpaces: false };
  const most = widths.reduce(
    (best, width) => ((steps.get(width) ?? 0) > (steps.get(best) ?? 0) ? width : best),
    4,
  );
  return { tabSize: most, insertSpaces: true };
}
