/** Which files changed: the log of changes, the recently shown files, and the latest change of a source. */
import { LRUCache } from "lru-cache";
import type { FileChangeType } from "vscode-languageserver-protocol";
import { stampOf } from "../../base/file-stamp.js";
import { isInside } from "../../base/paths.js";
import { fileChangeTypes } from "../../protocol/lsp-constants.js";
import type { FileCheck } from "../types.js";
import type { WorkspaceWatch } from "./workspace-watch.js";

export interface FileChange {
  path: string;
  type: FileChangeType;
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
  /** The number of the latest change; `since` returns the changes after it. */
  cursor = 0;
  /** The number of the latest change that created or deleted a file. */
  namesCursor = 0;

  /** Past `limit` entries, those of deleted files are dropped. */
  constructor(private readonly limit: number) {}

  record(path: string, change: "created" | "changed" | "deleted", ignored: boolean): void {
    const sequence = ++this.cursor;
    if (change !== "changed") this.namesCursor = sequence;
    const created = change === "created" ? sequence : (this.#entries.get(path)?.created ?? 0);
    this.#entries.set(path, { exists: change !== "deleted", ignored, sequence, created });
    if (this.#entries.size <= this.limit) return;
    for (const [old, entry] of this.#entries)
      if (!entry.exists && entry.sequence < sequence) this.#entries.delete(old);
  }

  /** The changes after a cursor, anywhere or in these folders. */
  since(cursor: number, folders?: readonly string[]): FileChange[] {
    if (cursor >= this.cursor) return [];
    const changes: FileChange[] = [];
    for (const [path, { exists, ignored, sequence, created }] of this.#entries) {
      if (sequence <= cursor) continue;
      if (folders !== undefined && !folders.some((folder) => isInside(path, folder))) continue;
      const { Created, Changed, Deleted } = fileChangeTypes;
      const type = exists ? (created > cursor ? Created : Changed) : Deleted;
      changes.push({ path, type, ignored });
    }
    return changes;
  }
}

export class RecentlyShownFiles {
  /** The stamp text by path; undefined for a file that does not exist. */
  readonly #files: LRUCache<string, { stamp: string | undefined }>;

  constructor(max: number) {
    this.#files = new LRUCache({ max });
  }

  /** Adds a file as it is now, before it is read, so that no later write is missed. */
  add(path: string): void {
    if (this.#files.get(path) === undefined) this.#files.set(path, { stamp: stampOf(path)?.text });
  }

  /** Stats every file and reports those that differ from the last check. */
  check(
    report: (path: string, change: "created" | "changed" | "deleted", stamp: string | undefined) => void,
  ): void {
    for (const [path, file] of this.#files.entries()) {
      const before = file.stamp;
      const now = stampOf(path)?.text;
      if (now === before) continue;
      file.stamp = now;
      report(path, before === undefined ? "created" : now === undefined ? "deleted" : "changed", now);
    }
  }
}

/** The latest change of a source. Files that servers write for themselves are no sources: no answer is about them. */
export class SourceChanges {
  #seen = 0;
  #latest: Pick<FileCheck, "sourcesCursor" | "changedAt"> = { sourcesCursor: 0, changedAt: null };

  constructor(
    private readonly watch: WorkspaceWatch,
    private readonly roots: readonly string[],
    private readonly isSource: (path: string) => boolean,
  ) {}

  latest(): Pick<FileCheck, "sourcesCursor" | "changedAt"> {
    const { cursor } = this.watch;
    if (cursor === this.#seen) return this.#latest;
    const changes = this.watch.since(this.#seen, this.roots);
    this.#seen = cursor;
    if (changes.some(({ path }) => this.isSource(path)))
      this.#latest = { sourcesCursor: cursor, changedAt: Date.now() };
    return this.#latest;
  }
}
