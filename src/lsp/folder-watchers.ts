/**
 * The system's own watches on folders. Only Linux's are used: inotify queues an event before the write returns, so one
 * turn of the event loop later all earlier writes are known. They are bounded; a folder without one is read at every look.
 */
import { type FSWatcher, watch as watchFolder } from "node:fs";

const MAX_WATCHERS = 4_096;
/** So many events in one go may have overflowed the kernel's queue. */
const BURST = 8_192;

export class FolderWatchers {
  readonly #open = new Set<FSWatcher>();
  #events = 0;

  /** Watches a folder, not those in it; undefined when it cannot be watched. `onLost` hears when that ends. */
  observe(path: string, onEvent: (name: string | null) => void, onLost: () => void): FSWatcher | undefined {
    if (process.platform !== "linux" || this.#open.size >= MAX_WATCHERS) return undefined;
    try {
      const watcher = watchFolder(path, { persistent: false }, (_event, name) => {
        this.#events++;
        onEvent(name);
      });
      watcher.on("error", onLost);
      this.#open.add(watcher);
      return watcher;
    } catch {
      // The folder is gone, or the system's watches are used up.
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

  close(): void {
    for (const watcher of [...this.#open]) this.release(watcher);
  }
}

function turn(): Promise<void> {
  return new Promise((done) => setImmediate(done));
}
