/** Replaces a file as a whole: write beside it, then rename, so that a reader sees the old text or the new one. */
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

export interface AtomicWriteOptions {
  /** Permission bits of the new file. */
  mode: number;
  /** Permission bits of the folder if it has to be made; undefined when it must exist. */
  folderMode?: number;
  /** Runs on the open staged file before it is renamed, for instance to keep the owner. */
  prepare?(descriptor: number): void;
}

/** Writes a text to a path atomically. The staged file is removed when anything fails. */
export function writeAtomically(path: string, text: string, options: AtomicWriteOptions): void {
  if (options.folderMode !== undefined)
    mkdirSync(dirname(path), { recursive: true, mode: options.folderMode });
  const staged = `${path}.${process.pid}-${Date.now()}.new`;
  try {
    const descriptor = openSync(staged, "wx", options.mode);
    try {
      writeFileSync(descriptor, text);
      options.prepare?.(descriptor);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    // A strict umask may have removed the owner's own bits.
    if (options.prepare === undefined && options.mode === 0o600) chmodSync(staged, 0o600);
    renameSync(staged, path);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  }
}
