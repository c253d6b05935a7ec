/** Edits that were previewed and may still be applied, by token; the oldest go when there are too many. */
import type { Change, EditLimits, Preview } from "./types.js";

/** What must be known of a preview to apply it. */
export interface Remembered {
  changes: Change[];
  /** Hashes before, by shown path. */
  before: Map<string, string>;
  bytes: number;
}

export class Previews {
  readonly #kept = new Map<string, Remembered>();
  readonly #limits: EditLimits;
  #bytes = 0;

  constructor(limits: EditLimits) {
    this.#limits = limits;
  }

  /** Remembers what a preview is about. */
  keep(changes: Change[], preview: Preview): void {
    this.drop(preview.token);
    const before = new Map<string, string>();
    for (const file of preview.files)
      if (file.beforeSha256 !== null) before.set(file.shown, file.beforeSha256);
    // Each code unit takes two bytes at most, and each change and file some more.
    const bytes = JSON.stringify(changes).length * 2 + before.size * 200;
    this.#kept.set(preview.token, { changes: structuredClone(changes), before, bytes });
    this.#bytes += bytes;
    for (const token of this.#kept.keys()) {
      if (this.#bytes <= this.#limits.previewBytes && this.#kept.size <= this.#limits.previews) break;
      if (token !== preview.token) this.drop(token);
    }
  }

  find(token: string): Remembered | undefined {
    return this.#kept.get(token);
  }

  drop(token: string): void {
    this.#bytes -= this.#kept.get(token)?.bytes ?? 0;
    this.#kept.delete(token);
  }
}
