/**
 * Ignored folders too large to be followed file by file. Kept are the times of the folders in them and the names of their
 * files: what came, went or was renamed into place changes a folder's time, and is found by looking at the folders alone.
 * A file that is written in place is not seen here; that these folders are not watched is said by whoever lists them.
 */
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isInside } from "../../base/paths.js";
import { lookAtAll } from "../documents/stamps.js";
import type { Journal } from "./journal.js";
import { atMost, each } from "./watched-tree.js";

/** How much is swept, and how often. */
export interface SweepLimits {
  sweptFolders: number;
  /** How long a call waits for a sweep; what that finds later, the next call tells. */
  sweepWaitMs: number;
  /** After a sweep there is none for so many times as long as it took, and for so long at the least. */
  sweepRest: number;
  sweepRestMs: number;
}

export interface SweepContext {
  journal: Journal;
  isDenied: (path: string, isFolder: boolean) => boolean;
  limits: SweepLimits;
}

interface Swept {
  /** The folder's own time when it was read. */
  time: number;
  /** When it was read (`Date.now()`). */
  readAt: number;
  files: Set<string>;
}

/** Clocks of file systems are coarse: a folder changed this close to its reading is read again. */
const RACY_MS = 50;

export class SweptFolders {
  readonly #context: SweepContext;
  readonly #startedAt = Date.now();
  readonly #roots = new Set<string>();
  readonly #folders = new Map<string, Swept>();
  #running: Promise<void> | undefined;
  #restsUntil = 0;

  constructor(context: SweepContext) {
    this.#context = context;
  }

  /** Sweeps these folders with all in them, and no others, `now` also without a rest; waits no longer than is allowed. */
  async look(roots: readonly string[], now: boolean): Promise<void> {
    const isOther = roots.length !== this.#roots.size || roots.some((root) => !this.#roots.has(root));
    if (!this.#running && (now || isOther || performance.now() >= this.#restsUntil)) {
      const gone = [...this.#roots].filter((root) => !roots.includes(root));
      this.#roots.clear();
      for (const root of roots) this.#roots.add(root);
      if (gone.length > 0 || roots.length > 0) {
        this.#running = this.#sweep(gone).finally(() => {
          this.#running = undefined;
        });
      }
    }
    if (this.#running) await atMost(this.#running, this.#context.limits.sweepWaitMs);
  }

  async #sweep(gone: readonly string[]): Promise<void> {
    const begun = performance.now();
    for (const root of gone) await this.#release(root);
    await this.#compare();
    await each([...this.#roots], (path) => this.#enter(path, false));
    const { sweepRest, sweepRestMs } = this.#context.limits;
    const ended = performance.now();
    this.#restsUntil = ended + Math.max(sweepRestMs, (ended - begun) * sweepRest);
  }

  /** A folder that is swept no longer: it is followed again, or gone with all that was in it. */
  async #release(root: string): Promise<void> {
    const exists = (await timeOf(root)) !== undefined;
    for (const path of [...this.#folders.keys()]) {
      if (!isInside(path, root)) continue;
      if (exists) this.#folders.delete(path);
      else this.#leave(path);
    }
  }

  /** Takes in a folder with those in it; what it holds is new when the folder is. */
  async #enter(path: string, isNew: boolean): Promise<void> {
    if (this.#folders.has(path) || this.#folders.size >= this.#context.limits.sweptFolders) return;
    const time = await timeOf(path);
    if (time === undefined) return;
    // What changed since the start may have been read by a server before.
    const since = time >= this.#startedAt ? this.#startedAt : Number.POSITIVE_INFINITY;
    this.#folders.set(path, { time: 0, readAt: since, files: new Set() });
    await this.#read(path, time, isNew ? "created" : "known");
  }

  /** Looks at all folders, and reads those that changed. */
  async #compare(): Promise<void> {
    const changed: [path: string, time: number][] = [];
    await lookAtAll([...this.#folders.keys()], (path, stats) => {
      const known = this.#folders.get(path);
      if (known === undefined) return;
      const time = stats?.isDirectory() ? stats.mtimeMs : undefined;
      if (time === undefined) this.#leave(path);
      else if (time !== known.time || time >= known.readAt - RACY_MS) changed.push([path, time]);
    });
    await each(changed, ([path, time]) => this.#read(path, time, "compared"));
  }

  async #read(path: string, time: number, how: "created" | "known" | "compared"): Promise<void> {
    const before = this.#folders.get(path);
    const readAt = Date.now();
    const listing = await readdir(path, { withFileTypes: true }).catch(() => undefined);
    if (!before || !listing) return;
    const { isDenied } = this.#context;
    const names = (wanted: "isFile" | "isDirectory"): string[] =>
      listing
        .filter((entry) => entry[wanted]() && !isDenied(join(path, entry.name), wanted === "isDirectory"))
        .map(({ name }) => name);
    const files = new Set(names("isFile"));
    this.#folders.set(path, { time, readAt, files });
    for (const name of before.files) if (!files.has(name)) this.#record(path, name, "deleted");
    const isOld = (name: string): boolean => how === "known" || before.files.has(name);
    const old = [...files].filter(isOld);
    for (const name of files) if (!isOld(name)) this.#record(path, name, "created");
    if (Number.isFinite(before.readAt))
      await each(old, (name) => this.#recordSince(path, name, before.readAt));
    await each(names("isDirectory"), (name) => this.#enter(join(path, name), how !== "known"));
  }

  /** Tells of a file that was written or replaced since a moment. */
  async #recordSince(path: string, name: string, moment: number): Promise<void> {
    const stats = await lstat(join(path, name)).catch(() => undefined);
    if (stats && stats.ctimeMs >= moment - RACY_MS) this.#record(path, name, "changed");
  }

  /** A folder is gone; those in it are found gone themselves. */
  #leave(path: string): void {
    for (const name of this.#folders.get(path)?.files ?? []) this.#record(path, name, "deleted");
    this.#folders.delete(path);
  }

  #record(path: string, name: string, change: "created" | "changed" | "deleted"): void {
    this.#context.journal.record(join(path, name), change, true);
  }
}

/** The time of a folder's last change; undefined when it is not there. */
async function timeOf(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isDirectory() ? stats.mtimeMs : undefined;
}
