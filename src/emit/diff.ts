/** A short unified diff: the first place where two texts part, with a little around it. */

const context = 2;
const shown = 6;

/** The first difference of two texts, `-` for the old lines and `+` for the new; empty when they are equal. */
export function shortDiff(before: string, after: string): string {
  if (before === after) return "";
  const old = before.split("\n");
  const now = after.split("\n");
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let tail = 0;
  while (
    tail < Math.min(old.length, now.length) - start &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail++;
  const removed = old.slice(start, old.length - tail);
  const added = now.slice(start, now.length - tail);
  const from = Math.max(0, start - context);
  return [
    `@@ line ${start + 1} @@`,
    ...old.slice(from, start).map((line) => cut(` ${line}`)),
    ...some(removed, "-"),
    ...some(added, "+"),
  ].join("\n");
}

function some(lines: readonly string[], mark: string): string[] {
  const out = lines.slice(0, shown).map((line) => cut(mark + line));
  if (lines.length > shown) out.push(`${mark}… ${lines.length - shown} more lines`);
  return out;
}

function cut(line: string): string {
  const characters = [...line];
  return characters.length > 160 ? `${characters.slice(0, 159).join("")}…` : line;
}
