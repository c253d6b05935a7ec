/**
 * The real file system. Each operation opens the folder of its path first and checks that it is still at that path; on
 * Linux it then works through the open folder, so a link swapped in after the check has no effect.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type BigIntStats, constants, linkSync, lstatSync, renameSync, unlinkSync } from "node:fs";
import * as fs from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { isStillAt, READ_FLAGS } from "../../base/guarded-open.js";
import { here, type Platform } from "../../base/platform.js";
import { systemCode } from "../../base/system.js";
import type { Content, Disk, DiskEntry, Ownership } from "./disk.js";
import { ABSENT, systemError, tolerate } from "./errors.js";

const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const WRITE_FLAGS = constants.O_WRONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);
const NEW_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
const FOLDER_FLAGS = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | NO_FOLLOW;
const CHUNK_BYTES = 1 << 20;
const SMALL_CHUNK_BYTES = 1 << 11;
const COPY_TIMEOUT_MS = 10_000;
const NO_HARD_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

type LinkFile = (from: string, to: string) => void;

/** The real file system with another way to make hard links, or as on another platform: for tests. */
export function diskWithLinks(link: LinkFile, platform: Platform = here): Disk {
  const inFolder = folderGuard(platform);
  return {
    ...basicDisk(platform, inFolder),
    moveToFree: (from, to) =>
      inFolder(from, (source) => inFolder(to, async (target) => moveToFree(platform, link, source, target))),
    exchange: (from, to, aside) =>
      inFolder(from, (source) =>
        inFolder(to, (target) =>
          inFolder(aside, async (old) => {
            // Synchronous: the path is without a file for as short as possible.
            renameSync(target, old);
            return moveToFree(platform, link, source, target);
          }),
        ),
      ),
  };
}

type InFolder = ReturnType<typeof folderGuard>;

const basicDisk = (platform: Platform, inFolder: InFolder): Omit<Disk, "moveToFree" | "exchange"> => ({
  async stat(path) {
    const stats = inFolder(path, (name) => fs.lstat(name, { bigint: true }));
    const found = await tolerate(ABSENT, stats);
    return found && toEntry(found);
  },
  async canWrite(path) {
    // `access` would check the real user id; opening checks the effective one.
    const opened = inFolder(path, (name) => fs.open(name, WRITE_FLAGS));
    const file = await tolerate(["EACCES", "EPERM", "EROFS", "ETXTBSY"], opened);
    await file?.close();
    return file !== undefined;
  },
  async read(path, maxBytes) {
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.readChunks(path)) {
      size += chunk.length;
      if (size > maxBytes) throw systemError("EFBIG", "too large");
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  },
  async *readChunks(path, range) {
    const file = await inFolder(path, (name) => fs.open(name, READ_FLAGS));
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw systemError("EISDIR", "not a regular file");
      let position = range?.offset ?? 0;
      const end = range === undefined ? Number.POSITIVE_INFINITY : range.offset + range.length;
      while (position < end) {
        // Most files are small; one that has grown since is read to its end in small chunks.
        const expected = Math.max(SMALL_CHUNK_BYTES, stats.size - position);
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, expected, end - position));
        const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
        if (bytesRead === 0) return;
        yield buffer.subarray(0, bytesRead);
        position += bytesRead;
      }
    } finally {
      await file.close();
    }
  },
  list: (path) => inFolder(path, (name) => fs.readdir(name)),
  readLink: (path) => inFolder(path, (name) => fs.readlink(name)),
  async write(path, content, owner) {
    await inFolder(path, (name) => writeNew(platform, name, content, owner));
  },
  writeLike: (like, path, content, owner) =>
    inFolder(like, (source) => inFolder(path, (name) => writeNew(platform, name, content, owner, source))),
  symlink: (path, target) => inFolder(path, (name) => fs.symlink(target, name)),
  link: (from, to) => inFolder(from, (source) => inFolder(to, (target) => fs.link(source, target))),
  rename: (from, to) => inFolder(from, (source) => inFolder(to, (target) => fs.rename(source, target))),
  unlink: (path) => inFolder(path, (name) => fs.unlink(name)),
  makeFolder: (path, owner) =>
    inFolder(path, async (name) => {
      await fs.mkdir(name, owner === "default" ? {} : { mode: 0o700 });
      await setFolderOwner(platform, name, owner);
    }),
  setOwner: (folder, owner) => inFolder(folder, (name) => setFolderOwner(platform, name, owner)),
  removeFolder: (path) => inFolder(path, (name) => fs.rmdir(name)),
  removeTree: (path) =>
    inFolder(path, async (name) => {
      try {
        await fs.rm(name, { recursive: true, force: true });
      } catch (error) {
        if (!["EACCES", "EPERM"].includes(systemCode(error))) throw error;
        await makeWritable(name);
        await fs.rm(name, { recursive: true, force: true });
      }
    }),
  async sync(folder) {
    // Windows cannot open folders and does not need this.
    if (!platform.opensFolders) return;
    const handle = await openFolder(folder, platform);
    await handle.sync().finally(() => handle.close());
  },
});

export const realDisk = diskWithLinks(linkSync);

/** Moves something to a free path; false when something that appeared in the same instant could have been replaced. */
function moveToFree(platform: Platform, link: LinkFile, source: string, target: string): boolean {
  const from = toEntry(lstatSync(source, { bigint: true }));
  // Elsewhere a hard link of a symbolic link is one of its target.
  const canLink = from.kind === "file" || (from.kind === "link" && platform.hardLinksSymlinks);
  if (canLink && tryLink(link, source, target)) {
    unlinkSync(source);
    return true;
  }
  const found = lstatSync(target, { bigint: true, throwIfNoEntry: false });
  // A folder is also found by its new name when only the case differs.
  if (found !== undefined && toEntry(found).identity !== from.identity)
    throw systemError("EEXIST", "the target exists");
  renameSync(source, target);
  // No system renames a folder over a file, or over a folder that is not empty.
  return from.kind === "folder";
}

/** Makes a hard link, which never replaces anything; false where the file system has none. */
function tryLink(link: LinkFile, source: string, target: string): boolean {
  try {
    link(source, target);
    return true;
  } catch (error) {
    if (NO_HARD_LINKS.includes(systemCode(error))) return false;
    throw error;
  }
}

/** Runs an operation on a path by a name that leads through its verified folder. */
function folderGuard(platform: Platform) {
  return async <T>(path: string, operation: (name: string) => Promise<T>): Promise<T> => {
    const folder = dirname(path);
    if (!platform.opensFolders) {
      if ((await fs.realpath(folder)) !== folder) throw systemError("EMOVED", "the folder was moved");
      return operation(path);
    }
    const handle = await openFolder(folder, platform);
    try {
      const anchor = platform.hasProc ? `/proc/self/fd/${handle.fd}` : folder;
      return await operation(join(anchor, basename(path)));
    } finally {
      await handle.close();
    }
  };
}

async function openFolder(folder: string, platform: Platform): Promise<fs.FileHandle> {
  const handle = await fs.open(folder, FOLDER_FLAGS);
  try {
    if (!(await isStillAt(handle, folder, platform))) throw systemError("EMOVED", "the folder was moved");
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Writes and flushes a new file, with the attributes of `like`; false when some were lost. */
async function writeNew(
  platform: Platform,
  name: string,
  content: Content,
  owner: Ownership,
  like?: string,
): Promise<boolean> {
  const file = await fs.open(name, NEW_FLAGS, owner === "default" ? 0o666 : 0o600);
  try {
    const isKept = like === undefined || (await copyAttributes(platform, like, name));
    await file.truncate();
    for await (const chunk of content instanceof Uint8Array ? [content] : content)
      await file.writeFile(chunk);
    await setOwner(file, owner, 0o600);
    await file.sync();
    return isKept;
  } finally {
    await file.close();
  }
}

async function setFolderOwner(platform: Platform, name: string, owner: Ownership): Promise<void> {
  if (owner === "default" || !platform.hasModes) return;
  const folder = await fs.open(name, FOLDER_FLAGS);
  await setOwner(folder, owner, 0o700).finally(() => folder.close());
}

/** Sets owner and mode. Only root can change the owner, and not on every file system: that failure is ignored. */
async function setOwner(file: fs.FileHandle, owner: Ownership, privateMode: number): Promise<void> {
  if (owner === "default") return;
  // A strict umask may have removed our own permissions.
  if (owner === "private") return file.chmod(privateMode);
  const stats = await file.stat();
  if (stats.uid !== owner.uid || stats.gid !== owner.gid)
    await tolerate(["EPERM", "ENOTSUP", "ENOSYS", "EINVAL"], file.chown(owner.uid, owner.gid));
  await file.chmod(owner.mode);
}

/** Makes a folder and all folders below it writable for us. */
async function makeWritable(folder: string): Promise<void> {
  if (!(await fs.lstat(folder)).isDirectory()) return;
  await fs.chmod(folder, 0o700);
  for (const entry of await fs.readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await makeWritable(join(folder, entry.name));
}

function toEntry(stats: BigIntStats): DiskEntry {
  const folderOrLink = stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other";
  return {
    kind: stats.isFile() ? "file" : folderOrLink,
    identity: `${stats.dev}:${stats.ino}`,
    size: Number(stats.size),
    links: Number(stats.nlink),
    mode: Number(stats.mode & 0o7777n),
    uid: Number(stats.uid),
    gid: Number(stats.gid),
  };
}

/** Whether `cp` supports these arguments; undefined until a copy has failed. */
let isCopySupported: boolean | undefined;

/** Copies the attributes of a file to another; false when some are known to be lost. */
async function copyAttributes(
  { copyArguments: args, isCopyUncertain }: Platform,
  from: string,
  to: string,
): Promise<boolean> {
  if (args === undefined || isCopySupported === false) return true;
  if (await runCopy([...args, pathForChild(from), pathForChild(to)])) return true;
  // Where `cp` does not know the arguments, the failure says nothing about the file.
  isCopySupported ??= !isCopyUncertain || (await runCopy(["--version"]));
  return !isCopySupported;
}

/** A path through our open folder, as a child process names it. */
function pathForChild(path: string): string {
  return resolve(path.replace(/^\/proc\/self\//, `/proc/${process.pid}/`));
}

async function runCopy(args: string[]): Promise<boolean> {
  const options = { stdio: "ignore", env: {}, timeout: COPY_TIMEOUT_MS, killSignal: "SIGKILL" } as const;
  try {
    const [code] = await once(spawn("/bin/cp", args, options), "close");
    return code === 0;
  } catch {
    return false;
  }
}
