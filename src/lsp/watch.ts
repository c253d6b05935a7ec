/**
 * Knows which files under the roots changed, so that servers hear of edits made by anyone. The truth is a snapshot of
 * file stamps compared before each call: of folders where something happened (all of them, where the system does not say
 * so in time), and of the files that answers were about. What it cannot follow, because there is too much of it, it says.
 */
import { dirname, relative } from "node:path";
import picomatch from "picomatch";
import { AttendedFiles } from "./attended-files.js";
import { FolderWatchers } from "./folder-watchers.js";
import { IgnoredZones, type ZoneLimits } from "./ignored-zones.js";
import { isInside, slashed } from "./inside.js";
import { type FileChange, Journal } from "./journal.js";
import type { Log } from "./types.js";
import { WatchedTree } from "./watched-tree.js";

/** How much is followed. */
export interface WatchLimits extends ZoneLimits {
  /** Files that git does not ignore. */
  files: number;
  /** Files that answers were about. */
  attended: number;
}

const LIMITS: WatchLimits = {
  files: 50_000,
  zoneFiles: 2_000,
  zoneFolders: 256,
  allFiles: 10_000,
  allFolders: 1_024,
  attended: 256,
};
/** Folders in ignored parts too large to follow, which hold files that answers were about. */
const MAX_ALONE = 64;

export class WorkspaceWatch {
  readonly #roots: readonly string[];
  readonly #denied: (path: string) => boolean;
  readonly #log: Log;
  readonly #journal: Journal;
  readonly #watchers = new FolderWatchers();
  readonly #attended: AttendedFiles;
  readonly #tree: WatchedTree;
  /** Folders followed for themselves. */
  #alone: ReadonlySet<string> = new Set();
  /** Roots with more files than are followed. */
  readonly #overfull = new Set<string>();
  readonly #limits: WatchLimits;
  #closed = false;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(
    roots: readonly string[],
    deny: readonly string[],
    log: Log,
    limits: Partial<WatchLimits> = {},
  ) {
    this.#limits = { ...LIMITS, ...limits };
    this.#roots = roots;
    this.#denied = deny.length > 0 ? picomatch([...deny], { dot: true }) : () => false;
    this.#log = log;
    this.#journal = new Journal(2 * this.#limits.files);
    this.#attended = new AttendedFiles(this.#limits.attended);
    this.#tree = new WatchedTree({
      journal: this.#journal,
      watchers: this.#watchers,
      zones: new IgnoredZones(this.#limits),
      isDenied: (path, isFolder) => this.#isDenied(path, isFolder),
      maxFiles: this.#limits.files,
      onOverfull: (path) => this.#tooMany(path),
    });
  }

  /** A mark in time: changes after it are given by `since`. */
  get cursor(): number {
    return this.#journal.cursor;
  }

  /** What changed under any of these folders after a cursor. */
  since(cursor: number, folders: readonly string[]): FileChange[] {
    return this.#journal.since(cursor, folders);
  }

  /** Paths known under any of these folders that git does not ignore, in no order. */
  files(roots: readonly string[]): Iterable<string> {
    return this.#tree.known.files(roots);
  }

  /** Whether files under any of these folders may change unseen, because there are too many. */
  isBlind(folders: readonly string[]): boolean {
    return [...this.#overfull].some((root) =>
      folders.some((folder) => isInside(root, folder) || isInside(folder, root)),
    );
  }

  /** An answer was about this file: it is looked at before each call from now on, wherever it lies. */
  attend(path: string): void {
    if (this.#rootOf(path) !== undefined && !this.#isDenied(path, false)) this.#attended.add(path);
  }

  /** Takes in all that changed before this call. Calls at the same time share one look that begins after them. */
  refresh(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#look().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.refresh();
    });
    return this.#next;
  }

  close(): void {
    this.#closed = true;
    this.#watchers.close();
  }

  async #look(): Promise<void> {
    if (this.#closed) return;
    const all = await this.#watchers.overflowed();
    await this.#tree.look(this.#roots, all);
    await this.#attended.look((path, change) => {
      this.#journal.record(path, change, !this.#tree.known.isPlain(path));
    });
    await this.#followAlone();
    if (this.#closed) this.#watchers.close();
  }

  /** Follows the folders of files that answers were about, where the part that they lie in is too large as a whole. */
  async #followAlone(): Promise<void> {
    const folders = this.#attended.paths
      .toReversed()
      .filter((path) => this.#alone.has(dirname(path)) || !this.#tree.known.follows(path))
      .map(dirname);
    const wanted = new Set([...new Set(folders)].slice(0, MAX_ALONE));
    for (const folder of this.#alone) if (!wanted.has(folder)) this.#tree.unfollow(folder);
    this.#alone = wanted;
    for (const folder of wanted) await this.#tree.follow(folder);
  }

  #tooMany(path: string): void {
    const root = this.#rootOf(path);
    if (root === undefined || this.#overfull.has(root)) return;
    this.#overfull.add(root);
    this.#log("warn", "more files than are watched", { limit: this.#limits.files });
  }

  #isDenied(path: string, isFolder: boolean): boolean {
    const root = this.#rootOf(path);
    const shown = root === undefined ? path : relative(root, path);
    return this.#denied(slashed(isFolder ? `${shown}/x` : shown));
  }

  #rootOf(path: string): string | undefined {
    return this.#roots.find((root) => isInside(root, path));
  }
}
