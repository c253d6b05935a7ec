/**
 * Files that answers were about, looked at one by one: wherever they lie, and however they were written. The system's
 * watches miss writes through hard links from elsewhere, and those are looked at before each call; they miss writes
 * through memory as well, and one that is watched and has one name is looked at every second. Bounded: the least recently
 * seen are let go.
 */
import type { Stats } from "node:fs";
import { entryFacts } from "../../base/facts.js";
import { stampText } from "./file.js";
import { lookAtAll } from "./stamps.js";

/** What happened to a file. */
export type Seen = (path: string, change: "created" | "changed" | "deleted") => void;

/** How long a write through memory into a watched file may stay unseen. */
const MAPPED_MS = 1_000;

/** The folders that the system watches, while nothing has happened in any of them. */
export interface StillFolders {
  /** Changes whenever another folder is watched, or one no longer. */
  generation: number;
  isWatched(path: string): boolean;
}

/** A file as it was last looked at. */
interface Look {
  /** "" for what is not there. */
  stamp: string;
  /** Whether it has no other name, through which it could be written. */
  hasOneName: boolean;
}

export class AttendedFiles {
  readonly #limit: number;
  /** By path, the least recently seen first. */
  readonly #files = new Map<string, Look>();
  #generation = 0;
  #lookedAtAll = Number.NEGATIVE_INFINITY;
  /** The files that may be written unseen, until other files are attended to or other folders watched. */
  #unseen: { paths: string[]; generation: number } | undefined;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Changes whenever another file is attended to, or one no longer. */
  get generation(): number {
    return this.#generation;
  }

  /** Their paths, the latest last. */
  get paths(): string[] {
    return [...this.#files.keys()];
  }

  /** The stamp of a file when it was last looked at, "" for what was not there; undefined for what is not attended to. */
  stampOf(path: string): string | undefined {
    return this.#files.get(path)?.stamp;
  }

  /** An answer was about this file as it is now. */
  add(path: string): void {
    const known = this.#files.get(path);
    this.#files.delete(path);
    // At once, so that no later write can hide behind it.
    this.#files.set(path, known ?? lookOf(entryFacts(path)));
    if (known === undefined) this.#renewed();
    const oldest = this.#files.keys().next().value;
    if (this.#files.size > this.#limit && oldest !== undefined) this.#files.delete(oldest);
  }

  /** Compares them with what was known: all of them, or, where folders are still, those that may be written unseen. */
  look(seen: Seen, still?: StillFolders): Promise<void> {
    const now = performance.now();
    const isPart = still !== undefined && now - this.#lookedAtAll < MAPPED_MS;
    if (!isPart) this.#lookedAtAll = now;
    return lookAtAll(isPart ? this.#unseenIn(still) : this.paths, (path, stats) => {
      const before = this.#files.get(path);
      const look = lookOf(stats);
      if (before === undefined) return;
      this.#files.set(path, look);
      if (before.hasOneName !== look.hasOneName) this.#renewed();
      if (before.stamp === look.stamp) return;
      seen(path, before.stamp === "" ? "created" : look.stamp === "" ? "deleted" : "changed");
    });
  }

  #unseenIn({ generation, isWatched }: StillFolders): string[] {
    if (this.#unseen?.generation !== generation) {
      const paths = this.paths.filter((path) => !this.#files.get(path)?.hasOneName || !isWatched(path));
      this.#unseen = { paths, generation };
    }
    return this.#unseen.paths;
  }

  #renewed(): void {
    this.#generation++;
    this.#unseen = undefined;
  }
}

function lookOf(stats: Stats | undefined): Look {
  return stats?.isFile()
    ? { stamp: stampText(stats), hasOneName: stats.nlink === 1 }
    : { stamp: "", hasOneName: true };
}
