/** The real disk: every act within the opened folder of its path. */
import { type BigIntStats, constants, lstatSync, renameSync } from "node:fs";
import * as fs from "node:fs/promises";
import { join } from "node:path";
import { copyAttributes } from "./attributes.js";
import { type Content, type Disk, type Found, isAbsence, type Ownership, systemCode } from "./disk.js";
import { between, openFolder, within } from "./opened-folder.js";
import { openFolders, own, ownFolder } from "./ownership.js";

const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const WRITE_FLAGS = constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const NEW_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
const CHUNK_BYTES = 1 << 20;

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
  listBelow: (path) =>
    within(path, async (name) => {
      const found: { name: string; names: string[] }[] = [];
      for (const entry of await fs.readdir(name, { withFileTypes: true }))
        if (entry.isDirectory())
          found.push({ name: entry.name, names: await fs.readdir(join(name, entry.name)).catch(() => []) });
      return found;
    }),
  readLink: (path) => within(path, (name) => fs.readlink(name)),
  write: (path, content, owner) => within(path, (name) => writeNew(name, content, owner)),
  writeLike: (like, path, content, owner) =>
    within(like, (source) =>
      within(path, async (name) => {
        let isKept = false;
        await writeNew(name, content, owner, async (file) => {
          isKept = await copyAttributes(source, name);
          await file.truncate();
        });
        return isKept;
      }),
    ),
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

/** Writes a file that must not be there yet; `dress` gets it while it is empty. */
async function writeNew(
  name: string,
  content: Content,
  owner: Ownership,
  dress?: (file: fs.FileHandle) => Promise<void>,
): Promise<void> {
  const file = await fs.open(name, NEW_FLAGS, owner === "default" ? 0o666 : 0o600);
  try {
    await dress?.(file);
    for await (const piece of content instanceof Uint8Array ? [content] : content)
      await file.writeFile(piece);
    await own(file, owner, 0o600);
    await file.sync();
  } finally {
    await file.close();
  }
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
