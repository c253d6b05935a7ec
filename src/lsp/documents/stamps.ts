/**
 * Looks at many files in one go. A look at one that the system has in memory takes microseconds and asking for it
 * elsewhere takes many times as long, so they are looked at here, one after another, unless that turns out to be slow;
 * whoever else waits gets a turn in between.
 */
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { entryFacts } from "../../base/facts.js";

/**
 * How old a look at a file may be where a watch tells of writes to it: but for those through mapped memory, or another name
 * that it has got since.
 */
export const MOMENT_MS = 250;
/** How long others may be held up. */
const QUICK_MS = 3;
/** Files that are looked at between two looks at the clock. */
const CLOCK_EVERY = 16;
/** A disk that has not told so many in that time is slow, and waited for. */
const QUICK_FILES = 128;
/** Files that are asked for at once. */
const AT_ONCE = 32;

/** Tells of each path what stands there, if anything. */
export async function lookAtAll(
  paths: readonly string[],
  see: (path: string, stats: Stats | undefined) => void,
): Promise<void> {
  let index = 0;
  for (let first = 0; ; first = index) {
    index = lookOnTheSpot(paths, first, see);
    if (index === paths.length) return;
    if (index - first < QUICK_FILES) break;
    await nextTurn();
  }
  for (; index < paths.length; index += AT_ONCE) {
    const some = paths.slice(index, index + AT_ONCE);
    await Promise.all(some.map(async (path) => see(path, await lstat(path).catch(() => undefined))));
  }
}

/** Looks at paths from an index on, for a moment; tells how far it came. */
function lookOnTheSpot(
  paths: readonly string[],
  first: number,
  see: (path: string, stats: Stats | undefined) => void,
): number {
  const until = performance.now() + QUICK_MS;
  for (let index = first; index < paths.length; index++) {
    if (index > first && index % CLOCK_EVERY === 0 && performance.now() >= until) return index;
    const path = paths[index];
    if (path !== undefined) see(path, entryFacts(path));
  }
  return paths.length;
}
