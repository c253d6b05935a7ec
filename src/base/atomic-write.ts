/** Writes a file so that readers see the old content or the new content, never a part. */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";

export interface AtomicWriteOptions {
  /** Permissions of the new file, before the umask. */
  mode?: number;
  /** Called with the new file's descriptor before the rename, for example to set its owner. */
  prepare?: (descriptor: number) => void;
}

/** Writes to a new file beside `path` and renames it over `path`. */
export function writeAtomically(
  path: string,
  content: string | Uint8Array,
  { mode = 0o666, prepare }: AtomicWriteOptions = {},
): void {
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
    renameSync(staged, path);
  } catch (error) {
    rmSync(staged, { force: true });
    throw error;
  }
}
