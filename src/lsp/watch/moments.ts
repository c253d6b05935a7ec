/** Moments in the life of a pool: whether anything has happened between two of them that an answer could depend on. */
import { basename } from "node:path";
import type { Tally } from "../instance-context.js";
import type { MarkProof, PoolMark } from "../types.js";
import type { WorkspaceWatch } from "./watch.js";

export interface MomentsContext {
  watch: WorkspaceWatch;
  roots: readonly string[];
  tally: Tally;
  /** Names of the files that mark a project. */
  markers: ReadonlySet<string>;
  /** Whether some server is for this file. */
  isServed: (path: string) => boolean;
}

/** Everything was looked at before. */
const proven: MarkProof = { holds: () => true, isAhead: () => false, onRefuted: () => undefined };

export class Moments {
  readonly #context: MomentsContext;
  #sources: { seen: number; cursor: number; changedAt: number | null } = {
    seen: 0,
    cursor: 0,
    changedAt: null,
  };
  #marks = 0;

  constructor(context: MomentsContext) {
    this.#context = context;
  }

  /** Where things stand now, files having been looked at since `lookedAt`; `servers` changes with every start and end of one. */
  mark(lookedAt: number, servers: string, proof = proven): PoolMark {
    const { watch, roots, tally } = this.#context;
    // Where files may change unseen, no two moments are known to be equal.
    const unseen = watch.isBlind(roots) ? `.${++this.#marks}` : "";
    const files = `${watch.cursor}.${tally.told}${unseen}`;
    this.#lookAtSources();
    return {
      lookedAt,
      files,
      all: `${files}.${tally.heard}.${servers}`,
      sources: String(this.#sources.cursor),
      changedAt: this.#sources.changedAt,
      holds: proof.holds,
      isAhead: proof.isAhead,
      onRefuted: proof.onRefuted,
    };
  }

  /** The present moment, once all that changed before it is known. */
  async now(): Promise<number> {
    await this.#context.watch.refresh();
    return this.#context.watch.cursor;
  }

  /** Absolute paths of the files that anyone has changed since a moment; without what git ignores. */
  async changedSince(moment: number): Promise<ReadonlySet<string>> {
    const { watch, roots } = this.#context;
    await watch.refresh();
    const changes = watch.since(moment, roots).filter(({ ignored }) => !ignored);
    return new Set(changes.map(({ path }) => path));
  }

  /** Sees whether what changed since the last look could change an answer: not what servers write for themselves. */
  #lookAtSources(): void {
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
