/**
 * The workspace as the changes planned so far would leave it: the disk, overlaid with moved, new and removed paths, and
 * the files read so far with their new contents. It only reads.
 */
import { dirname, join } from "node:path";
import { sha256 } from "../../base/hash.js";
import { folded, isInside, pathAfterMove } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import type { Gate } from "../gate-types.js";
import type { ProtectedPaths } from "../protected-paths.js";
import { type Budget, type Disk, type DiskEntry, hashFile, listTree, spend } from "./disk.js";
import {
  applyChanges,
  checkChanges,
  type Decoded,
  decodeText,
  encodeText,
  fitLineEnds,
  withoutMark,
} from "./text-edits.js";
import type { EditLimits, TextChange } from "./types.js";

export interface EditContext {
  disk: Disk;
  gate: Gate;
  protectedPaths: ProtectedPaths;
  limits: EditLimits;
}

/** Where a planned path leads: to a path on disk now, to something new, or nowhere. */
type PlannedPath = { kind: "disk"; origin: string } | { kind: "new" } | { kind: "nowhere" };

/** Resolves paths after a list of moves, removals and creations to paths on disk now. */
class PathOverlay {
  /** The nearest entry at or above a path decides. */
  readonly #entries = new Map<string, PlannedPath>();

  find(path: string): PlannedPath {
    for (let at = path; ; at = dirname(at)) {
      const entry = this.#entries.get(at);
      if (entry?.kind === "disk") return { kind: "disk", origin: entry.origin + path.slice(at.length) };
      if (entry !== undefined) return at === path ? entry : { kind: "nowhere" };
      if (dirname(at) === at) return { kind: "disk", origin: path };
    }
  }

  /** Whether anything at or below a path was created, moved or removed. */
  touches(path: string): boolean {
    return [...this.#entries.keys()].some((entry) => isInside(entry, path));
  }

  move(from: string, to: string): void {
    const below = [...this.#entries].filter(([entry]) => entry !== from && isInside(entry, from));
    const moved = this.find(from);
    this.set(from, { kind: "nowhere" });
    this.set(to, moved);
    for (const [entry, planned] of below) this.#entries.set(to + entry.slice(from.length), planned);
  }

  set(path: string, planned: PlannedPath): void {
    for (const entry of [...this.#entries.keys()]) {
      if (isInside(entry, path)) this.#entries.delete(entry);
    }
    this.#entries.set(path, planned);
  }
}

/** A file on disk. `text` is null when it is not text, and undefined when it was only hashed. */
interface OriginalFile {
  path: string;
  entry: DiskEntry;
  sha256: string;
  text: Decoded | null | undefined;
}

/** One file of a planned edit. Edits of the same text are merged; an edit of their result starts from that result. */
export class PlannedFile {
  removed = false;
  #base: Decoded | null = null;
  #baseSha256 = "";
  #changes: TextChange[] = [];

  /** The file on disk; null for a new one. */
  original: OriginalFile | null = null;

  /** `path` is where the changes so far put the file. */
  constructor(public path: string) {}

  setOriginal(original: OriginalFile): this {
    this.original = original;
    this.#base = original.text ?? null;
    this.#baseSha256 = original.sha256;
    return this;
  }

  /** Changes the text with the given hash, or throws a Refusal. */
  edit(hash: string, changes: TextChange[]): void {
    const bytes = this.bytesAfter();
    if (this.#base === null || bytes === null) throw new Refusal("guard/not-a-file", "is not UTF-8 text");
    if (hash !== this.#baseSha256) {
      if (hash !== sha256(bytes))
        throw new Refusal("edit/changed", "has other content than the edit was made for");
      this.#rebase(decodeText(bytes) ?? this.#base, hash);
    }
    const { text } = this.#base;
    const all = [...this.#changes, ...fitLineEnds(text, changes)];
    const problem = checkChanges(text, all);
    if (problem !== undefined) throw problem;
    this.#changes = all;
  }

  replaceText(text: string): this {
    this.#rebase(withoutMark(text), sha256(text));
    return this;
  }

  /** The text after the edit; null when the file is not text or was only hashed. */
  textAfter(): Decoded | null {
    if (this.#base === null || this.#changes.length === 0) return this.#base;
    return { text: applyChanges(this.#base.text, this.#changes), hasMark: this.#base.hasMark };
  }

  bytesAfter(): Buffer | null {
    const after = this.textAfter();
    return after === null ? null : encodeText(after);
  }

  /** The changes, if they refer to the text on disk. */
  changesOnDisk(): TextChange[] | undefined {
    return this.#baseSha256 === this.original?.sha256 ? this.#changes : undefined;
  }

  #rebase(base: Decoded, hash: string): void {
    this.#base = base;
    this.#baseSha256 = hash;
    this.#changes = [];
  }
}

/** What a planned path leads to; `new` for something that the edit creates. */
type PlannedEntry = DiskEntry | "new" | undefined;

export class PlannedTree {
  readonly files: PlannedFile[] = [];
  readonly overlay = new PathOverlay();
  readonly budget: Budget;

  constructor(private readonly context: EditContext) {
    this.budget = { files: context.limits.editFiles, bytes: context.limits.editBytes };
  }

  async find(path: string): Promise<PlannedEntry> {
    const planned = this.overlay.find(path);
    if (planned.kind === "new") return "new";
    if (planned.kind === "nowhere") return undefined;
    if (planned.origin !== path) {
      // The gate resolved the planned path, not this one: it may lead through a link.
      const folder = dirname(planned.origin);
      if ((await this.context.gate.admit(folder)).path !== folder)
        throw new Refusal("guard/not-a-file", "lies behind a symbolic link in a folder that is moved");
    }
    return this.context.disk.stat(planned.origin);
  }

  /** The planned file at a path, if it was read or created before. */
  known(path: string): PlannedFile | undefined {
    return this.files.find((file) => !file.removed && file.path === path);
  }

  /** The kind of what a path leads to; undefined when nothing exists. */
  async kindAt(path: string): Promise<DiskEntry["kind"] | undefined> {
    const found = await this.find(path);
    if (found !== "new") return found?.kind;
    return this.known(path) === undefined ? "folder" : "file";
  }

  /** Reads the file at a path to change its content; with `any` it need not be text. */
  async readFile(path: string, content: "text" | "any"): Promise<PlannedFile | undefined> {
    const { disk, limits } = this.context;
    const known = this.known(path);
    if (known !== undefined && (known.original === null || known.original.text !== undefined)) return known;
    const entry = await this.find(path);
    if (entry === undefined) return undefined;
    if (entry === "new" || entry.kind === "folder") throw new Refusal("edit/bad-target", "is a folder");
    if (entry.kind !== "file") throw new Refusal("guard/not-a-file", "is not a regular file");
    const origin = this.originOf(path);
    if (!(await disk.canWrite(origin))) throw new Refusal("edit/read-only", "is write-protected");
    if (entry.size > limits.fileBytes)
      throw new Refusal("edit/too-large", `is larger than ${limits.fileBytes} bytes`);
    spend(this.budget, 1, entry.size * 2);
    const bytes = await disk.read(origin, limits.fileBytes);
    const text = decodeText(bytes) ?? null;
    if (text === null && content === "text") throw new Refusal("guard/not-a-file", "is not UTF-8 text");
    return (known ?? this.#add(path)).setOriginal({ path: origin, entry, sha256: sha256(bytes), text });
  }

  /** The file at a path that is only moved: its hash is enough. */
  async hashedFile(path: string): Promise<PlannedFile | null> {
    const known = this.known(path);
    if (known !== undefined) return known;
    const entry = await this.find(path);
    if (entry === undefined || entry === "new") return null;
    spend(this.budget, 1, 0);
    const origin = this.originOf(path);
    const hash = await hashFile(this.context.disk, origin);
    return this.#add(path).setOriginal({ path: origin, entry, sha256: hash, text: undefined });
  }

  createFile(path: string, text: string): PlannedFile {
    this.overlay.set(path, { kind: "new" });
    return this.#add(path).replaceText(text);
  }

  #add(path: string): PlannedFile {
    const file = new PlannedFile(path);
    this.files.push(file);
    return file;
  }

  /** The names in a folder that exists on disk. */
  namesIn(folder: string): Promise<string[]> {
    return this.context.disk.list(this.originOf(folder));
  }

  /** The paths below a folder that exists on disk, relative to it. */
  pathsBelow(folder: string): Promise<string[]> {
    const budget = { files: this.context.limits.editFiles, bytes: 0 };
    return listTree(this.context.disk, this.originOf(folder), budget);
  }

  move(from: string, to: string): void {
    this.overlay.move(from, to);
    for (const file of this.files) {
      if (!file.removed) file.path = pathAfterMove(file.path, from, to);
    }
  }

  remove(path: string): void {
    this.overlay.set(path, { kind: "nowhere" });
    for (const file of this.files) {
      if (isInside(file.path, path)) file.removed = true;
    }
  }

  /** Whether the paths differ only in case or accents and name the same file, on a file system that ignores that. */
  async isCaseVariant(from: string, to: string): Promise<boolean> {
    if (dirname(from) !== dirname(to) || folded(from) !== folded(to)) return false;
    if (!isSameEntry(await this.find(from), await this.find(to))) return false;
    return !(await this.context.disk.list(dirname(to))).some((name) => join(dirname(to), name) === to);
  }

  /** Where something is on disk that will be at a path. */
  originOf(path: string): string {
    const planned = this.overlay.find(path);
    return planned.kind === "disk" ? planned.origin : path;
  }
}

/** Whether two paths lead to the same inode: hard links, or case variants of one name. */
export function isSameEntry(one: PlannedEntry, other: PlannedEntry): boolean {
  if (one === undefined || other === undefined || one === "new" || other === "new") return false;
  return one.identity === other.identity;
}
