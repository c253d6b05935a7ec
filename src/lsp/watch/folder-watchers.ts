/**
 * The system's own watches on folders. Only Linux's are used: inotify queues an event before the write returns, so one
 * turn of the event loop later all earlier writes are known. They are bounded; a folder without one is read at every look.
 */
import { type FSWatcher, readFileSync, statfsSync, watch as watchFolder } from "node:fs";

/** How many watches are taken whatever the system allows, and at the most; in between a quarter of what it allows. */
const FEW_WATCHERS = 4_096;
const MANY_WATCHERS = 16_384;
const SHARE = 1 / 4;
const ALLOWED = "/proc/sys/fs/inotify/max_user_watches";
/** So many events in one go may have overflowed the kernel's queue. */
const BURST = 8_192;

/** How many folders can be watched here; none where the system does not tell of changes in time. */
export function watchCapacity(): number {
  if (process.platform !== "linux") return 0;
  try {
    const share = Math.floor(Number.parseInt(readFileSync(ALLOWED, "utf8"), 10) * SHARE) || 0;
    return Math.min(MANY_WATCHERS, Math.max(FEW_WATCHERS, share));
  } catch {
    return FEW_WATCHERS;
  }
}

/**
 * The numbers of file systems that other machines, or the machine around this one, write to: NFS, SMB and CIFS, 9p (WSL's
 * drives), FUSE (sshfs, virtiofs), VirtualBox's, Ceph and AFS. The system watches them, and hears of its own writes alone.
 */
const FOREIGN = new Set([
  ...[0x6969, 0x517b, 0xfe534d42, 0xff534d42, 0x01021997],
  ...[0x65735546, 0x786f4256, 0x00c36400, 0x5346414f],
]);

/** Whether a folder may be written to without the system's knowing; so too where that cannot be found out. */
export function isForeign(folder: string): boolean {
  try {
    // Numbers above 2^31 may come with a sign.
    return FOREIGN.has(statfsSync(folder).type >>> 0);
  } catch {
    return true;
  }
}

export class FolderWatchers {
  readonly #open = new Set<FSWatcher>();
  readonly #capacity: number;
  #events = 0;
  #isRefused = false;
  #isClosed = false;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Whether there were watches to have, and there are none any more. */
  get isUsedUp(): boolean {
    return this.#capacity > 0 && (this.#isRefused || this.#open.size >= this.#capacity);
  }

  /** Watches a folder, not those in it; undefined when it cannot be watched. `onLost` hears when that ends. */
  observe(path: string, onEvent: (name: string | null) => void, onLost: () => void): FSWatcher | undefined {
    if (this.#isClosed || this.#open.size >= this.#capacity) return undefined;
    try {
      const watcher = watchFolder(path, { persistent: false }, (_event, name) => {
        this.#events++;
        onEvent(name);
      });
      watcher.on("error", onLost);
      this.#open.add(watcher);
      return watcher;
    } catch (error) {
      // The folder is gone, or the system's watches are used up.
      this.#isRefused ||= isTooMany(error);
      return undefined;
    }
  }

  release(watcher: FSWatcher | undefined): void {
    if (watcher && this.#open.delete(watcher)) watcher.close();
  }

  /** Whether events may have been lost since this was last asked: then everything is to be read again. */
  async overflowed(): Promise<boolean> {
    // Two turns: the first may still belong to the round of events that brought the call.
    await turn();
    await turn();
    const lost = this.#events > BURST;
    this.#events = 0;
    return lost;
  }

  /** Whether nothing is to be watched any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
    for (const watcher of [...this.#open]) this.release(watcher);
  }
}

/** What the system says when its watches, or the files that a process may have open, are used up. */
function isTooMany(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EMFILE");
}

function turn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
