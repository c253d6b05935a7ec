/** Version numbers of the workspace, which change when files that an answer could depend on change. */
import { basename } from "node:path";
import type { WorkspaceVersion } from "../types.js";
import type { WorkspaceWatch } from "./workspace-watch.js";

export interface WorkspaceVersionsContext {
  watch: WorkspaceWatch;
  roots: readonly string[];
  /** Names of the files that mark a project. */
  markers: ReadonlySet<string>;
  /** Whether some server handles this file. */
  isServed: (path: string) => boolean;
}

export class WorkspaceVersions {
  readonly #context: WorkspaceVersionsContext;
  #sources: { seen: number; cursor: number; changedAt: number | null } = {
    seen: 0,
    cursor: 0,
    changedAt: null,
  };

  constructor(context: WorkspaceVersionsContext) {
    this.#context = context;
  }

  /** The version after a check that began at `checkedAt`. */
  at(checkedAt: number): WorkspaceVersion {
    this.#readSources();
    return { checkedAt, sources: String(this.#sources.cursor), changedAt: this.#sources.changedAt };
  }

  /** The number of the present version, once every earlier change is known. */
  async now(): Promise<number> {
    await this.#context.watch.check();
    return this.#context.watch.cursor;
  }

  /** Absolute paths of the files that anyone has changed since a version; without what git ignores. */
  async changedSince(version: number): Promise<ReadonlySet<string>> {
    const { watch, roots } = this.#context;
    await watch.check();
    const changes = watch.since(version, roots).filter(({ ignored }) => !ignored);
    return new Set(changes.map(({ path }) => path));
  }

  /** Notes whether the latest changes could change an answer. Files that servers write for themselves cannot. */
  #readSources(): void {
    const { watch, roots, markers, isServed } = this.#context;
    const { cursor } = watch;
    if (cursor === this.#sources.seen) return;
    const changes = watch.since(this.#sources.seen, roots);
    const isOther = changes.some(({ path }) => markers.has(basename(path)) || isServed(path));
    this.#sources = isOther
      ? { seen: cursor, cursor, changedAt: Date.now() }
      : { ...this.#sources, seen: cursor };
  }
}
