/**
 * Compares output with what a page shows: `…` in a line stands for anything, a line `…` for any lines. How ready a server says it is
 * depends on the load of the machine, so a page may say `ready` where it was not known yet.
 */
import { diffArrays } from "diff";

const ANY = "…";

export function matches(expected: readonly string[], actual: readonly string[]): boolean {
  /** How many lines of the output may have been used after each line of the page. */
  let ends = new Set([0]);
  for (const line of expected) {
    const next = new Set<number>();
    for (const end of ends) {
      if (line.trim() === ANY) for (let at = end; at <= actual.length; at++) next.add(at);
      else if (end < actual.length && isLike(line, actual[end] ?? "")) next.add(end + 1);
    }
    ends = next;
  }
  return ends.has(actual.length);
}

function isLike(expected: string, actual: string): boolean {
  const parts = expected.split(ANY).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pattern = new RegExp(`^${parts.join(".*")}$`, "s");
  return pattern.test(actual) || pattern.test(whenReady(actual));
}

/** The line of an answer as it is on a machine with time: its server is ready. */
export function whenReady(line: string): string {
  return line.replace(/\((server [\w.-]+), (?:unknown|indexing|starting)\)/, "($1, ready)");
}

/** What differs, line by line: `-` is on the page, `+` is what the program printed. */
export function outputDiff(expected: readonly string[], actual: readonly string[]): string {
  const parts = diffArrays([...expected], [...actual], { comparator: isLike });
  return parts
    .flatMap(({ added, removed, value }) =>
      value.map((line) => `${added ? "+" : removed ? "-" : " "} ${line}`),
    )
    .join("\n");
}
