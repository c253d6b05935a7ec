/**
 * Looks at many files in one go. A look at one that the system has in memory takes microseconds and asking for it
 * elsewhere takes many times as long, so they are looked at here, one after another, unless that turns out to be slow.
 */
import type { Stats } from "node:fs";
import { lstat } from "node:fs/promises";
import { entryFacts } from "../../base/facts.js";

/** How long calls may be held up by one look; the rest of a slow disk's files is waited for. */
const QUICK_MS = 5;
/** Files that are looked at between two looks at the clock. */
const CLOCK_EVERY = 16;
/** Files that are asked for at once. */
const AT_ONCE = 32;

/** Tells of each path what stands there, if anything. */
export async function lookAtAll(
  paths: readonly string[],
  see: (path: string, stats: Stats | undefined) => void,
): Promise<void> {
  const until = performance.now() + QUICK_MS;
  let index = 0;
  for (; index < paths.length; index++) {
    if (index % CLOCK_EVERY === 0 && performance.now() >= until) break;
    const path = paths[index];
    if (path !== undefined) see(path, entryFacts(path));
  }
  for (; index < paths.length; index += AT_ONCE) {
    const some = paths.slice(index, index + AT_ONCE);
    await Promise.all(some.map(async (path) => see(path, await lstat(path).catch(() => undefined))));
  }
}
