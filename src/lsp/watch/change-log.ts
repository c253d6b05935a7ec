/** What happened to files since any earlier point in time. One entry per path, so it stays small. */
import { isInside } from "../../base/paths.js";

/** LSP's file change types: created 1, changed 2, deleted 3. */
export type ChangeType = 1 | 2 | 3;

export interface FileChange {
  /** Absolute path. */
  path: string;
  type: ChangeType;
  /** Whether git ignores the file. */
  ignored: boolean;
}

interface Entry {
  exists: boolean;
  ignored: boolean;
  /** The number of the latest change. */
  sequence: number;
  /** The number of the change that created the file; 0 when it was there from the start. */
  created: number;
}

export class ChangeLog {
  readonly #entries = new Map<string, Entry>();
  readonly #limit: number;
  #sequence = 0;
  #namesCursor = 0;

  /** Past `limit` entries, those of deleted files are dropped. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /** The number of the latest change; `since` returns the changes after it. */
  get cursor(): number {
    return this.#sequence;
  }

  /** The number of the latest change that created or deleted a file. */
  get namesCursor(): number {
    return this.#namesCursor;
  }

  record(path: string, change: "created" | "changed" | "deleted", ignored: boolean): void {
    const sequence = ++this.#sequence;
    if (change !== "changed") this.#namesCursor = sequence;
    const created = change === "created" ? sequence : (this.#entries.get(path)?.created ?? 0);
    this.#entries.set(path, { exists: change !== "deleted", ignored, sequence, created });
    if (this.#entries.size <= this.#limit) return;
    for (const [old, entry] of this.#entries)
      if (!entry.exists && entry.sequence < sequence) this.#entries.delete(old);
  }

  /** What changed after a cursor, anywhere or in these folders. */
  since(cursor: number, folders?: readonly string[]): FileChange[] {
    if (cursor >= this.#sequence) return [];
    const changes: FileChange[] = [];
    for (const [path, { exists, ignored, sequence, created }] of this.#entries) {
      if (sequence <= cursor) continue;
      if (folders !== undefined && !folders.some((folder) => isInside(path, folder))) continue;
      const type = exists ? (created > cursor ? 1 : 2) : 3;
      changes.push({ path, type, ignored });
    }
    return changes;
  }
}
