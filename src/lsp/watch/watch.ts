/**
 * Knows which files under the roots changed, so that servers hear of edits made by anyone. The truth is a snapshot of
 * file stamps compared before each call: of folders where something happened (all of them, where the system does not say
 * so in time), and of files that answers were about. Of ignored folders that are too large for that, the folders' times
 * are compared. What it cannot follow, because there is too much of it, it says.
 */
import { dirname, join, relative } from "node:path";
import picomatch from "picomatch";
import { onOneLine } from "../../base/one-line.js";
import { sortedSet } from "../../base/order.js";
import { isInside, slashed } from "../../base/paths.js";
import { AttendedFiles, type Seen, type Told } from "../documents/attended-files.js";
import { LastLook } from "../documents/last-look.js";
import type { Log } from "../types.js";
import { FolderWatchers, isForeign, watchCapacity } from "./folder-watchers.js";
import { IgnoredZones, type ZoneLimits } from "./ignored-zones.js";
import { type FileChange, Journal } from "./journal.js";
import { type SweepLimits, SweptFolders } from "./swept-folders.js";
import { WatchedTree } from "./watched-tree.js";

/** How much is followed. */
export interface WatchLimits extends ZoneLimits, SweepLimits {
  /** Files that git does not ignore. */
  files: number;
  /** Files that answers were about. */
  attended: number;
  /** How long a look waits until ignored folders are read for the first time. */
  openWaitMs: number;
}

const LIMITS = {
  ...{ files: 50_000, attended: 256, openWaitMs: 100 },
  ...{ sweptFolders: 20_000, sweepWaitMs: 500, sweepRest: 10, sweepRestMs: 250 },
};
/** Of ignored folders: where each is read at every look, and where the system tells which to read. */
const READ_ZONES = { zoneFiles: 2_000, zoneFolders: 256, allFiles: 10_000, allFolders: 1_024 };
const TOLD_ZONES = { zoneFiles: 40_000, zoneFolders: 8_000, allFiles: 60_000, allFolders: 12_000 };
/** Watches that are left to folders that git does not ignore. */
const KEPT_WATCHES = 3_072;
const MAX_MARKERS = 256;
/** Files that package managers write when they have changed what is installed. */
const DEPENDENCY_MARKERS = [".package-lock.json", ".modules.yaml", ".yarn-state.yml", ".yarn-integrity"];
/** Folders in ignored parts too large to follow, which hold files that answers were about. */
const MAX_ALONE = 64;
/** Of those no watch tells. */
const UNTOLD: Told = { losses: 0, tells: () => false };

export class WorkspaceWatch {
  readonly #roots: readonly string[];
  readonly #denied: (path: string) => boolean;
  readonly #log: Log;
  readonly #journal: Journal;
  readonly #watchers: FolderWatchers;
  readonly #zones: IgnoredZones;
  readonly #swept: SweptFolders;
  readonly #attended: AttendedFiles;
  readonly #markers = new AttendedFiles(MAX_MARKERS);
  readonly #tree: WatchedTree;
  /** Folders followed for themselves. */
  #alone: ReadonlySet<string> = new Set();
  /** The files and folders that they were chosen for. */
  #aloneFor = "";
  /** Roots with more files than are followed. */
  readonly #overfull = new Set<string>();
  readonly #limits: WatchLimits;
  /** Whether some root may be written to from elsewhere, of which no watch tells. */
  readonly #isForeign: boolean;
  readonly #looked = new LastLook();
  /** Whether events may have been lost since the last look. */
  #isLost = false;
  #closed = false;
  /** Whether a look has more to do than to wait for what the system tells; so until the first has ended. */
  #isReading = true;
  #running: Promise<number> | undefined;
  #next: Promise<number> | undefined;

  constructor(
    roots: readonly string[],
    deny: readonly string[],
    log: Log,
    limits: Partial<WatchLimits> = {},
  ) {
    const capacity = watchCapacity();
    this.#limits = { ...LIMITS, ...zoneLimits(capacity), ...limits };
    this.#roots = roots;
    this.#isForeign = roots.some(isForeign);
    this.#denied =
      deny.length > 0 ? picomatch(deny.map(onOneLine), { dot: true, nocase: true }) : () => false;
    this.#log = log;
    this.#journal = new Journal(2 * (this.#limits.files + this.#limits.allFiles));
    this.#watchers = new FolderWatchers(capacity);
    this.#zones = new IgnoredZones(this.#limits);
    const isDenied = (path: string, isFolder: boolean): boolean => this.#isDenied(path, isFolder);
    this.#swept = new SweptFolders({ journal: this.#journal, isDenied, limits: this.#limits });
    this.#attended = new AttendedFiles(this.#limits.attended);
    this.#tree = new WatchedTree({
      journal: this.#journal,
      watchers: this.#watchers,
      zones: this.#zones,
      isDenied,
      openWaitMs: this.#limits.openWaitMs,
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
    if (this.#overfull.size === 0) return false;
    return [...this.#overfull].some((root) =>
      folders.some((folder) => isInside(folder, root) || isInside(root, folder)),
    );
  }

  /** Folders in any of these, the ones that git ignores, in which files may be written unseen, in order. */
  notWatched(folders: readonly string[]): string[] {
    if (this.#zones.closed.length === 0) return [];
    const closed = this.#zones.closed.map(({ path }) => path);
    return sortedSet(closed.filter((path) => folders.some((folder) => isInside(path, folder))));
  }

  /** An answer was about this file: it is looked at before calls from now on, wherever it lies. */
  attend(path: string): void {
    if (this.#attended.has(path) || (this.#rootOf(path) !== undefined && !this.#isDenied(path, false)))
      this.#attended.add(path);
  }

  /** The stamp of a file that an answer was about, as the last look saw it; undefined when it was not looked at. */
  stampOf(path: string): string | undefined {
    return this.#attended.stampOf(path);
  }

  /**
   * Whether the next look knows of a write to a file, under its own name and not through mapped memory, without a look at the file
   * itself: its folder is watched, or read at every look.
   */
  tells(path: string): boolean {
    return !this.#isForeign && this.#tree.known.compares(path);
  }

  /** Changes whenever that is no longer so for some file. */
  get losses(): number {
    return this.#tree.known.losses;
  }

  /**
   * Takes in all that changed before this call. Calls at the same time share one look that begins after them; whoever
   * says `since` is content with one that began after that and has just ended. Tells when the look began.
   */
  refresh(since?: number): Promise<number> {
    if (this.#looked.covers(since)) return Promise.resolve(this.#looked.began);
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

  /** Whether a first look was begun; a server is started only after that. */
  get hasBegun(): boolean {
    return this.#tree.known.hasBegun;
  }

  /** Whether the system's watches have told of nothing that was not looked at; what is only swept is known after a look. */
  get isAtRest(): boolean {
    const isFollowed = !this.#tree.isOpening && this.#overfull.size === 0;
    return isFollowed && !this.#isLost && !this.#isReading && !this.#tree.known.isStirred;
  }

  /** Whether a file lies in an ignored folder that is too large to be followed. */
  isSwept(path: string): boolean {
    return this.#zones.closed.some(({ what, path: zone }) => what === "folder" && isInside(path, zone));
  }

  close(): void {
    this.#closed = true;
    this.#watchers.close();
  }

  async #look(): Promise<number> {
    const began = performance.now();
    if (this.#closed) return began;
    this.#tree.known.begin();
    const all = (await this.#watchers.overflowed()) || this.#isLost;
    this.#isReading = true;
    this.#isLost = false;
    await this.#tree.look(this.#roots, all);
    await this.#attended.look(
      (path, change) => this.#journal.record(path, change, !this.#tree.known.isPlain(path)),
      this,
    );
    await this.#followAlone();
    await this.#sweep();
    if (this.#closed) this.#watchers.close();
    this.#isReading = false;
    this.#looked.ended(began);
    return began;
  }

  /** Follows the folders of files that answers were about, where the part that they lie in is too large as a whole. */
  async #followAlone(): Promise<void> {
    const isAllFollowed = this.#zones.closed.length === 0 && this.#overfull.size === 0;
    if (this.#tree.isOpening || (isAllFollowed && this.#alone.size === 0)) return;
    const state = `${this.#attended.generation} ${this.#tree.known.generation}`;
    if (state === this.#aloneFor) return;
    const folders = this.#attended.paths
      .toReversed()
      .filter((path) => this.#alone.has(dirname(path)) || !this.#tree.known.follows(path))
      .map(dirname);
    const wanted = new Set([...new Set(folders)].slice(0, MAX_ALONE));
    for (const folder of this.#alone) if (!wanted.has(folder)) this.#tree.unfollow(folder);
    this.#alone = wanted;
    for (const folder of wanted) await this.#tree.follow(folder);
    this.#aloneFor = `${this.#attended.generation} ${this.#tree.known.generation}`;
  }

  /** Looks through the ignored folders that are too large to follow. */
  async #sweep(): Promise<void> {
    const parts = this.#zones.closed.filter(({ what }) => what === "folder").map(({ path }) => path);
    let isInstalled = false;
    const seen: Seen = (path, change) => {
      isInstalled = true;
      this.#journal.record(path, change, true);
    };
    await this.#markers.look(seen, UNTOLD);
    for (const path of parts) for (const name of DEPENDENCY_MARKERS) this.#markers.add(join(path, name));
    await this.#swept.look(parts, isInstalled);
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
    return this.#denied(onOneLine(slashed(isFolder ? `${shown}/x` : shown)));
  }

  #rootOf(path: string): string | undefined {
    return this.#roots.find((root) => isInside(path, root));
  }
}

/** How much of what git ignores is followed, with so many watches. */
function zoneLimits(capacity: number): ZoneLimits {
  const folders = capacity - KEPT_WATCHES;
  if (folders <= READ_ZONES.allFolders) return READ_ZONES;
  return {
    ...TOLD_ZONES,
    zoneFolders: Math.min(TOLD_ZONES.zoneFolders, folders),
    allFolders: Math.min(TOLD_ZONES.allFolders, folders),
  };
}
