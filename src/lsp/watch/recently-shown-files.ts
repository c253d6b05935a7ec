/**
 * The files that answers were about last. They are stat-ed before every question, because watch events miss some writes:
 * through mapped memory, through a hard link elsewhere, on network file systems. Bounded; the oldest are dropped.
 */
import { stampOf } from "../../base/file-stamp.js";

export class RecentlyShownFiles {
  readonly #limit: number;
  /** The stamp text by path, the oldest first; undefined for a file that does not exist. */
  readonly #stamps = new Map<string, string | undefined>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Adds a file as it is now, before it is read, so that no later write is missed. */
  add(path: string): void {
    const stamp = this.#stamps.has(path) ? this.#stamps.get(path) : stampOf(path)?.text;
    this.#stamps.delete(path);
    this.#stamps.set(path, stamp);
    for (const oldest of this.#stamps.keys()) {
      if (this.#stamps.size <= this.#limit) return;
      this.#stamps.delete(oldest);
    }
  }

  /** Stats every file and reports those that differ from the last check. */
  check(
    report: (path: string, change: "created" | "changed" | "deleted", stamp: string | undefined) => void,
  ): void {
    for (const [path, before] of this.#stamps) {
      const now = stampOf(path)?.text;
      if (now === before) continue;
      this.#stamps.set(path, now);
      report(path, before === undefined ? "created" : now === undefined ? "deleted" : "changed", now);
    }
  }
}
