/** The file system operations that edits need, and operations on whole trees built from them. Tests replace `Disk`. */
import { createHash } from "node:crypto";
import { join } from "node:path";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";

export interface Owner {
  mode: number;
  uid: number;
  gid: number;
}

/** What exists at a path; symbolic links are not followed. */
export interface DiskEntry extends Owner {
  kind: "file" | "folder" | "link" | "other";
  /** Device and inode: equal for hard links, and unchanged by a rename. */
  identity: string;
  size: number;
  links: number;
}

/** Owner and mode of a new file or folder: those given, accessible to us alone, or the system's defaults. */
export type Ownership = Owner | "private" | "default";

export interface ByteRange {
  offset: number;
  length: number;
}

export type Content = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Failures are the system's own errors with their codes. All paths are real paths; an operation fails with EMOVED when
 * the folder of a path was moved or replaced by a link.
 */
export interface Disk {
  stat(path: string): Promise<DiskEntry | undefined>;
  canWrite(path: string): Promise<boolean>;
  read(path: string, maxBytes: number): Promise<Buffer>;
  /** Reads a regular file, or a range of it, in chunks. */
  readChunks(path: string, range?: ByteRange): AsyncIterable<Uint8Array>;
  list(path: string): Promise<string[]>;
  readLink(path: string): Promise<string>;
  /** Writes and flushes a file that must not exist yet. */
  write(path: string, content: Content, owner: Ownership): Promise<void>;
  /** The same, with the extended attributes and access lists of another file; false when some were lost. */
  writeLike(like: string, path: string, content: Content, owner: Owner): Promise<boolean>;
  symlink(path: string, target: string): Promise<void>;
  /** Makes a hard link; fails when the new name exists. */
  link(from: string, to: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  /**
   * Moves something to a path; EEXIST when something is there. False when something that appeared in the same instant
   * could have been replaced: the file system has no hard links.
   */
  moveToFree(from: string, to: string): Promise<boolean>;
  /** Moves whatever is at `to` to the free name `aside`, and at once `from` to `to`, like `moveToFree`. */
  exchange(from: string, to: string, aside: string): Promise<boolean>;
  unlink(path: string): Promise<void>;
  makeFolder(path: string, owner: Ownership): Promise<void>;
  setOwner(folder: string, owner: Ownership): Promise<void>;
  removeFolder(path: string): Promise<void>;
  /** Removes whatever is there, recursively, also from our own write-protected folders. */
  removeTree(path: string): Promise<void>;
  /** Flushes the names in a folder. */
  sync(folder: string): Promise<void>;
}

export interface FileState extends Owner {
  sha256: string;
  size: number;
}

/** A file, link or folder with everything below it. The journal stores trees: do not rename members. */
export type Tree =
  | TreeFile
  | { kind: "folder"; owner: Owner; entries: { name: string; tree: Tree }[] }
  | { kind: "link"; target: string };

interface TreeFile {
  kind: "file";
  state: FileState;
  /** Where the journal has the content. */
  image: ByteRange | null;
}

/** The files and bytes that an edit may still use. */
export interface Budget {
  files: number;
  bytes: number;
}

/** Throws a Refusal when the budget is exceeded. */
export function spend(budget: Budget, files: number, bytes: number): void {
  budget.files -= files;
  budget.bytes -= bytes;
  if (budget.files < 0 || budget.bytes < 0)
    throw new Refusal("edit/too-large", "touches more files or bytes than can be kept for undo");
}

export function ownerOf({ mode, uid, gid }: Owner): Owner {
  return { mode, uid, gid };
}

export async function hashFile(disk: Disk, path: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of disk.readChunks(path)) hash.update(chunk);
  return hash.digest("hex");
}

/** Reads a tree with the hash of every file. */
export async function readTree(disk: Disk, path: string, budget: Budget): Promise<Tree> {
  const found = await disk.stat(path);
  if (found === undefined) throw new Refusal("edit/missing", "does not exist");
  const owner = ownerOf(found);
  spend(budget, 1, found.kind === "file" ? found.size : 0);
  if (found.kind === "link") return { kind: "link", target: await disk.readLink(path) };
  if (found.kind === "other") throw notRestorable();
  if (found.kind === "file") {
    const sha256 = await hashFile(disk, path);
    return { kind: "file", state: { sha256, size: found.size, ...owner }, image: null };
  }
  const entries: { name: string; tree: Tree }[] = [];
  for (const name of sortBy(await disk.list(path), (entry) => [entry]))
    entries.push({ name, tree: await readTree(disk, join(path, name), budget) });
  return { kind: "folder", owner, entries };
}

export async function listTree(disk: Disk, folder: string, budget: Budget): Promise<string[]> {
  const paths: string[] = [];
  for (const name of await disk.list(folder)) {
    spend(budget, 1, 0);
    paths.push(name);
    const path = join(folder, name);
    const kind = (await disk.stat(path))?.kind;
    if (kind === "other") throw notRestorable();
    if (kind !== "folder") continue;
    for (const below of await listTree(disk, path, budget)) paths.push(join(name, below));
  }
  return paths;
}

/** The journal cannot restore a pipe or a socket that another process has open. */
function notRestorable(): Refusal {
  return new Refusal("guard/not-a-file", "is or contains a pipe, a socket or a device");
}

/**
 * Whether a tree on disk has the same files, contents and links; owners are not compared. With `part`, entries of a
 * folder may be missing: removing the tree was begun.
 */
export async function isSameTree(
  disk: Disk,
  path: string,
  tree: Tree,
  part: "whole" | "part" = "whole",
): Promise<boolean> {
  const found = await disk.stat(path);
  if (found?.kind !== tree.kind) return false;
  if (tree.kind === "link") return (await disk.readLink(path)) === tree.target;
  if (tree.kind === "file")
    return found.size === tree.state.size && (await hashFile(disk, path)) === tree.state.sha256;
  const names = await disk.list(path);
  if (part === "whole" && names.length !== tree.entries.length) return false;
  for (const name of names) {
    const below = tree.entries.find((entry) => entry.name === name)?.tree;
    if (below === undefined || !(await isSameTree(disk, join(path, name), below, part))) return false;
  }
  return true;
}

/** Gives the bytes of a file to write, and whether the file gets the owner in its state. */
export type ContentOf = (file: TreeFile | null) => { bytes: Content; keepOwner: boolean };

export async function writeTree(disk: Disk, path: string, tree: Tree, contentOf: ContentOf): Promise<void> {
  if (tree.kind === "link") return disk.symlink(path, tree.target);
  if (tree.kind === "file") {
    const { bytes, keepOwner } = contentOf(tree);
    return disk.write(path, bytes, keepOwner ? tree.state : "default");
  }
  // Private first: a read-only folder could not be filled.
  await disk.makeFolder(path, "private");
  for (const { name, tree: below } of tree.entries) await writeTree(disk, join(path, name), below, contentOf);
  await disk.sync(path);
  await disk.setOwner(path, tree.owner);
}

export function filesInTree(tree: Tree, path: string): { path: string; file: TreeFile }[] {
  if (tree.kind === "file") return [{ path, file: tree }];
  if (tree.kind === "link") return [];
  return tree.entries.flatMap((entry) => filesInTree(entry.tree, join(path, entry.name)));
}

/** All paths of a tree, its own first. */
export function pathsInTree(tree: Tree, path: string): string[] {
  if (tree.kind !== "folder") return [path];
  return [path, ...tree.entries.flatMap((entry) => pathsInTree(entry.tree, join(path, entry.name)))];
}
