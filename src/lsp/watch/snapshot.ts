/**
 * What is known of the files under the roots, folder by folder, with how many there are. Whatever is found to have come,
 * changed or gone is written down in the journal here, and nowhere else.
 */
import type { FSWatcher } from "node:fs";
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { isInside } from "../../base/paths.js";
import { stampText } from "../documents/file.js";
import type { FolderWatchers } from "./folder-watchers.js";
import type { IgnoreRules } from "./ignore-rules.js";
import type { IgnoredZones, Zone } from "./ignored-zones.js";
import type { Journal } from "./journal.js";

interface Known {
  stamp: string;
  /** The ignored part that it belongs to. */
  zone: Zone | undefined;
}

/** A folder as it was read last. */
export interface Folder {
  path: string;
  files: Map<string, Known>;
  folders: Set<string>;
  rules: IgnoreRules;
  watcher: FSWatcher | undefined;
  touched: Set<string>;
  dirty: boolean;
  /** The ignored part that it lies in. */
  zone: Zone | undefined;
  /** Whether it is followed for itself, without the folders in it. */
  alone: boolean;
  /** Whether it was read before: what is found the first time was always there. */
  read: boolean;
}

export interface SnapshotContext {
  journal: Journal;
  watchers: FolderWatchers;
  zones: IgnoredZones;
  maxFiles: number;
  /** Hears of a file that is one too many. */
  onOverfull: (path: string) => void;
}

export class Snapshot {
  readonly #context: SnapshotContext;
  readonly #folders = new Map<string, Folder>();
  /**
   * The first whole millisecond after the first look began: what was written before is older. So seems what is written in the
   * same tick of the file system's clock, some milliseconds; in a folder that is watched by then its event tells.
   */
  #begunAt: number | undefined;
  #files = 0;
  #generation = 0;
  #losses = 0;
  /** Whether something happened in some folder, or one is not watched: which, is to be looked for. */
  isStirred = true;
  /** Whether the first look is still under way: what it finds was always there. */
  first = true;

  constructor(context: SnapshotContext) {
    this.#context = context;
  }

  /** Whether the first look was begun. */
  get hasBegun(): boolean {
    return this.#begunAt !== undefined;
  }

  /** A look begins. */
  begin(): void {
    this.#begunAt ??= Date.now() + 1;
  }

  get folders(): Folder[] {
    return [...this.#folders.values()];
  }

  get(path: string): Folder | undefined {
    return this.#folders.get(path);
  }

  /** Whether this very folder is followed still. */
  holds(folder: Folder): boolean {
    return this.#folders.get(folder.path) === folder;
  }

  /** Changes whenever another folder is followed, or one no longer. */
  get generation(): number {
    return this.#generation;
  }

  /** Changes whenever a file is no longer one of those that are compared. */
  get losses(): number {
    return this.#losses;
  }

  add(folder: Folder): void {
    this.#generation++;
    this.isStirred = true;
    this.#folders.set(folder.path, folder);
    if (folder.zone) this.#context.zones.add(folder.zone, 0, 1);
  }

  /** Paths under any of these folders that git does not ignore, in no order. */
  *files(roots: readonly string[]): Iterable<string> {
    for (const folder of this.#folders.values()) {
      if (folder.zone || !roots.some((root) => isInside(folder.path, root))) continue;
      for (const [name, { zone }] of folder.files) if (!zone) yield join(folder.path, name);
    }
  }

  /** Whether the folder of a file is followed. */
  follows(path: string): boolean {
    return this.#folders.has(dirname(path));
  }

  /** Whether a file is one of those that are compared when something happens in their folder, or at every look. */
  compares(path: string): boolean {
    const folder = this.#folders.get(dirname(path));
    // One that is being read for the first time keeps its events; one followed alone may be replaced with what is around it.
    return folder?.read === true && !folder.alone && folder.files.has(basename(path));
  }

  /** Whether a file is known and not ignored. */
  isPlain(path: string): boolean {
    const file = this.#folders.get(dirname(path))?.files.get(basename(path));
    return file !== undefined && !file.zone;
  }

  /** What a folder held and holds no longer is gone. */
  forgetMissing(folder: Folder, files: ReadonlySet<string>, folders: ReadonlySet<string>): void {
    for (const name of [...folder.files.keys()]) if (!files.has(name)) this.#lost(folder, name);
    for (const name of [...folder.folders]) {
      if (folders.has(name)) continue;
      const child = this.#folders.get(join(folder.path, name));
      if (child) this.leave(child);
      this.#context.zones.reopen(join(folder.path, name));
    }
  }

  /** Takes in one file of a folder. */
  async compare(folder: Folder, name: string, zone: Zone | undefined, touched: boolean): Promise<void> {
    if (zone?.closed) return this.#forget(folder, name);
    const path = join(folder.path, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isFile() || !this.holds(folder)) return;
    if (zone?.closed) return this.#forget(folder, name);
    const stamp = stampText(stats);
    const before = folder.files.get(name);
    const isNew = !before || before.zone !== zone;
    if (isNew && !this.#makeRoom(path, zone)) return this.#forget(folder, name);
    if (before && isNew) this.#uncount(before.zone);
    folder.files.set(name, { stamp, zone });
    const { journal } = this.#context;
    if (before) {
      if (before.stamp !== stamp || touched || isNew) journal.record(path, "changed", !!zone);
    } else if (this.first || zone?.first || (folder.alone && !folder.read)) {
      // Written while the first look was under way: a server may have read it before.
      const written = Math.max(stats.mtimeMs, stats.ctimeMs);
      if (!folder.alone && written >= (this.#begunAt ?? 0)) journal.record(path, "changed", !!zone);
    } else journal.record(path, "created", !!zone);
  }

  /** Counts one more file, unless there are too many. */
  #makeRoom(path: string, zone: Zone | undefined): boolean {
    const { zones, maxFiles, onOverfull } = this.#context;
    const fits = zone ? zones.fits(zone, 1, 0) : this.#files < maxFiles;
    if (zone && fits) zones.add(zone, 1, 0);
    else if (fits) this.#files++;
    else if (zone) this.closeZone(zone);
    else onOverfull(path);
    return fits;
  }

  #uncount(zone: Zone | undefined): void {
    if (zone) this.#context.zones.add(zone, -1, 0);
    else this.#files--;
  }

  /** What is not compared any more is not known any more. */
  #forget(folder: Folder, name: string): void {
    const known = folder.files.get(name);
    if (known !== undefined) this.#remove(folder, name, known.zone);
  }

  #remove(folder: Folder, name: string, zone: Zone | undefined): void {
    this.#losses++;
    folder.files.delete(name);
    this.#uncount(zone);
  }

  #lost(folder: Folder, name: string): void {
    const zone = folder.files.get(name)?.zone;
    this.#remove(folder, name, zone);
    this.#context.journal.record(join(folder.path, name), "deleted", !!zone);
  }

  /** A folder is gone, and all that was in it. */
  leave(folder: Folder): void {
    for (const name of [...folder.files.keys()]) this.#lost(folder, name);
    for (const name of folder.folders) {
      const child = this.#folders.get(join(folder.path, name));
      if (child) this.leave(child);
    }
    this.drop(folder);
  }

  unwatch(folder: Folder): void {
    this.isStirred = true;
    this.#context.watchers.release(folder.watcher);
    folder.watcher = undefined;
  }

  /** Follows a folder no longer, though it is there. */
  drop(folder: Folder): void {
    for (const [name, { zone }] of [...folder.files]) this.#remove(folder, name, zone);
    if (folder.zone) this.#context.zones.add(folder.zone, 0, -1);
    this.unwatch(folder);
    this.#generation++;
    this.#folders.delete(folder.path);
  }

  dropAll(folder: Folder): void {
    for (const name of folder.folders) {
      const child = this.#folders.get(join(folder.path, name));
      if (child && !child.alone) this.dropAll(child);
    }
    this.drop(folder);
  }

  /** A zone has grown too large: nothing in it is followed, and nothing in it counts as deleted. */
  closeZone(zone: Zone): void {
    if (zone.closed) return;
    zone.closed = true;
    for (const folder of [...this.#folders.values()]) if (folder.zone === zone) this.drop(folder);
    const around = this.#folders.get(zone.path);
    if (around === undefined) return;
    for (const [name, file] of [...around.files]) if (file.zone === zone) this.#remove(around, name, zone);
  }
}
