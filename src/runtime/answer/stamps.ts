/** How files stand, told from their size and times without reading them. */
import { factsOf } from "../../base/facts.js";
import type { Turns } from "../turns.js";

/** What changes when a file does. */
export interface Stamp {
  text: string;
  /** When it last changed; for what is gone, or is no file, never. */
  changedAt: number;
}

/** The stamps of files, by absolute path. */
export type Stamps = ReadonlyMap<string, Stamp>;

/** How one file stands. */
export function stampOf(path: string): Stamp {
  const facts = factsOf(path);
  if (facts === undefined) return { text: "gone", changedAt: Number.NEGATIVE_INFINITY };
  const { mtimeMs, ctimeMs, size, ino } = facts;
  const changedAt = facts.isFile() ? Math.max(mtimeMs, ctimeMs) : Number.NEGATIVE_INFINITY;
  return { text: `${mtimeMs}/${size}/${ino}`, changedAt };
}

/** How many files stand, looked at in turns. */
export async function stampsOf(paths: readonly string[], turns: Turns): Promise<Map<string, Stamp>> {
  const stamps = new Map<string, Stamp>();
  for (const path of paths) {
    stamps.set(path, stampOf(path));
    await turns.rest();
  }
  return stamps;
}
