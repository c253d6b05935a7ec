/** Trees on disk: read with the hash of every file, compared, and written anew. Links are kept as links, never followed. */
import { join } from "node:path";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { type Content, type Disk, hashFile, type Owner } from "./disk.js";
import type { Tree } from "./step.js";

/** What an edit may still take up. */
export interface Budget {
  files: number;
  bytes: number;
}

/** Takes from a budget; throws a Refusal when it does not reach. */
export function spend(budget: Budget, files: number, bytes: number): void {
  budget.files -= files;
  budget.bytes -= bytes;
  if (budget.files < 0 || budget.bytes < 0)
    throw new Refusal("edit/too-large", "touches more files or bytes than can be kept for undoing it");
}

/** Reads a tree; every file in it counts. */
export async function readTree(disk: Disk, path: string, budget: Budget): Promise<Tree> {
  const found = await disk.look(path);
  if (found === undefined) throw new Refusal("edit/missing", "does not exist");
  const { mode, uid, gid } = found;
  const owner: Owner = { mode, uid, gid };
  spend(budget, 1, found.kind === "file" ? found.size : 0);
  if (found.kind === "link") return { kind: "link", target: await disk.readLink(path) };
  if (found.kind === "other") throw strange();
  if (found.kind === "file") {
    const sha256 = await hashFile(disk, path);
    return { kind: "file", state: { sha256, size: found.size, ...owner }, image: null };
  }
  const entries: { name: string; tree: Tree }[] = [];
  for (const name of sortBy(await disk.list(path), (entry) => [entry]))
    entries.push({ name, tree: await readTree(disk, join(path, name), budget) });
  return { kind: "folder", owner, entries };
}

/** The paths below a folder, relative to it; links are not followed. Throws a Refusal where one is neither file, folder nor link. */
export async function listTree(disk: Disk, folder: string, budget: Budget): Promise<string[]> {
  const paths: string[] = [];
  for (const name of await disk.list(folder)) {
    spend(budget, 1, 0);
    paths.push(name);
    const path = join(folder, name);
    const kind = (await disk.look(path))?.kind;
    if (kind === "other") throw strange();
    if (kind !== "folder") continue;
    for (const below of await listTree(disk, path, budget)) paths.push(join(name, below));
  }
  return paths;
}

/** Whoever waits at a pipe or a socket knows it by its name, and no journal could give it back. */
function strange(): Refusal {
  return new Refusal("guard/not-a-file", "is or holds a pipe, a socket or a device");
}

/** Whether a tree on disk has the same files, texts and links; who owns them does not count. */
export async function isSameTree(disk: Disk, path: string, tree: Tree): Promise<boolean> {
  const found = await disk.look(path);
  if (found?.kind !== tree.kind) return false;
  if (tree.kind === "link") return (await disk.readLink(path)) === tree.target;
  if (tree.kind === "file")
    return found.size === tree.state.size && (await hashFile(disk, path)) === tree.state.sha256;
  const names = (await disk.list(path)).length;
  if (names !== tree.entries.length) return false;
  for (const { name, tree: below } of tree.entries)
    if (!(await isSameTree(disk, join(path, name), below))) return false;
  return true;
}

/** Writes a tree where nothing is; `content` gives each file's bytes. */
export async function writeTree(
  disk: Disk,
  path: string,
  tree: Tree,
  content: (file: Extract<Tree, { kind: "file" }>) => { bytes: Content; keepOwner: boolean },
): Promise<void> {
  if (tree.kind === "link") return disk.makeLink(path, tree.target);
  if (tree.kind === "file") {
    const { bytes, keepOwner } = content(tree);
    return disk.write(path, bytes, keepOwner ? tree.state : "default");
  }
  // First for us alone: a folder that may not be written could not be filled.
  await disk.makeFolder(path, "private");
  for (const { name, tree: below } of tree.entries) await writeTree(disk, join(path, name), below, content);
  await disk.sync(path);
  await disk.own(path, tree.owner);
}
