/** Synchronous stat calls that return undefined where nothing can be said. Use them for few paths in a row. */
import { lstatSync, type Stats } from "node:fs";

/** The stat result of the entry itself; a link is not followed. */
export function entryFacts(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
