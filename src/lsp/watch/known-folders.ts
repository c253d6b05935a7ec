/**
 * The folders and files under the roots as they were last read, within limits. An ignored folder that is too large is
 * followed only at its top level, where packages come and go. Deleted files are recorded in the change log here.
 */
import type { Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isInside } from "../../base/paths.js";
import type { IgnoreRules } from "../../workspace/git-ignore.js";
import type { WalkedFiles } from "../../workspace/walk.js";
import type { WatchSource } from "./watch-source.js";
import type { ChangeLog } from "./workspace-changes.js";

/** At most this many folders that are not followed completely are named; of further ones, the root is named. */
const MAX_NAMED = 20;
/** The share of the limits for ignored files and folders that one ignored folder may take. */
const SHARE_OF_ONE = 2 / 3;

/** An ignored folder with everything in it. */
export interface IgnoredFolder {
  readonly path: string;
  files: number;
  folders: number;
  isTooLarge: boolean;
}

interface KnownFile {
  stamp: string;
  ignored: boolean;
}

export interface Folder {
  readonly path: string;
  readonly root: string;
  /** Changes when another folder takes its place. */
  identity: string;
  readonly files: Map<string, KnownFile>;
  /** Names of everything in it, also of what is denied or not followed. */
  readonly names: Set<string>;
  /** Names of the folders in it, also of those that are not followed. */
  readonly folders: Set<string>;
  /** The rules of all `.gitignore` files that apply in this folder. */
  rules: readonly IgnoreRules[];
  /** The ignored folder that this one is counted in: one around it, or itself. */
  readonly ignoredIn: IgnoredFolder | undefined;
  /** Whether folders in it are read only when an event names them. */
  isTopLevelOnly: boolean;
  isRead: boolean;
}

export interface KnownFoldersContext {
  log: ChangeLog;
  source: WatchSource;
  /** Most files that git does not ignore; most files and folders that it does ignore. */
  limits: { files: number; ignoredFiles: number; ignoredFolders: number };
}

export class KnownFolders {
  readonly #folders = new Map<string, Folder>();
  /** Folders without watch events. */
  readonly unwatchedFolders = new Set<string>();
  /** Folders that could not be read, or not completely, when that was last tried. */
  readonly unreadFolders = new Set<Folder>();
  /** Folders with too much ignored content, of which not all is followed. */
  readonly #partlyWatched = new Set<string>();
  /** Roots with more files than the limit. */
  readonly overfull = new Set<string>();
  #files = 0;
  #ignoredFiles = 0;
  #ignoredFolders = 0;
  #isClosed = false;

  constructor(private readonly context: KnownFoldersContext) {}

  all(): Folder[] {
    return [...this.#folders.values()];
  }

  get(path: string): Folder | undefined {
    return this.#folders.get(path);
  }

  file(path: string): KnownFile | undefined {
    return this.#folders.get(dirname(path))?.files.get(basename(path));
  }

  isKnown(folder: Folder): boolean {
    return !this.#isClosed && this.#folders.get(folder.path) === folder;
  }

  /** The known folder nearest to a path, and the entry in it that leads to the path. */
  nearestFolder(path: string): { folder: Folder; name: string } | undefined {
    for (let entry = path; dirname(entry) !== entry; entry = dirname(entry)) {
      const folder = this.#folders.get(dirname(entry));
      if (folder !== undefined) return { folder, name: basename(entry) };
    }
    return undefined;
  }

  /** Paths in any of these folders that git does not ignore, in no order. */
  *files(folders: readonly string[]): Iterable<string> {
    for (const { path, files, ignoredIn } of this.#folders.values()) {
      if (ignoredIn !== undefined || !folders.some((folder) => isInside(path, folder))) continue;
      for (const [name, { ignored }] of files) {
        if (!ignored) yield join(path, name);
      }
    }
  }

  /** The entries of a folder for a walk. Those that git ignores and those that are not followed count as `other`. */
  entries(path: string): ReturnType<WalkedFiles["list"]> {
    const folder = this.#folders.get(path);
    if (folder === undefined) return [];
    return [...folder.names].map((name) => {
      const child = folder.folders.has(name) ? this.#folders.get(join(path, name)) : undefined;
      if (child !== undefined) return { name, kind: child.ignoredIn === undefined ? "folder" : "other" };
      return { name, kind: folder.files.get(name)?.ignored === false ? "file" : "other" };
    });
  }

  /** Adds a folder and watches it. Call this before the folder is read, so that no change in between is missed. */
  add(path: string, root: string, facts: Stats, ignoredIn: IgnoredFolder | undefined): Folder {
    const folder: Folder = {
      path,
      root,
      identity: identityOf(facts),
      ignoredIn,
      rules: [],
      files: new Map(),
      names: new Set(),
      folders: new Set(),
      isTopLevelOnly: false,
      isRead: false,
    };
    const isWatched = this.#watch(folder);
    this.#folders.set(path, folder);
    if (ignoredIn === undefined) return folder;
    ignoredIn.folders++;
    this.#ignoredFolders++;
    if (!isWatched || !this.#fits(ignoredIn)) this.#followTopLevelOnly(ignoredIn);
    return folder;
  }

  /** Another folder is now at the path of a known one, so it needs a new watch. */
  replace(folder: Folder, facts: Stats): void {
    folder.identity = identityOf(facts);
    this.#watch(folder);
  }

  /** The outermost folders that are not followed completely. At most MAX_NAMED and the roots: every call reads them. */
  partlyWatchedFolders(): string[] {
    const unread = [...this.unreadFolders].map(({ path, root }, index) => (index < MAX_NAMED ? path : root));
    const found = [...new Set([...this.#partlyWatched, ...unread])];
    return found.filter((path) => !found.some((other) => other !== path && isInside(path, other)));
  }

  #watchPartly({ path, root }: Folder): void {
    this.#partlyWatched.add(this.#partlyWatched.size < MAX_NAMED ? path : root);
  }

  /** Tries again to watch a folder without a watch. */
  watchAgain(folder: Folder): void {
    if (this.unwatchedFolders.has(folder.path)) this.#watch(folder);
  }

  #watch({ path }: Folder): boolean {
    const isWatched = !this.#isClosed && this.context.source.add(path);
    if (isWatched) this.unwatchedFolders.delete(path);
    else this.unwatchedFolders.add(path);
    return isWatched;
  }

  /** A watch failed: the folder, or everything in the root, has no events any more. */
  markUnwatched(folder: string): void {
    for (const { path, root } of this.#folders.values())
      if (path === folder || root === folder) this.unwatchedFolders.add(path);
  }

  /** Not all of a folder was read; the background scan reads it again. False when that is known already. */
  markUnread(folder: Folder): boolean {
    if (!this.isKnown(folder) || this.unreadFolders.has(folder)) return false;
    this.unreadFolders.add(folder);
    folder.isRead = true;
    return true;
  }

  /** Adds a file, or sets its new stamp; false when there are too many. */
  putFile(folder: Folder, name: string, file: KnownFile): boolean {
    const before = folder.files.get(name);
    if (before?.ignored !== file.ignored) {
      this.forgetFile(folder, name);
      if (!this.#makeRoom(folder, file.ignored)) return false;
    }
    folder.files.set(name, file);
    return true;
  }

  /** Forgets a file without recording it as deleted. */
  forgetFile(folder: Folder, name: string): void {
    const known = folder.files.get(name);
    if (known === undefined) return;
    folder.files.delete(name);
    this.#count(folder, known.ignored, -1);
  }

  #makeRoom(folder: Folder, ignored: boolean): boolean {
    const { limits } = this.context;
    const { ignoredIn } = folder;
    if (!ignored && this.#files >= limits.files) {
      this.overfull.add(folder.root);
      return false;
    }
    if (ignored && ignoredIn === undefined && this.#ignoredFiles >= limits.ignoredFiles) {
      this.#watchPartly(folder);
      return false;
    }
    this.#count(folder, ignored, 1);
    if (ignoredIn === undefined || this.#fits(ignoredIn)) return true;
    this.#followTopLevelOnly(ignoredIn);
    if (!this.isKnown(folder)) this.#count(folder, ignored, -1);
    return this.isKnown(folder);
  }

  #count({ ignoredIn }: Folder, ignored: boolean, files: 1 | -1): void {
    if (ignored) this.#ignoredFiles += files;
    else this.#files += files;
    if (ignoredIn !== undefined) ignoredIn.files += files;
  }

  #fits({ files, folders }: IgnoredFolder): boolean {
    const { ignoredFiles, ignoredFolders } = this.context.limits;
    const isAllowed = files <= ignoredFiles * SHARE_OF_ONE && folders <= ignoredFolders * SHARE_OF_ONE;
    return isAllowed && this.#ignoredFiles <= ignoredFiles && this.#ignoredFolders <= ignoredFolders;
  }

  /** An ignored folder is too large: from now on only its own entries are followed. Nothing is recorded as deleted. */
  #followTopLevelOnly(ignored: IgnoredFolder): void {
    const top = this.#folders.get(ignored.path);
    if (ignored.isTooLarge || top === undefined) return;
    ignored.isTooLarge = true;
    top.isTopLevelOnly = true;
    this.#watchPartly(top);
    this.#dropChildren(top);
  }

  fileDeleted(folder: Folder, name: string): void {
    const known = folder.files.get(name);
    if (known === undefined) return;
    this.forgetFile(folder, name);
    this.context.log.record(join(folder.path, name), "deleted", known.ignored);
  }

  /** A folder in another one was deleted: records everything in it as deleted. */
  childDeleted(parent: Folder, name: string): void {
    parent.folders.delete(name);
    const path = join(parent.path, name);
    const folder = this.#folders.get(path);
    if (folder !== undefined) this.folderDeleted(folder);
    // The files of a package that was not followed are unknown: the folder itself is recorded.
    else if (parent.isTopLevelOnly) this.context.log.record(path, "deleted", true);
  }

  /** A folder was deleted: records everything in it as deleted. */
  folderDeleted(folder: Folder): void {
    for (const name of [...folder.files.keys()]) this.fileDeleted(folder, name);
    for (const name of [...folder.folders]) this.childDeleted(folder, name);
    this.dropFolder(folder);
  }

  /** Forgets a folder with everything in it, without recording anything as deleted. */
  dropFolder(folder: Folder): void {
    this.#dropChildren(folder);
    for (const name of [...folder.files.keys()]) this.forgetFile(folder, name);
    this.context.source.remove(folder.path);
    this.#folders.delete(folder.path);
    this.unwatchedFolders.delete(folder.path);
    this.unreadFolders.delete(folder);
    this.#partlyWatched.delete(folder.path);
    if (folder.ignoredIn === undefined) return;
    folder.ignoredIn.folders--;
    this.#ignoredFolders--;
  }

  #dropChildren(folder: Folder): void {
    for (const name of folder.folders) {
      const child = this.#folders.get(join(folder.path, name));
      if (child !== undefined) this.dropFolder(child);
    }
  }

  close(): void {
    this.#isClosed = true;
  }
}

/** Tells two folders at one path apart. Inode numbers are used again, so the time of birth is added. */
export function identityOf({ dev, ino, birthtimeMs }: Stats): string {
  return `${dev}:${ino}:${birthtimeMs}`;
}
