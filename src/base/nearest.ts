/** "Did you mean": finds the known name that is most similar to a misspelt one. */

/**
 * The most similar of `names`, at most a third of the word's length (but at least one) edits away; else the only one
 * that begins with the word.
 */
export function nearest(word: string, names: readonly string[]): string | undefined {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { name: string; distance: number } | undefined;
  for (const name of names) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase(), limit);
    if (distance <= limit && (!best || distance < best.distance)) best = { name, distance };
  }
  return best?.name ?? onlyCompletion(word, names);
}

/** Shorter words are not completed. */
const MIN_COMPLETED = 3;

function onlyCompletion(word: string, names: readonly string[]): string | undefined {
  if (word.length < MIN_COMPLETED) return undefined;
  const longer = names.filter((name) => name.toLowerCase().startsWith(word.toLowerCase()));
  return longer.length === 1 ? longer[0] : undefined;
}

/** The edits (insert, delete, replace, swap of neighbours) from a to b, or `limit + 1` when there are more. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let value = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + cost);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        value = Math.min(value, at(before, j - 2) + 1);
      row.push(value);
    }
    if (Math.min(...row) > limit) return limit + 1;
    before = previous;
    previous = row;
  }
  return at(previous, b.length);
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
