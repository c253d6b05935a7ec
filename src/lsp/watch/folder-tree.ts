/**
 * Reads folders and files under the roots and records in the change log what was created or changed since they were
 * last read. Events name single entries; whole folders are listed only when they are new or events were lost. Ignored
 * folders are read in the background.
 */
import type { Dirent, Stats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { lstatOf, stampFrom } from "../../base/file-stamp.js";
import { slashed } from "../../base/paths.js";
import { systemCode } from "../../base/system.js";
import { forEachInParallel } from "../../base/timing.js";
import { GitIgnore, type GitUser, type IgnoreRules } from "../../workspace/git-ignore.js";
import { PACKAGE_FOLDERS, VERSION_CONTROL_FOLDERS } from "../../workspace/skipped-folders.js";
import { walkedDisk } from "../../workspace/walk.js";
import {
  type Folder,
  type IgnoredFolder,
  identityOf,
  KnownFolders,
  type KnownFoldersContext,
} from "./known-folders.js";

const RULES_FILE = ".gitignore";
/** How many entries are read at a time. */
const CONCURRENCY = 32;
/** Codes that say that nothing is at a path. After any other error that is unknown. */
const NOT_FOUND: readonly string[] = ["ENOENT", "ENOTDIR"];

interface ReadOptions {
  /** Part of the first reading of the workspace: what is found was there before. */
  isFirst?: boolean;
  /** An event named the entry. */
  isTouched?: boolean;
  /** Known folders inside are read too, because ignore rules changed. */
  isDeep?: boolean;
}

interface FolderTreeContext extends KnownFoldersContext {
  user: GitUser;
  isDenied: (path: string, isFolder: boolean) => boolean;
  /** Something of the workspace is not used or not followed. */
  warn: (message: string, data: { [name: string]: string }) => void;
}

export class FolderTree {
  readonly known: KnownFolders;
  readonly #git: GitIgnore;
  /** Rules from outside each root: of the repository and of the user. */
  readonly #outerRules = new Map<string, IgnoreRules[]>();
  /** Ignored folders that are being read in the background. */
  readonly #background = new Set<Promise<void>>();
  /** The first whole millisecond after the first check began. */
  #startedAt: number | undefined;

  constructor(private readonly context: FolderTreeContext) {
    this.known = new KnownFolders(context);
    this.#git = new GitIgnore(walkedDisk, context.user, (note) => context.warn("ignore rules", { note }));
  }

  get isReading(): boolean {
    return this.#background.size > 0;
  }

  /** Resolves when no ignored folder is being read in the background. */
  async idle(): Promise<void> {
    while (this.isReading) await Promise.all(this.#background);
  }

  /** A check begins. A file with a later time than the first check was written after the watch was started. */
  start(): void {
    this.#startedAt ??= Date.now() + 1;
  }

  /** Enters a root that is new, and reads one again that another folder replaced. */
  async readRoot(root: string): Promise<void> {
    const facts = lstatOf(root);
    const folder = this.known.get(root);
    if (folder === undefined) {
      if (!facts?.isDirectory()) return;
      const isFirst = !this.#outerRules.has(root);
      this.#outerRules.set(root, this.#git.outerRules(root));
      await this.#readFolder(this.known.add(root, root, facts, undefined), { isFirst });
    } else if (facts === undefined) await this.#readFolder(folder, {});
    else if (folder.identity !== identityOf(facts)) await this.#replace(folder, facts, {});
  }

  /** Reads the entries that events named. Returns the paths whose folder is still being read for the first time. */
  async readPaths(paths: Iterable<string>): Promise<string[]> {
    const entries = new Map<string, { folder: Folder; name: string }>();
    const later: string[] = [];
    for (const path of paths) {
      const entry = this.known.nearestFolder(path);
      if (entry === undefined) continue;
      const { folder, name } = entry;
      const at = join(folder.path, name);
      // A recursive watch also reports what is inside folders that are not followed.
      if (folder.isTopLevelOnly && at !== path && folder.folders.has(name)) continue;
      if (folder.isRead) entries.set(at, entry);
      else later.push(path);
    }
    if (entries.size > 0) this.#git.refill();
    await forEachInParallel([...entries.values()], CONCURRENCY, async ({ folder, name }) => {
      await this.#readEntry(folder, name, { isTouched: true });
      if (name === RULES_FILE && folder.ignoredIn === undefined)
        await this.#readFolder(folder, { isDeep: true });
    });
    return later;
  }

  /** Lists every folder again, or those of which changes may be missed. For lost events and the background scan. */
  async readAll(which: "all" | "unwatched"): Promise<void> {
    const { unwatchedFolders, unreadFolders } = this.known;
    const isChosen = (folder: Folder): boolean =>
      which === "all" || unwatchedFolders.has(folder.path) || unreadFolders.has(folder);
    const folders = this.known.all().filter((folder) => folder.isRead && isChosen(folder));
    await forEachInParallel(folders, CONCURRENCY, (folder) => {
      this.known.watchAgain(folder);
      return this.#readFolder(folder, {});
    });
  }

  /** Sets the stamp of a known file that was stat-ed elsewhere. */
  noteStamp(path: string, stamp: string | undefined): void {
    const folder = this.known.get(dirname(path));
    const file = this.known.file(path);
    if (folder === undefined || file === undefined) return;
    if (stamp === undefined) this.known.forgetFile(folder, basename(path));
    else file.stamp = stamp;
  }

  /** Lists a folder and reads every entry that is or was in it. */
  async #readFolder(folder: Folder, reading: ReadOptions): Promise<void> {
    let listing: Dirent[];
    try {
      listing = await readdir(folder.path, { withFileTypes: true });
    } catch (error) {
      if (!NOT_FOUND.includes(systemCode(error))) this.#readFailed(folder, error);
      else if (this.known.isKnown(folder)) this.known.folderDeleted(folder);
      return;
    }
    if (!this.known.isKnown(folder)) return;
    const folders = listing.filter((entry) => entry.isDirectory()).map(({ name }) => name);
    const others = new Set([...listing.map(({ name }) => name), ...folder.names]);
    for (const name of folders) others.delete(name);
    if (folder.ignoredIn === undefined) folder.rules = this.#rulesOf(folder, others.has(RULES_FILE));
    const wasFollowed = !folder.isTopLevelOnly;
    let isComplete = true;
    const read = async (name: string): Promise<void> => {
      if (!(await this.#readEntry(folder, name, { ...reading, isTouched: false }))) isComplete = false;
    };
    await forEachInParallel([...others], CONCURRENCY, read);
    // One after the other, so that a large tree is not read all at once.
    for (const name of folders) await read(name);
    folder.isRead = true;
    if (isComplete) this.known.unreadFolders.delete(folder);
    // The folder turned out to be too large: its folders were dropped, also those of scopes, which are followed.
    if (wasFollowed && folder.isTopLevelOnly) await this.#readFolder(folder, reading);
  }

  #rulesOf({ path, root }: Folder, hasOwn: boolean): readonly IgnoreRules[] {
    const outer = path === root ? this.#outerRules.get(root) : this.known.get(dirname(path))?.rules;
    if (!hasOwn) return outer ?? [];
    return [...(outer ?? []), ...this.#git.folderRules(root, slashed(relative(root, path)))];
  }

  /** False when the entry could not be read; what was known of it stays. */
  async #readEntry(folder: Folder, name: string, reading: ReadOptions): Promise<boolean> {
    const path = join(folder.path, name);
    let facts: Stats | undefined;
    try {
      facts = await lstat(path);
    } catch (error) {
      if (!NOT_FOUND.includes(systemCode(error))) {
        this.#readFailed(folder, error);
        return false;
      }
    }
    if (!this.known.isKnown(folder)) return true;
    if (facts === undefined) folder.names.delete(name);
    else folder.names.add(name);
    const isFolder = facts?.isDirectory() ?? false;
    if (!facts?.isFile()) this.known.fileDeleted(folder, name);
    if (!isFolder && folder.folders.has(name)) this.known.childDeleted(folder, name);
    if (
      facts === undefined ||
      (isFolder && VERSION_CONTROL_FOLDERS.has(name)) ||
      this.context.isDenied(path, isFolder)
    )
      return true;
    if (isFolder) await this.#folderFound(folder, name, facts, reading);
    else this.#fileFound(folder, name, facts, reading);
    return true;
  }

  #fileFound(folder: Folder, name: string, facts: Stats, { isFirst, isTouched }: ReadOptions): void {
    const stamp = stampFrom(facts);
    if (stamp === undefined) return;
    const path = join(folder.path, name);
    const ignored = this.#isIgnored(folder, name, false);
    const before = folder.files.get(name);
    if (!this.known.putFile(folder, name, { stamp: stamp.text, ignored })) return;
    const { log } = this.context;
    if (before !== undefined) {
      if (isTouched || before.stamp !== stamp.text || before.ignored !== ignored)
        log.record(path, "changed", ignored);
    } else if (!isFirst) log.record(path, "created", ignored);
    else if (stamp.changedAt >= (this.#startedAt ?? 0)) log.record(path, "changed", ignored);
  }

  async #folderFound(parent: Folder, name: string, facts: Stats, reading: ReadOptions): Promise<void> {
    const path = join(parent.path, name);
    parent.folders.add(name);
    const ignored = this.#isIgnored(parent, name, true);
    const known = this.known.get(path);
    if (known !== undefined && (known.ignoredIn !== undefined) === ignored) {
      if (known.identity !== identityOf(facts)) await this.#replace(known, facts, reading);
      else if (reading.isDeep) await this.#readFolder(known, reading);
      return;
    }
    if (known !== undefined) this.known.dropFolder(known);
    // In a `node_modules` that is too large, packages are also found in the folders of scopes.
    const isScope = name.startsWith("@");
    if (parent.isTopLevelOnly && !isScope && !(parent.isRead && reading.isTouched)) return;
    const folder = this.known.add(
      path,
      parent.root,
      facts,
      ignored ? ignoredFolderFor(parent, path) : undefined,
    );
    folder.isTopLevelOnly ||= parent.isTopLevelOnly && isScope;
    const read = this.#readFolder(folder, reading);
    if (ignored && parent.ignoredIn === undefined) this.#readInBackground(folder, read);
    else await read;
  }

  /** A check waits for this reading only for a short time. */
  #readInBackground(folder: Folder, read: Promise<void>): void {
    const reading = read
      .catch((error: unknown) => this.#readFailed(folder, error))
      .finally(() => this.#background.delete(reading));
    this.#background.add(reading);
  }

  #readFailed(folder: Folder, error: unknown): void {
    if (!this.known.markUnread(folder)) return;
    const cause = systemCode(error) || (error instanceof Error ? error.name : "");
    this.context.warn("a folder could not be read; it is not watched completely", {
      folder: folder.path,
      cause,
    });
  }

  async #replace(folder: Folder, facts: Stats, reading: ReadOptions): Promise<void> {
    this.known.replace(folder, facts);
    await this.#readFolder(folder, reading);
  }

  #isIgnored(folder: Folder, name: string, isFolder: boolean): boolean {
    if (folder.ignoredIn !== undefined || (isFolder && PACKAGE_FOLDERS.has(name))) return true;
    return this.#git.isIgnored(
      slashed(relative(folder.root, join(folder.path, name))),
      isFolder,
      folder.rules,
    );
  }
}

/** The ignored folder that a folder found in another one belongs to. */
function ignoredFolderFor(parent: Folder, path: string): IgnoredFolder {
  if (parent.ignoredIn !== undefined && !parent.isTopLevelOnly) return parent.ignoredIn;
  return { path, files: 0, folders: 0, isTooLarge: false };
}
