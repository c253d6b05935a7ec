/** Remembers what happened to files since any earlier moment, one entry per path, so that it stays small. */
import { isInside } from "../../base/paths.js";

/** LSP's numbers: created 1, changed 2, deleted 3. */
export type ChangeType = 1 | 2 | 3;
export interface FileChange {
  path: string;
  type: ChangeType;
  /** Whether git ignores the file. */
  ignored: boolean;
}

interface Entry {
  exists: boolean;
  seq: number;
  /** When it came into being; 0 when it was always there. */
  born: number;
  ignored: boolean;
}

export class Journal {
  readonly #entries = new Map<string, Entry>();
  readonly #limit: number;
  #seq = 0;

  /** Past `limit` entries, those of deleted files are dropped. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** A mark in time: changes after it are given by `since`. */
  get cursor(): number {
    return this.#seq;
  }

  record(path: string, change: "created" | "changed" | "deleted", ignored: boolean): void {
    const seq = ++this.#seq;
    const born = change === "created" ? seq : (this.#entries.get(path)?.born ?? 0);
    this.#entries.set(path, { exists: change !== "deleted", seq, born, ignored });
    if (this.#entries.size <= this.#limit) return;
    for (const [old, entry] of this.#entries) if (!entry.exists && entry.seq < seq) this.#entries.delete(old);
  }

  /** What changed under any of these folders after a cursor. */
  since(cursor: number, folders: readonly string[]): FileChange[] {
    if (cursor >= this.#seq) return [];
    const changes: FileChange[] = [];
    for (const [path, entry] of this.#entries) {
      if (entry.seq <= cursor || !folders.some((folder) => isInside(path, folder))) continue;
      const type = entry.exists ? (entry.born > cursor ? 1 : 2) : 3;
      changes.push({ path, type, ignored: entry.ignored });
    }
    return changes;
  }
}
