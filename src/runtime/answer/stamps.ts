/** Size and modification times of the files that an answer shows: finds changes without reading the files. */
import { factsOf } from "../../base/file-stamp.js";
import type { Turns } from "../turns.js";

/** What changes when a file changes. */
export interface Stamp {
  readonly mtimeMs: number;
  readonly size: number;
  readonly ino: number;
  /** When it last changed; minus infinity when it is gone or not a file. */
  readonly changedAt: number;
}

const gone: Stamp = { mtimeMs: -1, size: -1, ino: -1, changedAt: Number.NEGATIVE_INFINITY };

/** Stamps by absolute path. */
export type Stamps = ReadonlyMap<string, Stamp>;

/** The stamp of one file. */
export function stampOf(path: string): Stamp {
  const facts = factsOf(path);
  if (facts === undefined) return gone;
  const { mtimeMs, ctimeMs, size, ino } = facts;
  const changedAt = facts.isFile() ? Math.max(mtimeMs, ctimeMs) : Number.NEGATIVE_INFINITY;
  return { mtimeMs, size, ino, changedAt };
}

/** Whether two stamps are of the same content. */
export function isAsBefore(now: Stamp, before: Stamp | undefined): boolean {
  return before?.mtimeMs === now.mtimeMs && before.size === now.size && before.ino === now.ino;
}

/** The stamps of files. */
export async function stampsOf(paths: readonly string[], turns: Turns): Promise<Map<string, Stamp>> {
  const stamps = new Map<string, Stamp>();
  for (const path of paths) {
    stamps.set(path, stampOf(path));
    if (turns.isOver) await turns.pass();
  }
  return stamps;
}
