/**
 * Files that answers were about, looked at one by one before calls: wherever they lie, and however they were written. The
 * system's watches miss writes through memory and through hard links from elsewhere; a stamp does not. The latest, those of a
 * whole page at least, and those that have several names or that no watch tells of, are looked at in every call, the others
 * as soon as they were not for a moment. Bounded: the least recently seen are let go.
 */
import type { Stats } from "node:fs";
import { entryFacts } from "../../base/facts.js";
import { type ContentFacts, stampText } from "./file.js";
import { lookAtAll, MOMENT_MS } from "./stamps.js";

/** What happened to a file. */
export type Seen = (path: string, change: "created" | "changed" | "deleted") => void;

/** So many are the latest, if no page had more. */
const LATEST = 16;

/** What the watches know of files. */
export interface Told {
  /** Another one as soon as they tell of some file no longer. */
  readonly losses: number;
  /** Whether a write to a file, under its own name, is told of. */
  tells(path: string): boolean;
}

/** A file as it was last looked at; none where none is there. */
interface Look extends ContentFacts {
  /** How many names it has. */
  nlink: number;
  /** The same as a text, once somebody has asked for it. */
  stamp: string | undefined;
}

export class AttendedFiles {
  readonly #limit: number;
  /** By path, the least recently seen first. */
  readonly #files = new Map<string, Look | undefined>();
  /** Their paths, until they are others or in another order. */
  #paths: readonly string[] | undefined;
  /** Those that may be written to without a word: they have several names, or no watch tells of them. */
  readonly #restless = new Set<string>();
  /** Those of which that is yet to be found out, and what the watches told of no longer when it was found out of the others. */
  readonly #unjudged = new Set<string>();
  #losses = -1;
  /** The latest, how many these are, and how many were attended to since the last look began. */
  readonly #recent = new Set<string>();
  #latest = LATEST;
  #added = 0;
  /** Those that the last look was at; undefined when it was at all of them. */
  #some: ReadonlySet<string> | undefined;
  /** When all of them were last looked at. */
  #allAt = Number.NEGATIVE_INFINITY;
  #generation = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Changes whenever another file is attended to, or one no longer. */
  get generation(): number {
    return this.#generation;
  }

  /** Their paths, the latest last. */
  get paths(): readonly string[] {
    this.#paths ??= [...this.#files.keys()];
    return this.#paths;
  }

  /** The stamp of a file in the last look, "" for what was not there; undefined for what that was not at. */
  stampOf(path: string): string | undefined {
    if (this.#some !== undefined && !this.#some.has(path)) return undefined;
    const look = this.#files.get(path);
    if (look === undefined) return this.has(path) ? "" : undefined;
    look.stamp ??= stampText(look);
    return look.stamp;
  }

  /** Whether a file is attended to. */
  has(path: string): boolean {
    return this.#files.has(path);
  }

  /** An answer was about this file as it is now. */
  add(path: string): void {
    // At once, so that no later write can hide behind it.
    if (!this.has(path)) this.#put(path, lookOf(entryFacts(path)));
    const look = this.#files.get(path);
    this.#files.delete(path);
    this.#files.set(path, look);
    this.#recent.delete(path);
    this.#recent.add(path);
    this.#paths = undefined;
    this.#added++;
    this.#keepRecent(Math.max(this.#latest, this.#added));
    const oldest = this.#files.keys().next().value;
    if (this.#files.size > this.#limit && oldest !== undefined) this.#letGo(oldest);
  }

  /** Compares them with what was known; in every call those of which no watch would tell. */
  async look(seen: Seen, told: Told): Promise<void> {
    const now = performance.now();
    if (this.#added > 0) this.#latest = Math.max(LATEST, this.#added);
    this.#added = 0;
    this.#keepRecent(this.#latest);
    const isAll = this.#files.size <= this.#latest || now - this.#allAt >= MOMENT_MS;
    if (isAll) this.#allAt = now;
    this.#judge(told, isAll);
    const some = isAll ? undefined : new Set([...this.#restless, ...this.#recent]);
    await lookAtAll(some === undefined ? this.paths : [...some], (path, stats) => {
      const before = this.#files.get(path);
      const now = stats?.isFile() ? stats : undefined;
      if (isSame(before, now) || !this.has(path)) return;
      this.#put(path, lookOf(now));
      seen(path, before === undefined ? "created" : now === undefined ? "deleted" : "changed");
    });
    // Not before: until a look has ended, what counts is what the one before it saw.
    this.#some = some;
  }

  /** Finds out which of them cannot wait: of the new ones, and of all where the watches tell of some no longer. */
  #judge(told: Told, isAll: boolean): void {
    const isAnew = isAll || told.losses !== this.#losses;
    this.#losses = told.losses;
    for (const path of isAnew ? this.#files.keys() : this.#unjudged) {
      // What has one name only is written to under that: a watch tells, but of mapped memory.
      if ((this.#files.get(path)?.nlink ?? 0) > 1 || !told.tells(path)) this.#restless.add(path);
      else this.#restless.delete(path);
    }
    this.#unjudged.clear();
  }

  #keepRecent(most: number): void {
    for (const path of this.#recent) {
      if (this.#recent.size <= most) return;
      this.#recent.delete(path);
    }
  }

  #put(path: string, look: Look | undefined): void {
    if (!this.has(path)) this.#generation++;
    this.#files.set(path, look);
    this.#unjudged.add(path);
  }

  #letGo(path: string): void {
    for (const files of [this.#files, this.#restless, this.#unjudged, this.#recent]) files.delete(path);
  }
}

function lookOf(stats: Stats | undefined): Look | undefined {
  if (!stats?.isFile()) return undefined;
  const { ino, size, mtimeMs, ctimeMs, nlink } = stats;
  return { ino, size, mtimeMs, ctimeMs, nlink, stamp: undefined };
}

/** Number by number: each call compares many of them, and texts of them would take longer than looking. */
function isSame(before: ContentFacts | undefined, now: ContentFacts | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return (
    before.mtimeMs === now.mtimeMs &&
    before.size === now.size &&
    before.ino === now.ino &&
    before.ctimeMs === now.ctimeMs
  );
}
