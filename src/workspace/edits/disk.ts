/**
 * The file system as edits use it, one small act per method. Every path is a real path; each act opens the path's
 * folder first, makes sure that it is still the folder of that name, and then works through the open folder, so that a
 * symbolic link swapped in between check and use leads nowhere.
 */
import { createHash } from "node:crypto";
import { type BigIntStats, constants, lstatSync, renameSync } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { standsAt } from "../../base/opened.js";

const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const WRITE_FLAGS = constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const NEW_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const CHUNK_BYTES = 1 << 20;

/** Whose a file is and who may do what with it. */
export interface Owner {
  mode: number;
  uid: number;
  gid: number;
}

/** What stands at a path; a link is not followed. */
export interface Found extends Owner {
  kind: "file" | "folder" | "link" | "other";
  /** The same for two names of one thing, and after it moved. */
  identity: string;
  size: number;
  links: number;
}

/** How a new file or folder is owned: like another, by its maker alone, or as the system does by default. */
export type Ownership = Owner | "private" | "default";

/** A part of a file. */
export interface Slice {
  offset: number;
  length: number;
}

/** What a new file holds: bytes, or pieces of them. */
export type Content = Uint8Array | AsyncIterable<Uint8Array>;

/** What edits need of a file system. Failures are the system's own errors with their codes. */
export interface Disk {
  /** What stands there, or undefined when nothing does. */
  look(path: string): Promise<Found | undefined>;
  /** Whether the permissions let us write the file. */
  mayWrite(path: string): Promise<boolean>;
  /** A regular file's bytes. */
  read(path: string, maxBytes: number): Promise<Buffer>;
  /** The bytes of a regular file, or of a part of it, in pieces. */
  pieces(path: string, slice?: Slice): AsyncIterable<Uint8Array>;
  list(path: string): Promise<string[]>;
  readLink(path: string): Promise<string>;
  /** Writes a file that must not exist yet and waits until it is on the disk. */
  write(path: string, content: Content, owner: Ownership): Promise<void>;
  makeLink(path: string, target: string): Promise<void>;
  /** A second name for a file; fails when the name is taken. */
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /** Puts a file in the place of the one with this identity; ECHANGED when another one stands there. */
  replace(from: string, to: string, identity: string): Promise<void>;
  unlink(path: string): Promise<void>;
  makeFolder(path: string, owner: Ownership): Promise<void>;
  /** Gives a folder to its owner. */
  own(folder: string, owner: Ownership): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** Removes whatever stands there, with everything below it, also from folders of ours that are write-protected. */
  removeTree(path: string): Promise<void>;
  /** Waits until a folder's names are on the disk. */
  sync(folder: string): Promise<void>;
}

/** A folder that is no longer where its name says. */
export class MovedFolder extends Error {
  readonly code = "EMOVED";
}

/** The system's code of an error, empty when it has none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Whether an error only says that nothing is there, as under a name that is too long to exist. */
export function isAbsence(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ENAMETOOLONG"].includes(systemCode(error));
}

/** SHA-256 of a file, read piece by piece. */
export async function hashFile(disk: Disk, path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const piece of disk.pieces(path)) hash.update(piece);
  return hash.digest("hex");
}

/** The real disk. */
export const realDisk: Disk = {
  async look(path) {
    try {
      return await within(path, async (name) => toFound(await fs.lstat(name, { bigint: true })));
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw error;
    }
  },
  async mayWrite(path) {
    try {
      // Asking by opening: `access` would answer for whoever started the process, not for whom it acts.
      await (await within(path, (name) => fs.open(name, WRITE_FLAGS))).close();
      return true;
    } catch (error) {
      if (["EACCES", "EPERM", "EROFS", "ETXTBSY"].includes(systemCode(error))) return false;
      throw error;
    }
  },
  async read(path, maxBytes) {
    return opened(path, async (file, size) => {
      if (size > maxBytes) throw Object.assign(new Error("too large"), { code: "EFBIG" });
      const bytes = await file.readFile();
      if (bytes.length > maxBytes) throw Object.assign(new Error("too large"), { code: "EFBIG" });
      return bytes;
    });
  },
  async *pieces(path, slice) {
    const file = await within(path, (name) => fs.open(name, READ_FLAGS));
    try {
      await regularSize(file);
      let position = slice?.offset ?? 0;
      const end = slice === undefined ? Number.POSITIVE_INFINITY : slice.offset + slice.length;
      while (position < end) {
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, end - position));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        position += bytesRead;
      }
    } finally {
      await file.close();
    }
  },
  list: (path) => within(path, (name) => fs.readdir(name)),
  readLink: (path) => within(path, (name) => fs.readlink(name)),
  write: (path, content, owner) =>
    within(path, async (name) => {
      const file = await fs.open(name, NEW_FLAGS, owner === "default" ? 0o666 : 0o600);
      try {
        for await (const piece of content instanceof Uint8Array ? [content] : content)
          await file.writeFile(piece);
        await own(file, owner, 0o600);
        await file.sync();
      } finally {
        await file.close();
      }
    }),
  makeLink: (path, target) => within(path, (name) => fs.symlink(target, name)),
  link: (from, to) => between(from, to, fs.link),
  rename: (from, to) => between(from, to, fs.rename),
  replace: (from, to, identity) =>
    between(from, to, async (source, target) => {
      // Synchronous, so that nothing of this process comes between the look and the rename.
      if (toFound(lstatSync(target, { bigint: true })).identity !== identity)
        throw Object.assign(new Error("another file stands there"), { code: "ECHANGED" });
      renameSync(source, target);
    }),
  unlink: (path) => within(path, (name) => fs.unlink(name)),
  makeFolder: (path, owner) =>
    within(path, async (name) => {
      await fs.mkdir(name, owner === "default" ? {} : { mode: 0o700 });
      await ownFolder(name, owner);
    }),
  own: (folder, owner) => within(folder, (name) => ownFolder(name, owner)),
  removeFolder: (path) => within(path, (name) => fs.rmdir(name)),
  removeTree: (path) =>
    within(path, async (name) => {
      try {
        await fs.rm(name, { recursive: true, force: true });
      } catch (error) {
        if (!["EACCES", "EPERM"].includes(systemCode(error))) throw error;
        await openFolders(name);
        await fs.rm(name, { recursive: true, force: true });
      }
    }),
  async sync(folder) {
    // Windows neither opens folders nor needs their names flushed.
    if (process.platform === "win32") return;
    const handle = await openFolder(folder);
    await handle.sync().finally(() => handle.close());
  },
};

/** Does something with a path's name inside its own, verified folder. */
async function within<T>(path: string, act: (name: string) => Promise<T>): Promise<T> {
  const folder = dirname(path);
  if (process.platform === "win32") {
    if ((await fs.realpath(folder)) !== folder) throw moved();
    return act(path);
  }
  const handle = await openFolder(folder);
  try {
    // Through the open folder, where the system can; elsewhere the check just before must do.
    const anchor = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : folder;
    return await act(join(anchor, basename(path)));
  } finally {
    await handle.close();
  }
}

function between(from: string, to: string, act: (from: string, to: string) => Promise<void>): Promise<void> {
  return within(from, (source) => within(to, (target) => act(source, target)));
}

/** A folder's handle, after making sure that every name on the way is a real one. */
async function openFolder(folder: string): Promise<fs.FileHandle> {
  const handle = await fs.open(folder, FOLDER_FLAGS);
  try {
    if (!(await standsAt(handle, folder))) throw moved();
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function moved(): MovedFolder {
  return new MovedFolder("the folder is not where it was");
}

async function opened<T>(path: string, act: (file: fs.FileHandle, size: number) => Promise<T>): Promise<T> {
  const file = await within(path, (name) => fs.open(name, READ_FLAGS));
  try {
    return await act(file, await regularSize(file));
  } finally {
    await file.close();
  }
}

async function regularSize(file: fs.FileHandle): Promise<number> {
  const facts = await file.stat();
  if (!facts.isFile()) throw Object.assign(new Error("not a regular file"), { code: "EISDIR" });
  return facts.size;
}

async function ownFolder(name: string, owner: Ownership): Promise<void> {
  if (owner === "default" || process.platform === "win32") return;
  const folder = await fs.open(name, FOLDER_FLAGS);
  await own(folder, owner, 0o700).finally(() => folder.close());
}

/** Lets us remove what is in a folder and in all below it. */
async function openFolders(folder: string): Promise<void> {
  if (!(await fs.lstat(folder)).isDirectory()) return;
  await fs.chmod(folder, 0o700);
  for (const entry of await fs.readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await openFolders(join(folder, entry.name));
}

/** Sets owner and mode; only root may give files away, and not on every file system. */
async function own(file: fs.FileHandle, owner: Ownership, privateMode: number): Promise<void> {
  if (owner === "default") return;
  // A strict umask may have taken the maker's own bits away.
  if (owner === "private") return file.chmod(privateMode);
  const facts = await file.stat();
  if (facts.uid !== owner.uid || facts.gid !== owner.gid)
    await file.chown(owner.uid, owner.gid).catch((error: unknown) => {
      if (!["EPERM", "ENOTSUP", "ENOSYS", "EINVAL"].includes(systemCode(error))) throw error;
    });
  await file.chmod(owner.mode);
}

function toFound(facts: BigIntStats): Found {
  return {
    kind: facts.isFile()
      ? "file"
      : facts.isDirectory()
        ? "folder"
        : facts.isSymbolicLink()
          ? "link"
          : "other",
    identity: `${facts.dev}:${facts.ino}`,
    size: Number(facts.size),
    links: Number(facts.nlink),
    mode: Number(facts.mode & 0o7777n),
    uid: Number(facts.uid),
    gid: Number(facts.gid),
  };
}
