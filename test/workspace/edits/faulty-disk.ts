/** The real disk with a hook before each write. */
import type { Disk } from "../../../src/workspace/edits/disk.js";
import { realDisk } from "../../../src/workspace/edits/real-disk.js";

const changing = [
  ...[
    "write",
    "writeLike",
    "symlink",
    "link",
    "rename",
    "moveToFree",
    "exchange",
    "unlink",
    "makeFolder",
    "setOwner",
    "removeFolder",
    "removeTree",
    "sync",
  ],
] as const;

/** A write that is about to happen, counted from 1. */
export interface Moment {
  count: number;
  method: string;
  paths: string[];
}

/** Copying attributes starts a program for each file: tests of every moment write without them. */
export const withoutPrograms: Disk = {
  ...realDisk,
  writeLike: (_like, ...args) => realDisk.write(...args).then(() => true),
};

/** A disk that calls `before` ahead of each write; if it throws, the write fails with that error. */
export function watchedDisk(before: (moment: Moment) => void | Promise<void>, real = realDisk): Disk {
  let count = 0;
  const disk: { [method: string]: unknown } = { ...real };
  for (const method of changing) {
    disk[method] = async (...args: unknown[]) => {
      count++;
      const paths = args.filter((arg): arg is string => typeof arg === "string" && arg.startsWith("/"));
      await before({ count, method, paths });
      return Reflect.apply(real[method as keyof Disk], real, args);
    };
  }
  return disk as unknown as Disk;
}

/** A file system error. */
export function systemError(code: string): Error {
  return Object.assign(new Error(code), { code });
}
