/** Files that a person asked for and that only they may read: logs and traces. */
import { fchmodSync, fstatSync, openSync, writeSync } from "node:fs";
import { UsageError } from "../command.js";

/** Appends lines to a file that is its owner's alone, also when it was there before; `flag` is who asked for it. */
export function openPrivateFile(flag: string, file: string): (line: string) => void {
  const descriptor = openAlone(flag, file);
  return (line) => {
    try {
      writeSync(descriptor, line);
    } catch {
      // A full disk must not cost a call its answer.
    }
  };
}

function openAlone(flag: string, file: string): number {
  try {
    const descriptor = openSync(file, "a", 0o600);
    const stats = fstatSync(descriptor);
    // A terminal or a pipe is not ours to close off.
    if (stats.isFile() && (stats.mode & 0o077) !== 0) fchmodSync(descriptor, 0o600);
    return descriptor;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new UsageError(`--${flag} ${file} cannot be written (${code})`);
  }
}
