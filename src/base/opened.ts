/** Whether what was opened is what its path names: a link swapped in between judging a path and opening it shows here. */
import type { FileHandle } from "node:fs/promises";
import { lstat, readlink, realpath } from "node:fs/promises";

/**
 * Whether an open file or folder stands at its real path. Linux tells the path of what is open, which nobody can turn
 * back in between; elsewhere the path is compared with the file just after, which leaves a moment.
 */
export async function standsAt(handle: FileHandle, path: string): Promise<boolean> {
  const told =
    process.platform === "linux"
      ? await readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined)
      : undefined;
  if (told !== undefined) return told === path;
  const [mine, real, named] = await Promise.all([handle.stat(), realpath(path), lstat(path)]).catch(() => []);
  return real === path && mine !== undefined && named?.ino === mine.ino && named.dev === mine.dev;
}
