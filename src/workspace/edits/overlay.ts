/**
 * The tree of names as a list of moves, removals and creations would leave it, over the tree on disk. It answers one
 * question: what a path would lead to by then, told as a path on disk now.
 */
import { dirname } from "node:path";
import { isInside } from "../../base/paths.js";

/** Where a path leads: to something on disk now, to something that the list makes, or nowhere. */
export type Whereabouts = { kind: "disk"; origin: string } | { kind: "new" } | { kind: "nowhere" };

export class Overlay {
  /** What the list put at a path: the nearest entry at or above a path decides. */
  readonly #entries = new Map<string, Whereabouts>();

  /** What a path leads to. */
  find(path: string): Whereabouts {
    for (let at = path; ; at = dirname(at)) {
      const entry = this.#entries.get(at);
      if (entry?.kind === "disk") return { kind: "disk", origin: entry.origin + path.slice(at.length) };
      if (entry !== undefined) return at === path ? entry : { kind: "nowhere" };
      if (dirname(at) === at) return { kind: "disk", origin: path };
    }
  }

  /** Whether the list put, moved or took anything at a path or below it. */
  touches(path: string): boolean {
    return [...this.#entries.keys()].some((entry) => isInside(entry, path));
  }

  /** Something new stands at a path. */
  create(path: string): void {
    this.#forget(path);
    this.#entries.set(path, { kind: "new" });
  }

  /** Nothing stands at a path any more. */
  remove(path: string): void {
    this.#forget(path);
    this.#entries.set(path, { kind: "nowhere" });
  }

  /** What stood at one path, with all below it, stands at another. */
  move(from: string, to: string): void {
    const below = [...this.#entries].filter(([entry]) => entry !== from && isInside(entry, from));
    const moved = this.find(from);
    this.remove(from);
    this.#forget(to);
    this.#entries.set(to, moved);
    for (const [entry, what] of below) this.#entries.set(to + entry.slice(from.length), what);
  }

  #forget(path: string): void {
    for (const entry of [...this.#entries.keys()]) if (isInside(entry, path)) this.#entries.delete(entry);
  }
}
