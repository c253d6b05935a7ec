/**
 * Files that answers were about, looked at one by one before each call: wherever they lie, and however they were written.
 * The system's watches miss writes through memory and through hard links from elsewhere; a stamp does not. Bounded: the
 * least recently seen are let go.
 */
import type { Stats } from "node:fs";
import { entryFacts } from "../../base/facts.js";
import { stampText } from "./file.js";
import { lookAtAll } from "./stamps.js";

/** What happened to a file. */
export type Seen = (path: string, change: "created" | "changed" | "deleted") => void;

export class AttendedFiles {
  readonly #limit: number;
  /** Stamps by path, the least recently seen first; "" for what is not there. */
  readonly #stamps = new Map<string, string>();
  #generation = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Changes whenever another file is attended to, or one no longer. */
  get generation(): number {
    return this.#generation;
  }

  /** Their paths, the latest last. */
  get paths(): string[] {
    return [...this.#stamps.keys()];
  }

  /** The stamp of a file when it was last looked at, "" for what was not there; undefined for what is not attended to. */
  stampOf(path: string): string | undefined {
    return this.#stamps.get(path);
  }

  /** An answer was about this file as it is now. */
  add(path: string): void {
    const known = this.#stamps.get(path);
    this.#stamps.delete(path);
    this.#stamps.set(path, known ?? stampNow(path));
    if (known === undefined) this.#generation++;
    const oldest = this.#stamps.keys().next().value;
    if (this.#stamps.size > this.#limit && oldest !== undefined) this.#stamps.delete(oldest);
  }

  /** Compares all of them with what was known. */
  look(seen: Seen): Promise<void> {
    return lookAtAll(this.paths, (path, stats) => {
      const stamp = stampIn(stats);
      const before = this.#stamps.get(path);
      if (before === undefined || before === stamp) return;
      this.#stamps.set(path, stamp);
      seen(path, before === "" ? "created" : stamp === "" ? "deleted" : "changed");
    });
  }
}

/** At once, so that no later write can hide behind it. */
function stampNow(path: string): string {
  return stampIn(entryFacts(path));
}

function stampIn(stats: Stats | undefined): string {
  return stats?.isFile() ? stampText(stats) : "";
}
