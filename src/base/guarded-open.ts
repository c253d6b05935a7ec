/**
 * Opens files and folders without waiting for pipes, and checks what was opened: that it is a regular file, or that no
 * link was swapped in between judging a path and opening it.
 */
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, type Stats } from "node:fs";
import { lstat, realpath } from "node:fs/promises";
import { lstatOf } from "./file-stamp.js";
import { here, type Platform } from "./platform.js";

/** Flags to open a file for reading: the last link is not followed, a pipe's other end is not waited for. */
export const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * The first bytes of a regular file and its stats; links are followed. Undefined for a folder, pipe or device. Throws
 * when the path cannot be opened or read. To see that a file is too large, ask for one byte more than is allowed.
 */
export function readRegularFile(
  path: string,
  maxBytes: number,
  // Without O_NONBLOCK, opening a named pipe would block forever.
  flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0),
): { bytes: Buffer; stats: Stats } | undefined {
  const descriptor = openSync(path, flags);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) return undefined;
    // Virtual file systems give files with content the size 0.
    const bytes = Buffer.alloc(Math.min(stats.size || maxBytes, maxBytes));
    let length = 0;
    while (length < bytes.length) {
      const count = readSync(descriptor, bytes, length, bytes.length - length, length);
      if (count === 0) break;
      length += count;
    }
    return { bytes: bytes.subarray(0, length), stats };
  } finally {
    closeSync(descriptor);
  }
}

/** The first bytes of a regular file; undefined for anything else, also for a link, and when nothing is there. */
export function readPlainFile(path: string, maxBytes: number): Buffer | undefined {
  if (!lstatOf(path)?.isFile()) return undefined;
  return readRegularFile(path, maxBytes, READ_FLAGS)?.bytes;
}

/** The part of a file handle that the check needs. */
interface Opened {
  readonly fd: number;
  stat(): Promise<Stats>;
}

/**
 * Whether an open file or folder is the one at its real path. Linux gives the path of a descriptor, which closes the
 * race; elsewhere the path is compared with the file just after opening, which leaves a short one.
 */
export async function isStillAt(
  handle: Opened,
  path: string,
  { hasProc }: Platform = here,
): Promise<boolean> {
  const linked = hasProc ? pathOfDescriptor(handle.fd) : undefined;
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
