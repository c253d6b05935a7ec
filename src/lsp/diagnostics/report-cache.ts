/**
 * An LRU cache of one server's diagnostics reports, by file. If a report is evicted, answers say that some are missing.
 */
import { LRUCache } from "lru-cache";
import { sha256 } from "../../base/hash.js";

const MAX_FILES = 20_000;
/** Of all items as JSON. As objects they take several times as much. */
export const MAX_CHARACTERS = 32 * 1024 * 1024;
/** Bytes counted for a report besides its items. */
const CHARACTERS_PER_REPORT = 500;

/** Why an answer does not contain everything that the server reported. */
export const MORE_THAN_KEPT = "the server reported more than is kept";

export class ReportCache<Report extends { size: number }> {
  readonly #reports: LRUCache<string, Report>;
  /** Whether a report was dropped because there were too many. */
  hasDropped = false;

  constructor() {
    this.#reports = new LRUCache<string, Report>({
      max: MAX_FILES,
      maxSize: MAX_CHARACTERS,
      sizeCalculation: ({ size }) => size,
      dispose: (_report, _path, reason) => {
        if (reason === "evict") this.hasDropped = true;
      },
    });
  }

  get(path: string): Report | undefined {
    return this.#reports.get(path);
  }

  set(path: string, report: Report): void {
    this.#reports.set(path, report);
    // One that is larger than all together may be is not kept at all.
    if (!this.#reports.has(path)) this.hasDropped = true;
  }

  delete(path: string): void {
    this.#reports.delete(path);
  }

  entries(): [path: string, report: Report][] {
    return [...this.#reports.entries()].reverse();
  }

  values(): Report[] {
    return [...this.#reports.values()].reverse();
  }
}

/** The size of a report, and a text that is the same for the same items. */
export function sizeAndHash(
  items: unknown,
  ...names: (string | undefined)[]
): { size: number; hash: string } {
  const text = JSON.stringify(items);
  const size = names.reduce((sum, name = "") => sum + name.length, CHARACTERS_PER_REPORT + text.length);
  return { size, hash: sha256(text) };
}
