/** Reads of the disk for which a missing file or folder is no error: real paths and the names in a folder. */
import { readdirSync, realpathSync } from "node:fs";

/** The path without symbolic links; the path as given when it cannot be resolved, for example because it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** The names of everything in a folder, in no order; none when it cannot be read. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
