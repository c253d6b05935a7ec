/**
 * Opens files and folders without following links or waiting for pipes, and checks that what was opened is what the
 * path names: a link swapped in between judging a path and opening it shows here.
 */
import { constants, readlinkSync, type Stats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";

/** Flags to open a file for reading: the last link is not followed, a pipe's other end is not waited for. */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The part of a file handle that the check needs. */
interface Opened {
  readonly fd: number;
  stat(): Promise<Stats>;
}

/**
 * Whether an open file or folder is the one at its real path. Linux gives the path of a descriptor, which closes the
 * race; elsewhere the path is compared with the file just after opening, which leaves a short one.
 */
export async function standsAt(handle: Opened, path: string): Promise<boolean> {
  const linked = process.platform === "linux" ? pathOfDescriptor(handle.fd) : undefined;
  if (linked !== undefined) return linked === path;
  const [mine, real, named] = await Promise.all([handle.stat(), realpath(path), lstat(path)]).catch(() => []);
  return real === path && mine !== undefined && named?.ino === mine.ino && named.dev === mine.dev;
}

/** The path that the system has for a descriptor; undefined where /proc cannot be read. */
function pathOfDescriptor(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return undefined;
  }
}
