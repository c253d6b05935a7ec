/**
 * The journal of a workspace's edits, in the user's state folder. Each edit has a folder with its steps (`record`), the
 * contents it replaces or removes (`images`), and empty folders that mark its stage.
 */
import { createHash, randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { isTable, parseJson } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import type { Gate } from "../gate-types.js";
import {
  type ByteRange,
  type Content,
  type Disk,
  type FileState,
  filesInTree,
  type Ownership,
} from "./disk.js";
import { ABSENT, describeOrThrow, ignoreSystemErrors, refuseEdit, shownPath, tolerate } from "./errors.js";
import type { EditContext } from "./planned-tree.js";
import { isStep, pathsOf, type Step } from "./steps.js";
import type { EditLimits } from "./types.js";

const entryName = /^[0-9a-z]{9}-[0-9a-f]{16}$/;
const MAX_RECORD_BYTES = 256 << 20;
const HOUR_MS = 3_600_000;

/** When an edit was made, from its id or its undo token. */
export function madeAt(token: string): Date {
  return new Date(Number.parseInt(token.replace(/^undo-/, "").slice(0, 9), 36));
}

/** One edit. This is the format of `record`: do not rename members. */
export interface JournalEntry {
  id: string;
  undoes: string | null;
  steps: Step[];
  /** The session that made the edit; other sessions cannot undo it. */
  holder?: string | undefined;
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

export type JournalContext = EditContext & { journal: Journal };

export class Journal {
  /** The lock of all journals: roots of two workspaces may overlap. */
  readonly lockFolder: string;
  readonly #folder: string;

  /** `stateFolder` is a real path; `key` names the workspace. */
  constructor(
    private readonly disk: Disk,
    private readonly stateFolder: string,
    key: string,
    private readonly limits: EditLimits,
  ) {
    this.#folder = join(stateFolder, "edits", key);
    this.lockFolder = join(stateFolder, "edit-lock");
  }

  /** Makes the folders that must exist before an edit. */
  async makeFolders(): Promise<void> {
    await ensureFolder(this.disk, dirname(this.#folder), "private");
    await ensureFolder(this.disk, this.lockFolder, "private");
  }

  /** Whether a process may have died during an edit, in this workspace or another. Writes nothing. */
  async hasUnfinished(): Promise<boolean> {
    if ((await this.list()).some(({ stage }) => isUnfinished(stage))) return true;
    for (const other of await this.others()) {
      if ((await other.lastUnfinished()) !== undefined) return true;
    }
    return false;
  }

  async others(): Promise<Journal[]> {
    const keys = await this.#list(dirname(this.#folder));
    return keys
      .filter((key) => key !== basename(this.#folder))
      .map((key) => new Journal(this.disk, this.stateFolder, key, this.limits));
  }

  /** Records an edit, with the contents that it replaces or removes, before the first file changes. */
  async begin(description: Omit<JournalEntry, "id">, gate: Gate): Promise<JournalEntry> {
    const id = `${Date.now().toString(36).padStart(9, "0")}-${randomBytes(8).toString("hex")}`;
    const entry = { ...description, id };
    try {
      await this.#write(entry, gate);
    } catch (error) {
      // A file that cannot be removed now is removed by the next process that takes the lock.
      await ignoreSystemErrors(this.forget(id));
      throw error;
    }
    return entry;
  }

  async #write(entry: JournalEntry, gate: Gate): Promise<void> {
    const folder = this.#path(entry.id);
    // Created as late as possible: pruning removes empty folders, and every start lists all of them.
    await ensureFolder(this.disk, this.#folder, "private");
    await this.disk.makeFolder(folder, "private");
    // An undo cannot be undone: its old contents are only held while it runs.
    const images = saveImages(this.disk, gate, entry.undoes === null ? entry.steps : []);
    await this.disk.write(join(folder, "images"), images, "private");
    const text = Buffer.from(JSON.stringify({ version: 1, ...entry }));
    await this.disk.write(join(folder, "record.new"), text, "private");
    await this.disk.rename(join(folder, "record.new"), join(folder, "record"));
    for (const changed of [folder, this.#folder, dirname(this.#folder)]) await this.disk.sync(changed);
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
    await tolerate(ABSENT, this.disk.unlink(join(this.#path(id), "record")));
    await this.disk.removeTree(this.#path(id));
  }

  /** All edits, oldest first. */
  async list(): Promise<{ id: string; stage: Stage }[]> {
    const entries: { id: string; stage: Stage }[] = [];
    for (const id of entryIds(await this.#list(this.#folder)))
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
    const names = await this.disk.list(this.#folder).catch((error: unknown): string[] => {
      describeOrThrow(error);
      return [];
    });
    const id = entryIds(names).at(-1);
    return id !== undefined && isUnfinished(await this.stage(id)) ? id : undefined;
  }

  /** Reads an edit; undefined when the record is damaged. */
  async read(id: string): Promise<JournalEntry | undefined> {
    const bytes = await this.disk.read(join(this.#path(id), "record"), MAX_RECORD_BYTES);
    const entry = parseJson(bytes.toString("utf8"));
    return isEntry(entry) && entry.id === id ? entry : undefined;
  }

  /** Whether a file with this content at this path is a backup copy of a recorded edit. */
  async isBackup(path: string, sha256: string): Promise<boolean> {
    for (const { id, stage } of await this.list()) {
      const entry = stage === "done" ? await this.read(id) : undefined;
      if (!entry?.backups?.includes(path)) continue;
      const step = entry.steps.find((one) => pathsOf(one)[0] === path);
      if (step?.kind === "swap" && step.now.sha256 === sha256) return true;
      if (step?.kind === "place" && step.tree.kind === "file" && step.tree.state.sha256 === sha256)
        return true;
    }
    return false;
  }

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

  /** Prunes the journals of workspaces that may never be opened again; once an hour, for all processes. */
  async pruneOthers(): Promise<void> {
    const mark = `pruned-${Math.floor(Date.now() / HOUR_MS)}`;
    const names = await this.disk.list(this.lockFolder);
    if (names.includes(mark)) return;
    for (const other of await this.others()) {
      await ignoreSystemErrors(other.prune());
      // The system refuses this while the journal has entries.
      await ignoreSystemErrors(this.disk.removeFolder(other.#folder));
    }
    await this.disk.makeFolder(join(this.lockFolder, mark), "private");
    for (const name of names.filter((old) => old.startsWith("pruned-")))
      await this.disk.removeFolder(join(this.lockFolder, name));
  }

  async #size(id: string): Promise<number> {
    let bytes = 0;
    for (const name of ["images", "record"])
      bytes += (await this.disk.stat(join(this.#path(id), name)))?.size ?? 0;
    return bytes;
  }

  async #list(folder: string): Promise<string[]> {
    return (await tolerate(ABSENT, this.disk.list(folder))) ?? [];
  }

  #path(id: string): string {
    return join(this.#folder, id);
  }
}

function entryIds(names: string[]): string[] {
  return sortedSet(names.filter((name) => entryName.test(name)));
}

async function ensureFolder(disk: Disk, folder: string, owner: Ownership): Promise<void> {
  await tolerate(["EEXIST"], disk.makeFolder(folder, owner));
}

/** The bytes that the journal must keep to undo steps. */
export function imageBytes(steps: Step[]): number {
  return steps.flatMap(imagesOf).reduce((sum, { state }) => sum + state.size, 0);
}

/** The files that a step replaces or removes; `target.image` is set when the content is saved. */
function imagesOf(step: Step): { path: string; state: FileState; target: { image: ByteRange | null } }[] {
  if (step.kind === "swap") return [{ path: step.path, state: step.before, target: step }];
  if (step.kind !== "take") return [];
  const files = filesInTree(step.tree, step.path);
  return files.map(({ path, file }) => ({ path, state: file.state, target: file }));
}

/** Yields the contents that steps replace or remove, and sets their ranges in the steps. */
async function* saveImages(disk: Disk, gate: Gate, steps: Step[]): AsyncIterable<Uint8Array> {
  let offset = 0;
  for (const { path, state, target } of steps.flatMap(imagesOf)) {
    const hash = createHash("sha256");
    const start = offset;
    for await (const chunk of disk.readChunks(path)) {
      hash.update(chunk);
      offset += chunk.length;
      yield chunk;
    }
    target.image = { offset: start, length: offset - start };
    if (hash.digest("hex") !== state.sha256)
      throw refuseEdit([{ code: "edit/changed", path: shownPath(gate, path), message: "changed meanwhile" }]);
  }
}
