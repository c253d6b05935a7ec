/** Whether what was opened is what its path names: a link swapped in between judging a path and opening it shows here. */
import { readlinkSync, type Stats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";

/** What is open. */
interface Opened {
  readonly fd: number;
  stat(): Promise<Stats>;
}

/**
 * Whether an open file or folder stands at its real path. Linux tells the path of what is open, which nobody can turn
 * back in between; elsewhere the path is compared with the file just after, which leaves a moment.
 */
export async function standsAt(handle: Opened, path: string): Promise<boolean> {
  const told = process.platform === "linux" ? pathOf(handle.fd) : undefined;
  if (told !== undefined) return told === path;
  const [mine, real, named] = await Promise.all([handle.stat(), realpath(path), lstat(path)]).catch(() => []);
  return real === path && mine !== undefined && named?.ino === mine.ino && named.dev === mine.dev;
}

/** What the system's own table says, which is in memory; undefined where it cannot be read. */
function pathOf(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}
