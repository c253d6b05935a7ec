/** Reads of the disk for which a missing file or folder is no error: real paths and the entries of a folder. */
import { readdirSync, realpathSync } from "node:fs";

/** The path without symbolic links; the path as given when it cannot be resolved, for example because it does not exist. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

export interface FolderEntry {
  name: string;
  kind: "file" | "folder" | "other";
}

/** The entries of a folder, in no order; none when it cannot be read. Links are not followed. */
export function entriesIn(folder: string): FolderEntry[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).map((entry) => ({
      name: entry.name,
      kind: entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other",
    }));
  } catch {
    return [];
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
