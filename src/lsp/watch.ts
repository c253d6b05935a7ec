/**
 * Knows which files under the roots changed, so that servers hear of edits made by anyone. The truth is a snapshot of
 * file stamps compared before each call. On Linux every folder is watched (inotify queues an event before the write
 * returns, so one turn of the event loop later all earlier writes are known) and only touched folders are read again;
 * elsewhere, and for folders that cannot be watched, every folder is. Folders that git ignores are left out.
 */
import { type FSWatcher, watch as watchFolder } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import picomatch from "picomatch";
import { stampText } from "./file.js";
import { IgnoreRules } from "./ignore-rules.js";
import { isInside, slashed } from "./inside.js";
import { type FileChange, Journal } from "./journal.js";
import type { Log } from "./types.js";

const SKIPPED = new Set([".git", ".hg", ".svn", ".jj", "node_modules"]);
const MAX_FILES = 50_000;
const MAX_WATCHERS = 4_096;
/** So many events in one go may have overflowed the kernel's queue: everything is read again. */
const BURST = 8_192;

interface Folder {
  path: string;
  files: Map<string, string>;
  folders: Set<string>;
  rules: IgnoreRules;
  watcher: FSWatcher | undefined;
  touched: Set<string>;
  dirty: boolean;
}

export class WorkspaceWatch {
  readonly #roots: readonly string[];
  readonly #denied: (path: string) => boolean;
  readonly #log: Log;
  readonly #folders = new Map<string, Folder>();
  readonly #journal = new Journal(2 * MAX_FILES);
  readonly #watching = process.platform === "linux";
  /** The first whole millisecond after the start: what was written before is older. */
  readonly #startedAt = Date.now() + 1;
  #files = 0;
  #watchers = 0;
  #events = 0;
  #overfull = false;
  #first = true;
  #closed = false;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(roots: readonly string[], deny: readonly string[], log: Log) {
    this.#roots = roots;
    this.#denied = deny.length > 0 ? picomatch([...deny], { dot: true }) : () => false;
    this.#log = log;
  }

  /** A mark in time: changes after it are given by `since`. */
  get cursor(): number {
    return this.#journal.cursor;
  }

  /** What changed under any of these folders after a cursor. */
  since(cursor: number, folders: readonly string[]): FileChange[] {
    return this.#journal.since(cursor, folders);
  }

  /** Paths known under any of these folders, in no order. */
  *files(roots: readonly string[]): Iterable<string> {
    for (const folder of this.#folders.values()) {
      if (!roots.some((root) => isInside(root, folder.path))) continue;
      for (const name of folder.files.keys()) yield join(folder.path, name);
    }
  }

  /** Takes in all that changed before this call. Calls at the same time share one look that begins after them. */
  refresh(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#look().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    this.#next ??= this.#running.then(() => {
      this.#next = undefined;
      return this.refresh();
    });
    return this.#next;
  }

  close(): void {
    this.#closed = true;
    for (const folder of this.#folders.values()) folder.watcher?.close();
    this.#folders.clear();
  }

  async #look(): Promise<void> {
    if (this.#closed) return;
    // Two turns: the first may still belong to the round of events that brought the call.
    await turn();
    await turn();
    const all = this.#events > BURST;
    this.#events = 0;
    const stale = [...this.#folders.values()].filter((folder) => all || folder.dirty || !folder.watcher);
    await each(stale, (folder) => this.#read(folder, false));
    await each(this.#roots, (root) => this.#enter(root, new IgnoreRules([])));
    this.#first = false;
  }

  async #enter(path: string, rules: IgnoreRules): Promise<void> {
    if (this.#closed || this.#folders.has(path)) return;
    const folder: Folder = {
      path,
      files: new Map(),
      folders: new Set(),
      rules,
      watcher: undefined,
      touched: new Set(),
      dirty: true,
    };
    this.#folders.set(path, folder);
    // Watched before it is read: what happens in between is an event.
    this.#observe(folder);
    await this.#read(folder, false);
  }

  /** A folder that was replaced, or whose ignore rules changed: its old watch may look at nothing any more. */
  async #renew(folder: Folder, rules: IgnoreRules): Promise<void> {
    folder.rules = rules;
    this.#unwatch(folder);
    this.#observe(folder);
    await this.#read(folder, true);
  }

  #observe(folder: Folder): void {
    if (!this.#watching || this.#watchers >= MAX_WATCHERS) return;
    try {
      const watcher = watchFolder(folder.path, { persistent: false }, (_event, name) => {
        this.#events++;
        folder.dirty = true;
        if (name !== null) folder.touched.add(name);
      });
      watcher.on("error", () => this.#unwatch(folder));
      folder.watcher = watcher;
      this.#watchers++;
    } catch {
      // The folder is gone or the system's watches are used up: it is read at every look instead.
      folder.watcher = undefined;
    }
  }

  #unwatch(folder: Folder): void {
    if (!folder.watcher) return;
    folder.watcher.close();
    folder.watcher = undefined;
    this.#watchers--;
  }

  /** Compares one folder with what was known of it; `deep` renews the folders in it as well. */
  async #read(folder: Folder, deep: boolean): Promise<void> {
    const touched = folder.touched;
    folder.dirty = false;
    folder.touched = new Set();
    const listing = await readdir(folder.path, { withFileTypes: true }).catch(() => undefined);
    if (!listing) {
      this.#leave(folder);
      return;
    }
    const hasRules = listing.some((entry) => entry.isFile() && entry.name === ".gitignore");
    const otherRules = await folder.rules.read(folder.path, hasRules);
    const seen = listing.filter((entry) => !this.#ignored(folder, entry.name, entry.isDirectory()));
    const files = new Set(seen.filter((entry) => entry.isFile()).map((entry) => entry.name));
    const folders = new Set(seen.filter((entry) => entry.isDirectory()).map((entry) => entry.name));
    for (const name of [...folder.files.keys()]) if (!files.has(name)) this.#lost(folder, name);
    for (const name of [...folder.folders]) if (!folders.has(name)) this.#leaveChild(folder, name);
    await each([...files], (name) => this.#compare(folder, name, touched.has(name)));
    folder.folders = folders;
    await each([...folders], async (name) => {
      const child = this.#folders.get(join(folder.path, name));
      const rules = folder.rules.inner();
      if (!child) await this.#enter(join(folder.path, name), rules);
      else if (deep || otherRules || touched.has(name)) await this.#renew(child, rules);
    });
  }

  #ignored(folder: Folder, name: string, isFolder: boolean): boolean {
    if (isFolder && SKIPPED.has(name)) return true;
    const path = join(folder.path, name);
    const root = this.#roots.find((candidate) => isInside(candidate, path)) ?? folder.path;
    if (this.#denied(slashed(relative(root, isFolder ? join(path, "x") : path)))) return true;
    return folder.rules.ignores(path, isFolder);
  }

  async #compare(folder: Folder, name: string, touched: boolean): Promise<void> {
    const path = join(folder.path, name);
    const stats = await lstat(path).catch(() => undefined);
    if (!stats?.isFile()) return;
    const stamp = stampText(stats);
    const before = folder.files.get(name);
    if (before === undefined && this.#files >= MAX_FILES) {
      if (!this.#overfull) this.#log("warn", "more files than are watched", { limit: MAX_FILES });
      this.#overfull = true;
      return;
    }
    folder.files.set(name, stamp);
    if (before === undefined) {
      this.#files++;
      if (!this.#first) this.#journal.record(path, "created");
      // Written while the first look was under way: a server may have read it before.
      else if (Math.max(stats.mtimeMs, stats.ctimeMs) >= this.#startedAt)
        this.#journal.record(path, "changed");
    } else if (before !== stamp || touched) this.#journal.record(path, "changed");
  }

  #lost(folder: Folder, name: string): void {
    folder.files.delete(name);
    this.#files--;
    this.#journal.record(join(folder.path, name), "deleted");
  }

  #leaveChild(parent: Folder, name: string): void {
    const child = this.#folders.get(join(parent.path, name));
    if (child) this.#leave(child);
  }

  #leave(folder: Folder): void {
    for (const name of [...folder.files.keys()]) this.#lost(folder, name);
    for (const name of folder.folders) this.#leaveChild(folder, name);
    this.#unwatch(folder);
    this.#folders.delete(folder.path);
  }
}

function turn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}

/** Runs over items, a few at a time. */
async function each<T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> {
  for (let start = 0; start < items.length; start += 32) {
    await Promise.all(items.slice(start, start + 32).map(run));
  }
}
