/**
 * Watch events of the operating system. Linux has one inotify watch per folder; macOS and Windows watch a whole tree
 * with one native recursive watch. Node emulates recursive watching on Linux with a watch per file, which is too slow.
 */
import { type FSWatcher, readFileSync, statfsSync, watch } from "node:fs";
import { join } from "node:path";
import { isInside } from "../../base/paths.js";
import { here, type Platform } from "../../base/platform.js";
import { nextTurn } from "../../base/timing.js";

export interface WatchListener {
  /** Something happened to the entry at this path. */
  changed(path: string): void;
  /** Events may have been lost: everything must be read again. */
  lost(): void;
  /** A watch failed: no more events come from this folder, or from this whole root. */
  unwatched(folder: string): void;
}

export interface WatchSource {
  readonly capacity: number;
  /** Watches a folder; call it before the folder is read. False when it cannot be watched. */
  add(folder: string): boolean;
  remove(folder: string): void;
  /** Resolves once the events of all writes before now were delivered, as far as the system allows. */
  drain(): Promise<void>;
  close(): void;
}

export type OpenWatchSource = (
  roots: readonly string[],
  listener: WatchListener,
  platform?: Platform,
) => WatchSource;

export const openWatchSource: OpenWatchSource = (roots, listener, platform = here) =>
  platform.hasRecursiveWatch ? new SystemWatches(listener, roots) : new SystemWatches(listener);

/** Bounds of the inotify watches that are used: a quarter of what the system allows, within these two. */
const MIN_WATCHES = 4_096;
const MAX_WATCHES = 16_384;
const SHARE = 1 / 4;
const ALLOWED_WATCHES = "/proc/sys/fs/inotify/max_user_watches";
/** So many events between two drains may have overflowed the kernel's queue (16,384 by default). */
const BURST = 8_192;

/** inotify queues an event before the write returns, so `drain` sees every earlier write. Recursive events may lag. */
export class SystemWatches implements WatchSource {
  readonly capacity: number;
  readonly #watchers = new Map<string, FSWatcher>();
  #events = 0;

  constructor(
    private readonly listener: WatchListener,
    private readonly roots?: readonly string[],
  ) {
    this.capacity = roots === undefined ? watchCapacity() : Number.POSITIVE_INFINITY;
  }

  add(folder: string): boolean {
    const root = this.roots?.find((candidate) => isInside(folder, candidate));
    if (this.roots !== undefined && folder !== root) return root !== undefined && this.#watchers.has(root);
    this.remove(folder);
    if (this.#watchers.size >= this.capacity) return false;
    try {
      const options = { persistent: false, recursive: root !== undefined };
      const watcher = watch(folder, options, (_event, name) => {
        this.#events++;
        if (name === null) this.listener.lost();
        else this.listener.changed(join(folder, name));
      });
      watcher.on("error", () => {
        this.remove(folder);
        this.listener.unwatched(folder);
      });
      this.#watchers.set(folder, watcher);
      return true;
    } catch {
      // The folder is gone, the system has no more watches, or it has no recursive ones.
      return false;
    }
  }

  remove(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  async drain(): Promise<void> {
    // Two turns of the event loop: the first may still belong to the round of events that brought the call.
    for (let turn = 0; turn < 2; turn++) await nextTurn();
    if (this.roots === undefined && this.#events > BURST) this.listener.lost();
    this.#events = 0;
  }

  close(): void {
    for (const folder of [...this.#watchers.keys()]) this.remove(folder);
  }
}

function watchCapacity(): number {
  try {
    const share = Math.floor(Number.parseInt(readFileSync(ALLOWED_WATCHES, "utf8"), 10) * SHARE) || 0;
    return Math.min(MAX_WATCHES, Math.max(MIN_WATCHES, share));
  } catch {
    return MIN_WATCHES;
  }
}

/** File system types of NFS, SMB and CIFS, 9p (WSL), FUSE (sshfs, virtiofs), VirtualBox, Ceph and AFS. */
const NETWORK_TYPES = new Set([
  0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997, 0x65735546, 0x786f4256, 0x00c36400, 0x5346414f,
]);

/** Whether other machines may write to a folder without an event here; also where that cannot be found out. */
export function isOnNetwork(folder: string): boolean {
  try {
    // Numbers above 2^31 may come with a sign.
    return NETWORK_TYPES.has(statfsSync(folder).type >>> 0);
  } catch {
    return true;
  }
}
