/** Files that a server was shown and has not looked at: one that looks at saved files only must be told of a save. */
import type { ReadinessState } from "../readiness.js";

interface UnsavedContext {
  /** Whether the server looks at saved files only. */
  isNeeded: boolean;
  readiness: ReadinessState;
  save: (path: string) => void;
}

/** The unsaved files of one server. */
export class UnsavedFiles {
  readonly #context: UnsavedContext;
  readonly #paths = new Set<string>();

  constructor(context: UnsavedContext) {
    this.#context = context;
  }

  /** A file was shown. */
  opened(path: string): void {
    if (this.#context.isNeeded) this.#paths.add(path);
  }

  /** The server was told of a save together with a change. */
  saved(path: string): void {
    this.#paths.delete(path);
  }

  /** Tells of a save where that is due; not before the server is ready, when it would not look either. True when it was told. */
  async tell(path: string, waitMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.#paths.has(path)) return false;
    const { readiness, save } = this.#context;
    await readiness.settle(waitMs, signal);
    if (readiness.awaitsStatus || !this.#paths.delete(path)) return false;
    save(path);
    return true;
  }
}
