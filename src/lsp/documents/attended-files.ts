/**
 * Files that answers were about, looked at one by one before each call: wherever they lie, and however they were written.
 * The system's watches miss writes through memory and through hard links from elsewhere; a stamp does not. Bounded: the
 * least recently seen are let go.
 */
import type { Stats } from "node:fs";
import { entryFacts } from "../../base/facts.js";
import { type ContentFacts, stampText } from "./file.js";
import { lookAtAll } from "./stamps.js";

/** What happened to a file. */
export type Seen = (path: string, change: "created" | "changed" | "deleted") => void;

/** A file as it was last looked at; none where none is there. */
interface Look extends ContentFacts {
  /** The same as a text, once somebody has asked for it. */
  stamp: string | undefined;
}

export class AttendedFiles {
  readonly #limit: number;
  /** By path, the least recently seen first. */
  readonly #files = new Map<string, Look | undefined>();
  /** Their paths, until they are others or in another order. */
  #paths: readonly string[] | undefined;
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

  /** The stamp of a file when it was last looked at, "" for what was not there; undefined for what is not attended to. */
  stampOf(path: string): string | undefined {
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
    const isKnown = this.has(path);
    // At once, so that no later write can hide behind it.
    const look = isKnown ? this.#files.get(path) : lookOf(entryFacts(path));
    this.#files.delete(path);
    this.#files.set(path, look);
    this.#paths = undefined;
    if (!isKnown) this.#generation++;
    const oldest = this.#files.keys().next().value;
    if (this.#files.size > this.#limit && oldest !== undefined) this.#files.delete(oldest);
  }

  /** Compares all of them with what was known. */
  look(seen: Seen): Promise<void> {
    return lookAtAll(this.paths, (path, stats) => {
      const before = this.#files.get(path);
      const now = stats?.isFile() ? stats : undefined;
      if (isSame(before, now) || !this.has(path)) return;
      this.#files.set(path, lookOf(now));
      seen(path, before === undefined ? "created" : now === undefined ? "deleted" : "changed");
    });
  }
}

function lookOf(stats: Stats | undefined): Look | undefined {
  if (!stats?.isFile()) return undefined;
  const { ino, size, mtimeMs, ctimeMs } = stats;
  return { ino, size, mtimeMs, ctimeMs, stamp: undefined };
}

/** Number by number: each call compares all of them, and texts of them would take longer than looking. */
function isSame(before: ContentFacts | undefined, now: ContentFacts | undefined): boolean {
  if (before === undefined || now === undefined) return before === now;
  return (
    before.mtimeMs === now.mtimeMs &&
    before.size === now.size &&
    before.ino === now.ino &&
    before.ctimeMs === now.ctimeMs
  );
}
