/**
 * Knows which files under the roots changed, so that servers can be notified of edits made by anyone. Before a
 * question the pending watch events are drained and the recently shown files are stat-ed. Folders are listed only
 * on the first check, after lost events, and when they are new. Where events are not available, a background scan
 * replaces them.
 */
import { dirname, relative } from "node:path";
import type { GlobList } from "../../base/glob.js";
import { homeOf } from "../../base/home.js";
import { sortedSet } from "../../base/order.js";
import { isInside, slashed } from "../../base/paths.js";
import { withTimeout } from "../../base/timing.js";
import { compileDeny } from "../../workspace/deny.js";
import type { WalkedFiles } from "../../workspace/walk.js";
import type { KnownNames, Log } from "../types.js";
import { FolderTree } from "./folder-tree.js";
import { defaultWatchOptions, type WatchOptions } from "./watch-options.js";
import { isOnNetwork, type WatchSource } from "./watch-source.js";
import { ChangeLog, type FileChange, RecentlyShownFiles } from "./workspace-changes.js";

/** Watches that are reserved for folders that git does not ignore. */
const RESERVED_WATCHES = 3_072;
/** When events name more paths than this between two checks, everything is read again. */
const MAX_TOUCHED = 20_000;
/** A background scan takes at most 1/50 of the time. */
const RESCAN_SHARE = 50;
/** A check that ended so shortly before serves the steps that follow it in the same call. */
const SHARED_MS = 100;

interface WorkspaceWatchContext {
  roots: readonly string[];
  /** Globs of paths that are never looked at. */
  deny: readonly string[];
  env: { readonly [name: string]: string | undefined };
  log: Log;
  /** Called with every event. */
  onActivity?: (() => void) | undefined;
}

export class WorkspaceWatch {
  readonly #deny: GlobList;
  readonly #options: WatchOptions;
  readonly #changes: ChangeLog;
  readonly #source: WatchSource;
  readonly #tree: FolderTree;
  readonly #shown: RecentlyShownFiles;
  readonly #networkRoots: readonly string[];
  /** Paths that events named since the last check. */
  #touched = new Set<string>();
  /** Whether everything must be read again. */
  #isLost = false;
  #hasStarted = false;
  #isClosed = false;
  #isWarned = false;
  #isDenyWarned = false;
  #rescan: NodeJS.Timeout | undefined;
  #lastCheck = { began: Number.NEGATIVE_INFINITY, ended: Number.NEGATIVE_INFINITY };
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(
    private readonly context: WorkspaceWatchContext,
    options: Partial<WatchOptions> = {},
  ) {
    const { roots, deny, env } = context;
    this.#options = { ...defaultWatchOptions, ...options };
    this.#deny = compileDeny(deny);
    const { files, ignoredFiles, ignoredFolders, shownFiles, openEvents } = this.#options;
    this.#changes = new ChangeLog(2 * (files + ignoredFiles));
    this.#source = openEvents(roots, {
      changed: (path) => {
        if (this.#touched.size < MAX_TOUCHED) this.#touched.add(path);
        else this.#isLost = true;
        context.onActivity?.();
      },
      lost: () => {
        this.#isLost = true;
        context.onActivity?.();
      },
      unwatched: (folder) => this.#tree.known.markUnwatched(folder),
    });
    const watches = Math.max(RESERVED_WATCHES, this.#source.capacity - RESERVED_WATCHES);
    this.#tree = new FolderTree({
      log: this.#changes,
      source: this.#source,
      user: { env, home: homeOf(env) },
      isDenied: (path, isFolder) => this.#isDenied(path, isFolder),
      warn: (message, data) => context.log("warn", message, data),
      limits: { files, ignoredFiles, ignoredFolders: Math.min(ignoredFolders, watches) },
    });
    this.#shown = new RecentlyShownFiles(shownFiles);
    this.#networkRoots = roots.filter(isOnNetwork);
  }

  /** The number of the latest change; `since` returns the changes after it. */
  get cursor(): number {
    return this.#changes.cursor;
  }

  /** The number of the latest change that created or deleted a file. */
  get namesCursor(): number {
    return this.#changes.namesCursor;
  }

  /** The changes after a cursor, anywhere or in these folders. */
  since(cursor: number, folders?: readonly string[]): FileChange[] {
    return this.#changes.since(cursor, folders);
  }

  /** Paths in any of these folders that git does not ignore, in no order. */
  files(folders: readonly string[]): Iterable<string> {
    return this.#tree.known.files(folders);
  }

  /** The names under the roots, from memory. */
  names(): KnownNames {
    const { roots } = this.context;
    const { known } = this.#tree;
    const isRead = (root: string) => known.get(root)?.isRead ?? false;
    const files: WalkedFiles = { list: (path) => known.entries(path), read: () => undefined };
    return {
      readRoots: roots.filter(isRead).length,
      cursor: this.cursor,
      since: (cursor) => this.since(cursor, roots).filter(({ ignored }) => !ignored),
      filesOf: (root) => (isRead(root) && !known.overfull.has(root) ? files : undefined),
    };
  }

  /** The names of everything in a folder; undefined when they are not known for certain. */
  namesIn(folder: string): Iterable<string> | undefined {
    const { known } = this.#tree;
    const found = known.get(folder);
    return found?.isRead && !known.unwatchedFolders.has(folder) && !known.unreadFolders.has(found)
      ? found.names
      : undefined;
  }

  /** Whether files in any of these folders may change without an event. */
  hasUnwatchedFiles(folders: readonly string[]): boolean {
    return this.#unwatchedFolders().some((unwatched) =>
      folders.some((folder) => isInside(folder, unwatched) || isInside(unwatched, folder)),
    );
  }

  #unwatchedFolders(): string[] {
    const { known } = this.#tree;
    const folders = [...known.unwatchedFolders].filter((path) => known.get(path)?.ignoredIn === undefined);
    return [...this.#networkRoots, ...known.overfull, ...folders];
  }

  /** Folders in any of these that are ignored and too large to be followed, or could not be read, sorted. */
  partlyWatchedFolders(folders: readonly string[]): string[] {
    const isOwn = (path: string) => folders.some((folder) => isInside(path, folder));
    return sortedSet(this.#tree.known.partlyWatchedFolders().filter(isOwn));
  }

  /** A server is given this file's text: it is stat-ed before the next questions, wherever it is. */
  addOpened(path: string): void {
    this.#shown.add(path);
  }

  /** An answer shows this file: it is stat-ed before the next questions, when it is a file of the workspace. */
  addShown(path: string): void {
    if (this.#rootOf(path) !== undefined && !this.#isDenied(path, false)) this.#shown.add(path);
  }

  /** Whether an event comes when this file is changed. */
  hasEvents(path: string): boolean {
    const { known } = this.#tree;
    if (known.file(path) === undefined || known.unwatchedFolders.has(dirname(path))) return false;
    return !this.#networkRoots.some((root) => isInside(path, root));
  }

  /** Every folder around the file is watched, and no event is pending. */
  isUpToDate(path: string): boolean {
    if (!this.hasEvents(path) || this.hasUnwatchedFiles([dirname(path)])) return false;
    if ([...this.#tree.known.unreadFolders].some((folder) => isInside(path, folder.path))) return false;
    return this.#hasStarted && this.#running === undefined && this.#touched.size === 0 && !this.#isLost;
  }

  /**
   * Takes in every change made before this call.
   * Skips the check if one began after `checkedAfter` and ended less than SHARED_MS ago.
   */
  check(checkedAfter?: number): Promise<void> {
    const { began, ended } = this.#lastCheck;
    if (checkedAfter !== undefined && began >= checkedAfter && performance.now() - ended < SHARED_MS)
      return Promise.resolve();
    if (this.#running === undefined) {
      this.#running = this.#check().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    const again = () => {
      this.#next = undefined;
      return this.check();
    };
    this.#next ??= this.#running.then(again, again);
    return this.#next;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#rescan);
    this.#tree.known.close();
    this.#source.close();
  }

  async #check(): Promise<void> {
    const began = performance.now();
    if (this.#isClosed) return;
    this.#tree.start();
    await this.#source.drain();
    this.#shown.check((path, change, stamp) => {
      const ignored = this.#tree.known.file(path)?.ignored ?? true;
      this.#tree.noteStamp(path, stamp);
      this.#changes.record(path, change, ignored);
    });
    await Promise.all(this.context.roots.map((root) => this.#tree.readRoot(root)));
    await this.#readTouched();
    if (this.#tree.isReading) await withTimeout(this.#tree.idle(), this.#options.ignoredWaitMs);
    this.#hasStarted = true;
    this.#warnOnce();
    this.#scheduleRescan(0);
    this.#lastCheck = { began, ended: performance.now() };
  }

  async #readTouched(): Promise<void> {
    const [touched, isLost] = [this.#touched, this.#isLost];
    this.#touched = new Set();
    this.#isLost = false;
    try {
      if (isLost) await this.#tree.readAll("all");
      for (const path of await this.#tree.readPaths(touched)) this.#touched.add(path);
    } catch (error) {
      // The next check reads the same again.
      this.#isLost ||= isLost;
      for (const path of touched) this.#touched.add(path);
      throw error;
    }
  }

  /** Scans folders without events in the background, now and then. */
  #scheduleRescan(lastMs: number): void {
    const { unwatchedFolders, unreadFolders } = this.#tree.known;
    const isNeeded = this.#networkRoots.length + unwatchedFolders.size + unreadFolders.size > 0;
    if (this.#isClosed || !isNeeded || this.#rescan !== undefined) return;
    const pauseMs = Math.max(this.#options.rescanMs, lastMs * RESCAN_SHARE);
    this.#rescan = setTimeout(async () => {
      const began = performance.now();
      try {
        await this.#tree.readAll(this.#networkRoots.length > 0 ? "all" : "unwatched");
      } catch (error) {
        const cause = error instanceof Error ? error.name : "";
        this.context.log("warn", "a background scan failed; it is tried again", { cause });
      }
      this.#rescan = undefined;
      this.#scheduleRescan(performance.now() - began);
    }, pauseMs).unref();
  }

  #warnOnce(): void {
    if (this.#isWarned || this.#unwatchedFolders().length === 0) return;
    this.#isWarned = true;
    this.context.log("warn", "not all files are watched", { limit: this.#options.files });
  }

  #isDenied(path: string, isFolder: boolean): boolean {
    const root = this.#rootOf(path);
    const shown = root === undefined ? path : relative(root, path);
    const matches = this.#deny.matches(slashed(isFolder ? `${shown}/x` : shown));
    if (matches === undefined && !this.#isDenyWarned) {
      this.#isDenyWarned = true;
      const note = "matching takes too long: some files count as denied, and changes of them are not noticed";
      this.context.log("warn", "workspace.deny", { note });
    }
    return matches ?? true;
  }

  #rootOf(path: string): string | undefined {
    return this.context.roots.find((root) => isInside(path, root));
  }
}
