/** Synchronous stat calls that return undefined where nothing can be said. Use them for few paths in a row. */
import { lstatSync, type Stats, statSync } from "node:fs";

/** The stat result of what a path leads to; links are followed. */
export function factsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The stat result of the entry itself; a link is not followed. */
export function entryFacts(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
