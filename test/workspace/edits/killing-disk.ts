/** The real disk, which kills the process at its nth write: before the write or halfway through it. */
import { join } from "node:path";
import type { Content, Disk } from "../../../src/workspace/edits/disk.js";
import { realDisk } from "../../../src/workspace/edits/real-disk.js";

/** A disk that kills its own process at a write counted from 1. */
export function killingDisk(at: number): Disk {
  let moment = 0;
  const die = async (): Promise<never> => {
    process.kill(process.pid, "SIGKILL");
    return new Promise(() => {});
  };
  const pass = async (): Promise<void> => {
    moment++;
    if (moment === at) await die();
  };
  const half = async <T>(content: Content, write: (bytes: Buffer) => Promise<T>): Promise<T> => {
    await pass();
    const bytes = await collect(content);
    moment++;
    if (moment === at) {
      await write(bytes.subarray(0, bytes.length / 2));
      await die();
    }
    return write(bytes);
  };
  /** Dies with both names in place. */
  const halfMove = async (from: string, to: string): Promise<void> => {
    moment++;
    if (moment !== at) return;
    if ((await realDisk.stat(from))?.kind === "file") await realDisk.link(from, to);
    await die();
  };
  return {
    ...realDisk,
    write: (path, content, owner) => half(content, (bytes) => realDisk.write(path, bytes, owner)),
    writeLike: (like, path, content, owner) =>
      half(content, (bytes) => realDisk.writeLike(like, path, bytes, owner)),
    async removeTree(path) {
      await pass();
      moment++;
      if (moment === at) {
        const isFolder = (await realDisk.stat(path))?.kind === "folder";
        const [first] = isFolder ? await realDisk.list(path) : [];
        if (first !== undefined) await realDisk.removeTree(join(path, first));
        await die();
      }
      await realDisk.removeTree(path);
    },
    symlink: (path, target) => pass().then(() => realDisk.symlink(path, target)),
    link: (from, to) => pass().then(() => realDisk.link(from, to)),
    rename: (from, to) => pass().then(() => realDisk.rename(from, to)),
    async moveToFree(from, to) {
      await pass();
      await halfMove(from, to);
      return realDisk.moveToFree(from, to);
    },
    async exchange(from, to, aside) {
      await pass();
      moment++;
      if (moment === at) {
        await realDisk.rename(to, aside);
        await die();
      }
      if (moment + 1 === at) await realDisk.rename(to, aside);
      await halfMove(from, to);
      return realDisk.exchange(from, to, aside);
    },
    unlink: (path) => pass().then(() => realDisk.unlink(path)),
    makeFolder: (path, owner) => pass().then(() => realDisk.makeFolder(path, owner)),
    setOwner: (folder, owner) => pass().then(() => realDisk.setOwner(folder, owner)),
    removeFolder: (path) => pass().then(() => realDisk.removeFolder(path)),
    sync: (folder) => pass().then(() => realDisk.sync(folder)),
  };
}

async function collect(content: Content): Promise<Buffer> {
  if (content instanceof Uint8Array) return Buffer.from(content);
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}
