/** How files stand, told from their size and times without reading them. */
import type { Stats } from "node:fs";
import { factsOf } from "../../base/facts.js";
import type { Soon } from "../../base/soon.js";
import type { Turns } from "../turns.js";

/** What changes when a file does. */
export interface Stamp {
  readonly mtimeMs: number;
  readonly size: number;
  readonly ino: number;
  /** When it last changed; for what is gone, or is no file, never. */
  readonly changedAt: number;
}

const gone: Stamp = { mtimeMs: -1, size: -1, ino: -1, changedAt: Number.NEGATIVE_INFINITY };

/** The stamps of files, by absolute path. */
export type Stamps = ReadonlyMap<string, Stamp>;

/** How one file stands. */
export function stampOf(path: string): Stamp {
  const facts = factsOf(path);
  return facts === undefined ? gone : stampFrom(facts);
}

/** The same from what was seen of it. */
export function stampFrom(facts: Stats): Stamp {
  const { mtimeMs, ctimeMs, size, ino } = facts;
  const changedAt = facts.isFile() ? Math.max(mtimeMs, ctimeMs) : Number.NEGATIVE_INFINITY;
  return { mtimeMs, size, ino, changedAt };
}

/** Whether a file stands as it stood. */
export function isAsBefore(now: Stamp, before: Stamp | undefined): boolean {
  return before?.mtimeMs === now.mtimeMs && before.size === now.size && before.ino === now.ino;
}

/** So few files are looked at in one go. */
const few = 8;

/** How files stand, but for those that are known; many are looked at in turns. */
export function stampsOf(
  paths: readonly string[],
  turns: () => Turns,
  known: (path: string) => Stamp | undefined = () => undefined,
): Soon<Map<string, Stamp>> {
  if (paths.length > few) return stampsInTurns(paths, turns(), known);
  const stamps = new Map<string, Stamp>();
  for (const path of paths) stamps.set(path, known(path) ?? stampOf(path));
  return stamps;
}

async function stampsInTurns(
  paths: readonly string[],
  turns: Turns,
  known: (path: string) => Stamp | undefined,
): Promise<Map<string, Stamp>> {
  const stamps = new Map<string, Stamp>();
  for (const path of paths) {
    stamps.set(path, known(path) ?? stampOf(path));
    if (turns.isLate) await turns.pass();
  }
  return stamps;
}
