/**
 * What stands at a path, asked on the spot: for what the system has in memory that takes microseconds, and having it asked
 * elsewhere takes a hundred times as long. Only for few paths in a row; see `lookAtAll` for many.
 */
import { lstatSync, type Stats, statSync } from "node:fs";

/** The facts of what a path leads to; none when that cannot be said. */
export function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The same of the entry itself, which may be a link. */
export function entryFacts(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
