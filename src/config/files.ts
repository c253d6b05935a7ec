/** The file access that config needs, as an interface, and its implementation on the real disk. */
import { rmSync } from "node:fs";
import { writeAtomically } from "../base/atomic-write.js";
import { entriesIn, type FolderEntry, realPath } from "../base/disk.js";
import { readRegularFile } from "../base/guarded-open.js";
import { hasCode, systemCode } from "../base/system.js";
import { MAX_CONFIG_BYTES } from "./text/read.js";

export interface Files {
  /** The content, or `undefined` when there is no such file. Throws when it cannot be read. */
  read(path: string): string | Uint8Array | undefined;
  /** A folder's entries; none when it cannot be listed. */
  list(path: string): FolderEntry[];
  /** The path without symbolic links; the path itself when it does not exist. */
  realpath(path: string): string;
}

/** File access that can also write the program's own records. */
export interface StateFiles extends Files {
  /** Replaces a file atomically, readable by its owner only. */
  replace(path: string, text: string): void;
  remove(path: string): void;
}

interface ReadFailure {
  failure: string;
  absent: boolean;
}

export function readOrExplain(files: Files, file: string): { content: string | Uint8Array } | ReadFailure {
  try {
    const content = files.read(file);
    return content === undefined ? { failure: "does not exist", absent: true } : { content };
  } catch (error) {
    if (hasCode(error)) return { failure: `cannot be read (${error.code})`, absent: false };
    throw error;
  }
}

/** The value of a JSON file, undefined when it is not JSON; or why the file has no content. */
export function readJson(files: Files, file: string): { value: unknown } | ReadFailure {
  const result = readOrExplain(files, file);
  if ("failure" in result) return result;
  try {
    return { value: JSON.parse(asText(result.content)) };
  } catch {
    return { value: undefined };
  }
}

export function asText(content: string | Uint8Array): string {
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}

export const diskFiles: StateFiles = {
  read(path) {
    let file: ReturnType<typeof readRegularFile>;
    try {
      // One byte more than a config may have: enough to see that it is too large.
      file = readRegularFile(path, MAX_CONFIG_BYTES + 1);
    } catch (error) {
      if (["ENOENT", "ENOTDIR"].includes(systemCode(error))) return undefined;
      throw error;
    }
    if (file === undefined) throw Object.assign(new Error(`not a file: ${path}`), { code: "ENOTFILE" });
    return file.bytes;
  },

  list: entriesIn,
  realpath: realPath,

  replace(path, text) {
    writeAtomically(path, text, { mode: 0o600, folderMode: 0o700 });
  },

  remove(path) {
    rmSync(path, { force: true });
  },
};
