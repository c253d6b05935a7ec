/** Replaces a file as a whole: write beside it, then rename, so that a reader sees the old content or the new one. */
import {
  chmodSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { hasCode } from "./system.js";

interface AtomicWriteOptions {
  /** Permission bits of the new file, before the umask. */
  mode?: number;
  /** Permission bits of the folder if it has to be made; undefined when it must exist. */
  folderMode?: number;
  /** Runs on the open new file before the rename, for example to set its owner. */
  prepare?: (descriptor: number) => void;
}

/** Writes to a new file beside `path` and renames it over `path`. The new file is removed when anything fails. */
export function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { mode = 0o666, folderMode, prepare }: AtomicWriteOptions = {},
): void {
  if (folderMode !== undefined) mkdirSync(dirname(path), { recursive: true, mode: folderMode });
  const staged = `${path}.${process.pid}-${process.hrtime.bigint()}.new`;
  const descriptor = openSync(staged, "wx", mode);
  try {
    try {
      writeFileSync(descriptor, content);
      prepare?.(descriptor);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    // A strict umask may have removed the owner's own bits.
    if (prepare === undefined && mode === 0o600) chmodSync(staged, mode);
    renameSync(staged, path);
  } catch (error) {
    rmSync(staged, { force: true });
    // The system names no path when the disk is full.
    if (hasCode(error) && !("path" in error)) throw Object.assign(error, { path });
    throw error;
  }
}
