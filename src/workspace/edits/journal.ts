/**
 * The journal of a workspace's edits, in the user's state folder. Each edit has a folder with its steps (`record`), the
 * contents it replaces or removes (`images`), and empty folders that mark its stage. The record is written completely
 * and flushed before the first file of the workspace changes.
 */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { isTable } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { ByteRange, Content, Disk, Ownership } from "./disk.js";
import { ignoreSystemErrors, isAbsent, systemCode } from "./errors.js";
import { isStep, type Step } from "./steps.js";
import type { EditLimits } from "./types.js";

const entryName = /^[0-9a-z]{9}-[0-9a-f]{16}$/;
const MAX_RECORD_BYTES = 256 << 20;

/** One edit. This is the format of `record`: do not rename members. */
export interface JournalEntry {
  id: string;
  /** The edit that this one undoes. */
  undoes: string | null;
  steps: Step[];
  /** The session that made the edit; other sessions cannot undo it. */
  holder?: string | undefined;
  /** Paths of backup copies among the steps. */
  backups?: string[];
}

/**
 * `begun`: may have changed files. `committed`: has changed all of them. `done`: can be undone. `undone`: was undone.
 * `left`: could not be rolled back completely. `nothing`: has no record.
 */
export type Stage = "nothing" | "begun" | "committed" | "done" | "undone" | "left";

/** Whether the process of an edit in this stage may have died. */
export function isUnfinished(stage: Stage): boolean {
  return stage === "begun" || stage === "committed";
}

function isEntry(value: unknown): value is JournalEntry {
  if (!isTable(value) || value.version !== 1 || !Array.isArray(value.steps)) return false;
  if (value.undoes !== null && typeof value.undoes !== "string") return false;
  if (value.holder !== undefined && typeof value.holder !== "string") return false;
  if (value.backups !== undefined && !Array.isArray(value.backups)) return false;
  return typeof value.id === "string" && value.steps.every(isStep);
}

export class Journal {
  /** The lock of all journals: roots of two workspaces may overlap. */
  readonly lockFolder: string;

  private constructor(
    private readonly disk: Disk,
    private readonly folder: string,
    private readonly limits: EditLimits,
  ) {
    this.lockFolder = join(dirname(dirname(folder)), "edit-lock");
  }

  /** Opens the journal below an existing, real state folder; `key` names the workspace. */
  static async open(disk: Disk, stateFolder: string, key: string, limits: EditLimits): Promise<Journal> {
    const all = join(stateFolder, "edits");
    await ensureFolder(disk, all, "private");
    const journal = new Journal(disk, join(all, key), limits);
    await ensureFolder(disk, journal.lockFolder, "private");
    return journal;
  }

  /** Whether a process may have died during an edit, in this workspace or another. Writes nothing. */
  static async hasUnfinished(
    disk: Disk,
    stateFolder: string,
    key: string,
    limits: EditLimits,
  ): Promise<boolean> {
    const all = join(stateFolder, "edits");
    if ((await disk.stat(all)) === undefined) return false;
    const journal = new Journal(disk, join(all, key), limits);
    if ((await journal.list()).some(({ stage }) => isUnfinished(stage))) return true;
    for (const other of await journal.others()) if ((await other.lastUnfinished()) !== undefined) return true;
    return false;
  }

  /** The journals of other workspaces. */
  async others(): Promise<Journal[]> {
    const all = dirname(this.folder);
    const folders = (await this.disk.list(all)).map((name) => join(all, name));
    return folders
      .filter((folder) => folder !== this.folder)
      .map((folder) => new Journal(this.disk, folder, this.limits));
  }

  /** Records an edit before it begins. Reading `images` sets the image ranges in the steps. */
  async begin(entry: Omit<JournalEntry, "id">, images: AsyncIterable<Uint8Array>): Promise<JournalEntry> {
    const id = `${Date.now().toString(36).padStart(9, "0")}-${randomBytes(8).toString("hex")}`;
    const recorded = { ...entry, id };
    try {
      await this.#write(recorded, images);
    } catch (error) {
      // What cannot be removed now is removed by the next process that takes the lock.
      await ignoreSystemErrors(this.forget(id));
      throw error;
    }
    return recorded;
  }

  async #write(entry: JournalEntry, images: AsyncIterable<Uint8Array>): Promise<void> {
    const folder = this.#path(entry.id);
    // Created as late as possible: pruning removes empty folders, and every start lists all of them.
    await ensureFolder(this.disk, this.folder, "private");
    await this.disk.makeFolder(folder, "private");
    await this.disk.write(join(folder, "images"), images, "private");
    const text = Buffer.from(JSON.stringify({ version: 1, ...entry }));
    await this.disk.write(join(folder, "record.new"), text, "private");
    await this.disk.rename(join(folder, "record.new"), join(folder, "record"));
    for (const changed of [folder, this.folder, dirname(this.folder)]) await this.disk.sync(changed);
  }

  /** Marks a stage; `clean` says that no old file is held any more. When this throws, the mark is not set. */
  async mark(id: string, stage: Exclude<Stage, "nothing" | "begun"> | "clean"): Promise<void> {
    // A folder is created atomically.
    await ensureFolder(this.disk, join(this.#path(id), stage), "default");
    await ignoreSystemErrors(this.disk.sync(this.#path(id)));
  }

  async isClean(id: string): Promise<boolean> {
    return (await this.#list(this.#path(id))).includes("clean");
  }

  async forget(id: string): Promise<void> {
    // The record first: a partly removed entry must not look complete.
    await this.disk.unlink(join(this.#path(id), "record")).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
    await this.disk.removeTree(this.#path(id));
  }

  /** All edits, oldest first. */
  async list(): Promise<{ id: string; stage: Stage }[]> {
    const entries: { id: string; stage: Stage }[] = [];
    for (const id of entryIds(await this.#list(this.folder)))
      entries.push({ id, stage: await this.stage(id) });
    return entries;
  }

  async stage(id: string): Promise<Stage> {
    if (!entryName.test(id)) return "nothing";
    const names = await this.#list(this.#path(id));
    if (!names.includes("record")) return "nothing";
    const stages = ["left", "undone", "done", "committed"] as const;
    return stages.find((stage) => names.includes(stage)) ?? "begun";
  }

  /** The newest edit, if it is unfinished. Only the newest can be: recovery runs before a new edit begins. */
  async lastUnfinished(): Promise<string | undefined> {
    const names = await this.disk.list(this.folder).catch((error: unknown): string[] => {
      if (systemCode(error) === "") throw error;
      return [];
    });
    const id = entryIds(names).at(-1);
    return id !== undefined && isUnfinished(await this.stage(id)) ? id : undefined;
  }

  /** Reads an edit; undefined when the record is damaged. */
  async read(id: string): Promise<JournalEntry | undefined> {
    const bytes = await this.disk.read(join(this.#path(id), "record"), MAX_RECORD_BYTES);
    try {
      const entry: unknown = JSON.parse(bytes.toString("utf8"));
      if (isEntry(entry) && entry.id === id) return entry;
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
    }
    return undefined;
  }

  /** Whether a file with this content at this path is a backup copy of a recorded edit. */
  async isBackup(path: string, sha256: string): Promise<boolean> {
    for (const { id, stage } of await this.list()) {
      const entry = stage === "done" ? await this.read(id) : undefined;
      if (!entry?.backups?.includes(path)) continue;
      const isMade = entry.steps.some((step) => {
        if (step.kind === "swap") return step.path === path && step.now.sha256 === sha256;
        if (step.kind !== "place" || step.path !== path) return false;
        return step.tree.kind === "file" && step.tree.state.sha256 === sha256;
      });
      if (isMade) return true;
    }
    return false;
  }

  /** A content that an edit replaced or removed. */
  image(id: string, range: ByteRange): Content {
    return this.disk.readChunks(join(this.#path(id), "images"), range);
  }

  /** Removes edits that are too old, then the oldest until the limits hold; the newest always stays. */
  async prune(): Promise<void> {
    const kept: { id: string; bytes: number }[] = [];
    for (const { id, stage } of await this.list()) {
      if (isUnfinished(stage)) continue;
      const age = Date.now() - Number.parseInt(id.slice(0, 9), 36);
      if (stage === "nothing" || age > this.limits.journalAgeMs) await this.forget(id);
      else kept.push({ id, bytes: await this.#size(id) });
    }
    let bytes = kept.reduce((sum, entry) => sum + entry.bytes, 0);
    let count = kept.length;
    for (const entry of kept.slice(0, -1)) {
      if (bytes <= this.limits.journalBytes && count <= this.limits.journalEntries) return;
      await this.forget(entry.id);
      bytes -= entry.bytes;
      count--;
    }
  }

  /** Removes the journal's folder; the system refuses when it is not empty. */
  async remove(): Promise<void> {
    await this.disk.removeFolder(this.folder);
  }

  async #size(id: string): Promise<number> {
    const files = await Promise.all(
      ["images", "record"].map((name) => this.disk.stat(join(this.#path(id), name))),
    );
    return files.reduce((sum, file) => sum + (file?.size ?? 0), 0);
  }

  /** The names in a folder; none when it does not exist. */
  #list(folder: string): Promise<string[]> {
    return this.disk.list(folder).catch((error: unknown) => {
      if (isAbsent(error)) return [];
      throw error;
    });
  }

  #path(id: string): string {
    return join(this.folder, id);
  }
}

function entryIds(names: string[]): string[] {
  return sortBy(
    names.filter((name) => entryName.test(name)),
    (name) => [name],
  );
}

async function ensureFolder(disk: Disk, folder: string, owner: Ownership): Promise<void> {
  await disk.makeFolder(folder, owner).catch((error: unknown) => {
    if (systemCode(error) !== "EEXIST") throw error;
  });
}
