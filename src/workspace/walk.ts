/**
 * Walks the files of a folder that git does not ignore: bounded, nearest folders first, names in order. Equal folders
 * give equal walks. Other worktrees of the same repository are left out. The result says whether a bound left files
 * out.
 */
import { join } from "node:path";
import { entriesIn, type FolderEntry } from "../base/disk.js";
import { readRegularFile } from "../base/guarded-open.js";
import { sortBy } from "../base/order.js";
import { Turns } from "../base/timing.js";
import { GitIgnore, type GitUser, type IgnoreRules, MAX_RULES_BYTES } from "./git-ignore.js";
import { holdsInstalled, PACKAGE_FOLDERS, VERSION_CONTROL_FOLDERS } from "./skipped-folders.js";

/** The part of a file system that a walk uses. */
export interface WalkedFiles {
  /**
   * The content, or `undefined` when there is no such regular file. Of a file above 1 MiB only somewhat more is read.
   */
  read(path: string): string | Uint8Array | undefined;
  /** A folder's entries; none when it cannot be listed. */
  list(path: string): FolderEntry[];
}

/** Most entries in all, and in one folder. */
const MAX_ENTRIES = 200_000;
const MAX_IN_FOLDER = 50_000;
const MAX_DEPTH = 64;
/** After how many entries of a folder other work may run. */
const ENTRIES_PER_TURN = 16;
const SKIPPED: ReadonlySet<string> = new Set([...VERSION_CONTROL_FOLDERS, ...PACKAGE_FOLDERS]);
/** How long a walk may block the event loop. */
const SLICE_MS = 40;

/** Yields the path of a file, relative to the folder with `/`, or undefined to let other work run. */
export type Walk = Generator<string | undefined, Walked, void>;

/** How a walk ended. */
export interface Walked {
  /** Whether a bound left files out. */
  cut: boolean;
  /** Rules of ignore files that were not used, and why. */
  notes: readonly string[];
}

/** Walks a folder lazily: stop iterating when you have seen enough. */
export function* walk(root: string, files: WalkedFiles, user: GitUser): Walk {
  const notes: string[] = [];
  const git = new GitIgnore(files, user, (note) => notes.push(note));
  let seen = 0;
  let cut = false;
  const isWorktree = (folder: string, entries: FolderEntry[]) =>
    entries.some(({ name, kind }) => name === ".git" && kind === "file") && git.isWorktree(root, folder);
  let level: { folder: string; rules: IgnoreRules[] }[] = [{ folder: "", rules: git.outerRules(root) }];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return { cut: true, notes };
    const next: typeof level = [];
    for (const { folder, rules: outer } of level) {
      if (seen >= MAX_ENTRIES) return { cut: true, notes };
      yield undefined;
      const rules = [...outer, ...git.folderRules(root, folder)];
      const entries = sortBy(files.list(join(root, folder)), ({ name }) => [name]);
      if (folder !== "" && (holdsInstalled(folder, entries) || isWorktree(folder, entries))) continue;
      const room = Math.min(MAX_IN_FOLDER, MAX_ENTRIES - seen);
      let looked = 0;
      for (const [index, { name, kind }] of entries.entries()) {
        if (index > 0 && index % ENTRIES_PER_TURN === 0) yield undefined;
        if (kind === "other" || SKIPPED.has(name)) continue;
        const path = folder === "" ? name : `${folder}/${name}`;
        // Folders are entered even where a folder has too many files: a project may lie in the last of them.
        if (kind === "file" && ++looked > room) {
          cut = true;
          continue;
        }
        if (git.isExhausted) return { cut: true, notes };
        if (git.isIgnored(path, kind === "folder", rules)) continue;
        if (kind === "folder") next.push({ folder: path, rules });
        else yield path;
      }
      seen += Math.min(looked, room);
    }
    level = next;
  }
  return { cut, notes };
}

/** Runs a walk to its end, or until `meet` returns true, without blocking the event loop for long. */
export async function walkInTurns(
  steps: Walk,
  meet: (path: string) => boolean | Promise<boolean>,
): Promise<Walked> {
  const turns = new Turns(undefined, SLICE_MS);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (value !== undefined && (await meet(value))) return { cut: false, notes: [] };
    if (turns.isDue) await turns.yield();
  }
}

/** The disk for a walk and a watch. */
export const walkedDisk: WalkedFiles = {
  // A file in a folder that cannot be listed is refused with the reason when it is opened.
  list: entriesIn,

  read(path) {
    try {
      return readRegularFile(path, MAX_RULES_BYTES + 1)?.bytes;
    } catch {
      return undefined;
    }
  },
};
