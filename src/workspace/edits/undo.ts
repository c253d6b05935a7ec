/**
 * The work that takes a committed edit back: contents first, where the files are now, then names in reverse order. It
 * is drafted like any edit, so what somebody changed since is found before anything is touched.
 */
import { dirname, join } from "node:path";
import { Refusal } from "../../base/problem.js";
import type { Gate } from "../types.js";
import type { Ward } from "../ward.js";
import { type Disk, type Found, hashFile } from "./disk.js";
import type { Entry } from "./entry.js";
import type { Journal } from "./journal.js";
import { Overlay } from "./overlay.js";
import { shownAs } from "./preview.js";
import { placesOf, type Step } from "./step.js";
import { systemWords } from "./system-words.js";
import { isSameTree } from "./tree.js";
import type { Reason } from "./types.js";
import { HiddenNames, type Work } from "./work.js";

type StepOf<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>;

interface UndoSurroundings {
  disk: Disk;
  gate: Gate;
  ward: Ward;
  journal: Journal;
}

/** The work that undoes an edit, or the reasons why it cannot be undone. */
export async function undoOf(
  around: UndoSurroundings,
  entry: Entry,
): Promise<{ work: Work[]; reasons: Reason[] }> {
  const undoing = new Undoing(around, entry);
  for (const step of entry.steps) if (step.kind === "swap") await undoing.add(step);
  for (const step of entry.steps.toReversed()) if (step.kind !== "swap") await undoing.add(step);
  return undoing;
}

class Undoing {
  readonly work: Work[] = [];
  readonly reasons: Reason[] = [];

  readonly #disk: Disk;
  readonly #gate: Gate;
  readonly #ward: Ward;
  readonly #journal: Journal;
  readonly #entry: Entry;
  readonly #names: HiddenNames;
  readonly #overlay = new Overlay();
  /** Hashes that files will have once their content is back, by where they are now. */
  readonly #restored = new Map<string, string>();

  constructor({ disk, gate, ward, journal }: UndoSurroundings, entry: Entry) {
    this.#disk = disk;
    this.#gate = gate;
    this.#ward = ward;
    this.#journal = journal;
    this.#entry = entry;
    const rest = entry.steps.filter((step) => step.kind !== "swap");
    this.#names = new HiddenNames(disk, rest.flatMap(placesOf));
  }

  async add(step: Step): Promise<void> {
    const place = step.kind === "move" ? step.to : step.kind === "swap" ? step.after : step.path;
    try {
      for (const path of [...placesOf(step), place]) this.#mustBeOurs(path);
      const work = await this.#reverse(step);
      if (work !== undefined) this.work.push(work);
    } catch (error) {
      const words = error instanceof Refusal ? error.message : systemWords(error);
      if (words === undefined) throw error;
      const code = error instanceof Refusal ? error.code : "edit/undo-conflict";
      this.reasons.push({ code, path: shownAs(this.#gate, place), message: words });
    }
  }

  async #reverse(step: Step): Promise<Work | undefined> {
    if (step.kind === "swap") return this.#swapBack(step);
    if (step.kind === "move") return this.#moveBack(step);
    if (step.kind === "place") return this.#takeAway(step);
    if (step.kind === "take") return this.#putBack(step);
    if (step.kind === "make-folder") {
      const { path } = step;
      const found = await this.#find(path);
      const owner = found === undefined ? null : { mode: found.mode, uid: found.uid, gid: found.gid };
      if (await this.#willBeEmpty(path)) this.#overlay.remove(path);
      return { step: { kind: "remove-folder", path, owner } };
    }
    return undefined;
  }

  async #swapBack(step: StepOf<"swap">): Promise<Work> {
    const found = await this.#disk.look(step.after);
    if (found?.kind !== "file") throw conflict("is not there any more");
    if ((await hashFile(this.#disk, step.after)) !== step.now.sha256)
      throw conflict("was changed since the edit");
    if (step.image === null) throw conflict("has no earlier content in the journal");
    const image = step.image;
    // Who may do what with the file was not changed by the edit, so it stays as it is now.
    const owner = { mode: found.mode, uid: found.uid, gid: found.gid };
    this.#restored.set(step.after, step.before.sha256);
    return {
      step: {
        ...{ kind: "swap", path: step.after, after: step.path },
        ...{ before: { ...step.now, ...owner }, now: { ...step.before, ...owner }, image: null },
        staged: await this.#names.beside(step.after),
        held: await this.#names.beside(step.after),
      },
      content: () => ({ bytes: this.#journal.image(this.#entry.id, image), keepOwner: true }),
    };
  }

  async #moveBack(step: StepOf<"move">): Promise<Work> {
    const origin = this.#originOf(step.to);
    const found = origin === undefined ? undefined : await this.#disk.look(origin);
    if (found === undefined || origin === undefined || (found.kind === "folder") !== step.folder)
      throw conflict("is not there any more");
    if (step.sha256 !== null && (await hashFile(this.#disk, origin)) !== step.sha256)
      throw conflict("was changed since the edit");
    await this.#mustBeFree(step.from);
    const restored = this.#restored.get(origin);
    this.#overlay.move(step.to, step.from);
    return {
      step: {
        ...{ kind: "move", from: step.to, to: step.from, folder: step.folder },
        identity: restored === undefined ? found.identity : null,
        sha256: restored ?? step.sha256,
      },
    };
  }

  async #takeAway(step: StepOf<"place">): Promise<Work> {
    const origin = this.#originOf(step.path);
    if (origin === undefined || !(await isSameTree(this.#disk, origin, step.tree)))
      throw conflict("was changed since the edit");
    this.#overlay.remove(step.path);
    const held = await this.#names.beside(step.path);
    return { step: { kind: "take", path: step.path, tree: step.tree, held } };
  }

  async #putBack(step: StepOf<"take">): Promise<Work> {
    await this.#mustBeFree(step.path);
    this.#overlay.create(step.path);
    const { id } = this.#entry;
    return {
      step: { ...step, kind: "place", staged: await this.#names.beside(step.path) },
      content: (file) => ({
        bytes: file?.image ? this.#journal.image(id, file.image) : Buffer.alloc(0),
        keepOwner: true,
      }),
    };
  }

  async #willBeEmpty(folder: string): Promise<boolean> {
    const origin = this.#originOf(folder);
    if (origin === undefined || (await this.#disk.look(origin))?.kind !== "folder") return false;
    const names = await this.#disk.list(origin);
    return names.every((name) => this.#overlay.find(join(folder, name)).kind === "nowhere");
  }

  async #mustBeFree(path: string): Promise<void> {
    if ((await this.#find(path)) !== undefined || this.#overlay.find(path).kind === "new")
      throw conflict("cannot come back: something else stands there now");
    const folder = this.#overlay.find(dirname(path));
    if (folder.kind === "nowhere") throw conflict("cannot come back: its folder is not there any more");
    if (folder.kind === "disk" && (await this.#disk.look(folder.origin))?.kind !== "folder")
      throw conflict("cannot come back: its folder is not there any more");
  }

  async #find(path: string): Promise<Found | undefined> {
    const origin = this.#originOf(path);
    return origin === undefined ? undefined : this.#disk.look(origin);
  }

  #originOf(path: string): string | undefined {
    const where = this.#overlay.find(path);
    return where.kind === "disk" ? where.origin : undefined;
  }

  #mustBeOurs(path: string): void {
    const placed = this.#gate.place(path);
    if (placed instanceof Refusal) throw conflict("is not part of the workspace now");
    if (!placed.writable) throw conflict("is only read now");
    this.#ward.refuseWhole(path);
  }
}

function conflict(message: string): Refusal {
  return new Refusal("edit/undo-conflict", message);
}
