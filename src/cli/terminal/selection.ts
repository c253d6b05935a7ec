/** What a person types to pick from a numbered list: numbers, ranges, `all`, `none`. */

/** The numbers that are meant, or what of the answer is not understood. */
export function readSelection(
  answer: string,
  count: number,
): { picked: ReadonlySet<number> } | { unknown: string } {
  const picked = new Set<number>();
  for (const word of answer
    .toLowerCase()
    .split(/[\s,;]+/)
    .filter(Boolean)) {
    if (word === "none") continue;
    const range = word === "all" ? ["1", String(count)] : /^(\d+)(?:-(\d+))?$/.exec(word)?.slice(1);
    const [from, to] = [Number(range?.[0]), Number(range?.[1] ?? range?.[0])];
    if (range === undefined || from < 1 || to > count || from > to) return { unknown: word };
    for (let number = from; number <= to; number++) picked.add(number);
  }
  return { picked };
}
