/**
 * The journal of a workspace's edits, in the user's state folder. Each edit has a folder: its steps (`record`), what
 * it replaces or removes (`images`), and a mark for how far it came. The record is whole or not there, and it is on
 * the disk before the first file of the workspace changes.
 */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { sortBy } from "../../base/order.js";
import { type Content, type Disk, isAbsence, type Ownership, type Slice, systemCode } from "./disk.js";
import { contentOf, type Entry, isEntry, isUnfinished, type Stage } from "./entry.js";
import type { EditLimits } from "./types.js";

const entryName = /^[0-9a-z]{9}-[0-9a-f]{16}$/;
const MOST_RECORD_BYTES = 256 << 20;

export class Journal {
  /** The workspace's own folder. */
  readonly folder: string;
  /** Where the lock of all journals stands: roots of two workspaces may overlap. */
  readonly lockFolder: string;
  readonly #disk: Disk;
  readonly #limits: EditLimits;

  private constructor(disk: Disk, folder: string, limits: EditLimits) {
    this.#disk = disk;
    this.folder = folder;
    this.lockFolder = join(dirname(dirname(folder)), "edit-lock");
    this.#limits = limits;
  }

  /** Opens the journal below an existing, real folder; `key` names the workspace. */
  static async open(disk: Disk, state: string, key: string, limits: EditLimits): Promise<Journal> {
    const all = join(state, "edits");
    await ensureFolder(disk, all, "private");
    const journal = new Journal(disk, join(all, key), limits);
    await ensureFolder(disk, journal.lockFolder, "private");
    return journal;
  }

  /** The journals of other workspaces. */
  async others(): Promise<Journal[]> {
    const all = dirname(this.folder);
    const folders = (await this.#disk.list(all)).map((name) => join(all, name));
    return folders
      .filter((folder) => folder !== this.folder)
      .map((folder) => new Journal(this.#disk, folder, this.#limits));
  }

  /** Writes an edit down before it begins; `images` are saved as they are read. */
  async begin(entry: Omit<Entry, "id">, images: AsyncIterable<Uint8Array>): Promise<Entry> {
    const id = `${Date.now().toString(36).padStart(9, "0")}-${randomBytes(8).toString("hex")}`;
    const whole = { ...entry, id };
    try {
      await this.#write(whole, images);
    } catch (error) {
      await this.forget(id).catch((later: unknown) => {
        // Whoever takes the lock next forgets it then.
        if (systemCode(later) === "") throw later;
      });
      throw error;
    }
    return whole;
  }

  async #write(entry: Entry, images: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = this.#path(entry.id);
    // Not before: every start looks at the folders of all workspaces, and whoever prunes removes empty ones.
    await ensureFolder(this.#disk, this.folder, "private");
    await this.#disk.makeFolder(folder, "private");
    await this.#disk.write(join(folder, "images"), images, "private");
    const text = Buffer.from(JSON.stringify({ version: 1, ...entry }));
    await this.#disk.write(join(folder, "record.new"), text, "private");
    await this.#disk.rename(join(folder, "record.new"), join(folder, "record"));
    for (const changed of [folder, this.folder, dirname(this.folder)]) await this.#disk.sync(changed);
  }

  /** Marks how far an edit came; when this throws, the mark is not there. */
  async mark(id: string, stage: Exclude<Stage, "begun">): Promise<void> {
    await this.#mark(id, stage);
  }

  /** Marks that an edit holds nothing any more. */
  async markClean(id: string): Promise<void> {
    await this.#mark(id, "clean");
  }

  /** Whether an edit holds nothing any more. */
  async isClean(id: string): Promise<boolean> {
    return (await this.#names(id)).includes("clean");
  }

  async #mark(id: string, name: string): Promise<void> {
    const folder = this.#path(id);
    // A folder appears whole and may be there already.
    await ensureFolder(this.#disk, join(folder, name));
    // The mark is there now, whether or not the disk says so.
    await this.#disk.sync(folder).catch((error: unknown) => {
      if (systemCode(error) === "") throw error;
    });
  }

  /** Forgets an edit. */
  async forget(id: string): Promise<void> {
    // Without its record an entry is nothing; with it, half of one could be taken for a whole.
    await this.#disk.unlink(join(this.#path(id), "record")).catch((error: unknown) => {
      if (!isAbsence(error)) throw error;
    });
    await this.#disk.removeTree(this.#path(id));
  }

  /** The edits that are written down, oldest first. */
  async list(): Promise<{ id: string; stage: Stage | "nothing" }[]> {
    const ids = (await this.#all()).filter((name) => entryName.test(name));
    const entries: { id: string; stage: Stage | "nothing" }[] = [];
    for (const id of sortBy(ids, (name) => [name])) entries.push({ id, stage: await this.stage(id) });
    return entries;
  }

  /** What stands in the folder, which is there from the first edit on. */
  #all(): Promise<string[]> {
    return this.#disk.list(this.folder).catch((error: unknown) => {
      if (isAbsence(error)) return [];
      throw error;
    });
  }

  /** How far an edit came; `nothing` when it is not written down. */
  async stage(id: string): Promise<Stage | "nothing"> {
    if (!entryName.test(id)) return "nothing";
    const names = await this.#names(id);
    if (!names.includes("record")) return "nothing";
    const stages = ["left", "undone", "done", "committed"] as const;
    return stages.find((stage) => names.includes(stage)) ?? "begun";
  }

  async #names(id: string): Promise<string[]> {
    return this.#disk.list(this.#path(id)).catch((error: unknown): string[] => {
      if (isAbsence(error)) return [];
      throw error;
    });
  }

  /** Whether a process may have died in the middle of an edit, of this workspace or another; writes nothing. */
  static async isUnfinished(disk: Disk, state: string, key: string, limits: EditLimits): Promise<boolean> {
    const all = join(state, "edits");
    if ((await disk.look(all)) === undefined) return false;
    const journal = new Journal(disk, join(all, key), limits);
    if ((await journal.list()).some(({ stage }) => isUnfinished(stage))) return true;
    for (const { name, names } of await disk.listBelow(all)) {
      if (name === key || !names.some((id) => entryName.test(id))) continue;
      if ((await new Journal(disk, join(all, name), limits).last()) !== undefined) return true;
    }
    return false;
  }

  /** The newest edit, when it is unfinished: nothing is written down before those that are have been looked at. */
  async last(): Promise<string | undefined> {
    const names = await this.#disk.list(this.folder).catch((error: unknown): string[] => {
      if (systemCode(error) === "") throw error;
      return [];
    });
    const id = sortBy(
      names.filter((name) => entryName.test(name)),
      (name) => [name],
    ).at(-1);
    return id !== undefined && isUnfinished(await this.stage(id)) ? id : undefined;
  }

  /** An edit's steps; undefined when the record cannot be understood. */
  async read(id: string): Promise<Entry | undefined> {
    const text = (await this.#disk.read(join(this.#path(id), "record"), MOST_RECORD_BYTES)).toString("utf8");
    try {
      const entry: unknown = JSON.parse(text);
      if (isEntry(entry) && entry.id === id) return entry;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    return undefined;
  }

  /** Whether a file with this content at this path is a copy that one of the edits made. */
  async isBackup(path: string, sha256: string): Promise<boolean> {
    for (const { id, stage } of await this.list()) {
      const entry = stage === "done" ? await this.read(id) : undefined;
      if (!entry?.backups?.includes(path)) continue;
      const isMade = entry.steps.some((step) => {
        if (step.kind === "swap") return step.path === path && step.now.sha256 === sha256;
        return step.kind === "place" && step.path === path && contentOf(step.tree) === sha256;
      });
      if (isMade) return true;
    }
    return false;
  }

  /** A saved content. */
  image(id: string, slice: Slice): Content {
    return this.#disk.pieces(join(this.#path(id), "images"), slice);
  }

  /** Forgets what is too old, and the oldest until the rest keeps the bounds; the newest stays. */
  async prune(): Promise<void> {
    const kept: { id: string; bytes: number }[] = [];
    for (const { id, stage } of await this.list()) {
      if (stage === "begun" || stage === "committed") continue;
      const age = Date.now() - Number.parseInt(id.slice(0, 9), 36);
      if (stage === "nothing" || age > this.#limits.journalAgeMs) await this.forget(id);
      else kept.push({ id, bytes: await this.#size(id) });
    }
    let bytes = kept.reduce((sum, entry) => sum + entry.bytes, 0);
    let count = kept.length;
    for (const entry of kept.slice(0, -1)) {
      if (bytes <= this.#limits.journalBytes && count <= this.#limits.journalEntries) return;
      await this.forget(entry.id);
      bytes -= entry.bytes;
      count--;
    }
  }

  /** Forgets the workspace, where nothing of it is written down. */
  async remove(): Promise<void> {
    await this.#disk.removeFolder(this.folder);
  }

  async #size(id: string): Promise<number> {
    const found = await Promise.all(
      ["images", "record"].map((name) => this.#disk.look(join(this.#path(id), name))),
    );
    return found.reduce((sum, file) => sum + (file?.size ?? 0), 0);
  }

  #path(id: string): string {
    return join(this.folder, id);
  }
}

async function ensureFolder(disk: Disk, folder: string, owner: Ownership = "default"): Promise<void> {
  await disk.makeFolder(folder, owner).catch((error: unknown) => {
    if (systemCode(error) !== "EEXIST") throw error;
  });
}
