/**
 * The workspace as the changes so far would leave it: the disk, what was moved, made and removed over it, and the files
 * that were looked at. It only looks.
 */
import { dirname, join } from "node:path";
import { sha256 } from "../../base/hash.js";
import { isInside } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import type { Gate } from "../types.js";
import type { Ward } from "../ward.js";
import { type Disk, type Found, hashFile } from "./disk.js";
import { DraftFile } from "./draft-file.js";
import { Overlay } from "./overlay.js";
import { decodeText } from "./text.js";
import { type Budget, listTree, spend } from "./tree.js";
import type { EditLimits } from "./types.js";

/** Where drafting looks. */
export interface Surroundings {
  disk: Disk;
  gate: Gate;
  ward: Ward;
  limits: EditLimits;
}

export class Scene {
  readonly files: DraftFile[] = [];
  readonly overlay = new Overlay();
  readonly budget: Budget;
  readonly #disk: Disk;
  readonly #gate: Gate;
  readonly #limits: EditLimits;

  constructor({ disk, gate, limits }: Surroundings) {
    this.#disk = disk;
    this.#gate = gate;
    this.#limits = limits;
    this.budget = { files: limits.editFiles, bytes: limits.editBytes };
  }

  /** What a path leads to by now; `new` for what the edit makes. */
  async find(path: string): Promise<Found | "new" | undefined> {
    const where = this.overlay.find(path);
    if (where.kind === "new") return "new";
    if (where.kind === "nowhere") return undefined;
    if (where.origin !== path) {
      // Inside a folder that moves, the gate has not followed the links yet.
      const folder = dirname(where.origin);
      if ((await this.#gate.admit(folder)).path !== folder)
        throw new Refusal("guard/not-a-file", "lies behind a symbolic link in a folder that moves");
    }
    return this.#disk.look(where.origin);
  }

  /** Where something that is on disk now stands there. */
  originOf(path: string): string {
    const where = this.overlay.find(path);
    return where.kind === "disk" ? where.origin : path;
  }

  /** The file that was looked at, or made, and is at a path by now. */
  known(path: string): DraftFile | undefined {
    return this.files.find((file) => !file.removed && file.path === path);
  }

  /** Whether a file is at a path; throws when something else is. */
  async hasFile(path: string): Promise<boolean> {
    const found = await this.find(path);
    if (found === undefined) return false;
    const isFile = found === "new" ? this.known(path) !== undefined : found.kind === "file";
    if (!isFile) throw new Refusal("edit/bad-target", "is a folder");
    return true;
  }

  /** Whether a folder is at a path; throws when something else is. */
  async hasFolder(path: string): Promise<boolean> {
    const found = await this.find(path);
    if (found === undefined) return false;
    const isFolder = found === "new" ? this.known(path) === undefined : found.kind === "folder";
    if (!isFolder) throw new Refusal("edit/bad-target", "would lie below a file");
    return true;
  }

  /** The draft of the file at a path with its content, read on first use; with `any`, also one that is not text. */
  async fileAt(path: string, content: "text" | "any"): Promise<DraftFile | undefined> {
    const known = this.known(path);
    if (known !== undefined && known.origin?.text !== undefined) return known;
    if (known !== undefined && known.origin === null) return known;
    const found = await this.find(path);
    if (found === undefined) return undefined;
    if (found === "new" || found.kind === "folder") throw new Refusal("edit/bad-target", "is a folder");
    if (found.kind !== "file") throw new Refusal("guard/not-a-file", "is not a regular file");
    const origin = this.originOf(path);
    if (!(await this.#disk.mayWrite(origin))) throw new Refusal("edit/read-only", "is write-protected");
    if (found.size > this.#limits.fileBytes)
      throw new Refusal("edit/too-large", `is larger than ${this.#limits.fileBytes} bytes`);
    spend(this.budget, 1, found.size * 2);
    const bytes = await this.#disk.read(origin, this.#limits.fileBytes);
    const text = decodeText(bytes) ?? null;
    if (text === null && content === "text") throw new Refusal("guard/not-a-file", "is not UTF-8 text");
    const looked = { path: origin, found, sha256: sha256(bytes), text };
    if (known !== undefined) known.look(looked);
    else this.files.push(DraftFile.onDisk(looked, path));
    return this.known(path);
  }

  /** The draft of a file that is only moved: its hash will do. */
  async hashedFile(path: string): Promise<DraftFile | null> {
    const known = this.known(path);
    if (known !== undefined) return known;
    const found = await this.find(path);
    if (found === undefined || found === "new") return null;
    spend(this.budget, 1, 0);
    const origin = this.originOf(path);
    const hash = await hashFile(this.#disk, origin);
    const file = DraftFile.onDisk({ path: origin, found, sha256: hash, text: undefined }, path);
    this.files.push(file);
    return file;
  }

  /** The names in a folder that is on disk. */
  namesIn(folder: string): Promise<string[]> {
    return this.#disk.list(this.originOf(folder));
  }

  /** The paths below a folder that is on disk, relative to it. */
  pathsBelow(folder: string): Promise<string[]> {
    return listTree(this.#disk, this.originOf(folder), { files: this.#limits.editFiles, bytes: 0 });
  }

  /** Everything at or below a path is at another one now. */
  move(from: string, to: string): void {
    this.overlay.move(from, to);
    for (const file of this.files)
      if (!file.removed && isInside(file.path, from)) file.path = to + file.path.slice(from.length);
  }

  /** Everything at or below a path is gone now. */
  remove(path: string): void {
    this.overlay.remove(path);
    for (const file of this.files) if (isInside(file.path, path)) file.removed = true;
  }

  /** Whether a target is the source itself, spelt otherwise, on a file system that ignores case. */
  async isOtherSpelling(from: string, to: string): Promise<boolean> {
    if (dirname(from) !== dirname(to) || from.toLowerCase() !== to.toLowerCase()) return false;
    const [found, target] = [await this.find(from), await this.find(to)];
    if (!isSame(found, target)) return false;
    return !(await this.#disk.list(dirname(to))).some((name) => join(dirname(to), name) === to);
  }
}

/** Whether two names lead to one thing: hard links, or one name in two spellings. */
export function isSame(one: Found | "new" | undefined, other: Found | "new" | undefined): boolean {
  if (one === undefined || other === undefined || one === "new" || other === "new") return false;
  return one.identity === other.identity;
}
