/** Stat calls that do not throw, and file stamps: whether a file changed, without reading it. */
import { lstatSync, type Stats, statSync } from "node:fs";

/** The stat result of a path; links are followed. Undefined when nothing is there, or it cannot be read. */
export function statOf(path: string): Stats | undefined {
  return statOrNothing(statSync, path);
}

/** The same for the entry itself: a link is not followed. */
export function lstatOf(path: string): Stats | undefined {
  return statOrNothing(lstatSync, path);
}

function statOrNothing(stat: typeof statSync, path: string): Stats | undefined {
  try {
    return stat(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** File system clocks are coarse: a file that changed this shortly before it was read may change again unseen. */
const RACY_MS = 2_000;

/** Inode, size and times of a regular file. */
export interface FileStamp {
  /** Two stamps with the same text are of the same content, unless the file was written again within one clock tick. */
  readonly text: string;
  /** The later of the modification time and the inode change time, in milliseconds. */
  readonly changedAt: number;
}

/** The stamp of a regular file; undefined when there is none at the path. A link is not followed. */
export function stampOf(path: string): FileStamp | undefined {
  return stampFrom(lstatOf(path));
}

/** The same from a stat result. */
export function stampFrom(stats: Stats | undefined): FileStamp | undefined {
  if (!stats?.isFile()) return undefined;
  const { ino, size, mtimeMs, ctimeMs } = stats;
  return { text: `${ino}:${size}:${mtimeMs}:${ctimeMs}`, changedAt: Math.max(mtimeMs, ctimeMs) };
}

/** Whether a later equal stamp proves equal content; `now` is the time when the file is read. */
export function isReliable(stamp: FileStamp, now: number): boolean {
  return now - stamp.changedAt > RACY_MS;
}
