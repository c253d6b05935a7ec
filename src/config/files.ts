/** The files that config reads and writes, as an interface, and the real disk behind it: no other file of config touches one. */
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import { MAX_CONFIG_BYTES } from "./text/read.js";

export interface FolderEntry {
  name: string;
  kind: "file" | "folder" | "other";
}

/** What config needs of a file system. */
export interface Files {
  /** The content, or `undefined` when there is no such file. Throws when it cannot be read. */
  read(path: string): string | Uint8Array | undefined;
  /** A folder's entries; none when it cannot be listed. */
  list(path: string): FolderEntry[];
  /** The path without symbolic links; the path itself when it does not exist. */
  realpath(path: string): string;
}

/** What the trust store needs beyond that. */
export interface StateFiles extends Files {
  /** Replaces the file as a whole, readable by its owner only. */
  replace(path: string, text: string): void;
  /** Takes the file away, if it is there. */
  remove(path: string): void;
}

/** A file's content, or why there is none. */
export function readOrExplain(
  files: Files,
  file: string,
): { content: string | Uint8Array } | { failure: string; absent: boolean } {
  try {
    const content = files.read(file);
    return content === undefined ? { failure: "does not exist", absent: true } : { content };
  } catch (error) {
    if (hasCode(error)) return { failure: `cannot be read (${error.code})`, absent: false };
    throw error;
  }
}

export const diskFiles: StateFiles = {
  read(path) {
    let descriptor: number;
    try {
      // Without O_NONBLOCK a pipe that lies in a workspace would hold the start for ever.
      descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw error;
    }
    try {
      return readRegular(descriptor, path);
    } finally {
      closeSync(descriptor);
    }
  },

  list(path) {
    try {
      return readdirSync(path, { withFileTypes: true }).map((entry) => ({
        name: entry.name,
        kind: entry.isFile() ? "file" : entry.isDirectory() ? "folder" : "other",
      }));
    } catch (error) {
      if (hasCode(error)) return [];
      throw error;
    }
  },

  realpath(path) {
    try {
      return realpathSync(path);
    } catch (error) {
      if (hasCode(error)) return path;
      throw error;
    }
  },

  replace(path, text) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const staged = `${path}.${process.pid}.new`;
    try {
      writeFileSync(staged, text, { mode: 0o600, flag: "wx" });
      // A strict umask may have taken the owner's own bits away.
      chmodSync(staged, 0o600);
      renameSync(staged, path);
    } catch (error) {
      rmSync(staged, { force: true });
      throw error;
    }
  },

  remove(path) {
    rmSync(path, { force: true });
  },
};

/** The first bytes of a regular file, one more than a config may have: enough to see that it is too large. */
function readRegular(descriptor: number, path: string): Uint8Array {
  const facts = fstatSync(descriptor);
  if (!facts.isFile()) throw Object.assign(new Error(`not a file: ${path}`), { code: "ENOTFILE" });
  const bytes = Buffer.alloc(Math.min(facts.size, MAX_CONFIG_BYTES + 1));
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(descriptor, bytes, length, bytes.length - length, length);
    if (count === 0) break;
    length += count;
  }
  return bytes.subarray(0, length);
}

function isAbsent(error: unknown): boolean {
  return hasCode(error) && (error.code === "ENOENT" || error.code === "ENOTDIR");
}

/** Whether an error is the system's, with a code. */
export function hasCode(error: unknown): error is Error & { code: string } {
  return error instanceof Error && "code" in error && typeof error.code === "string";
}
