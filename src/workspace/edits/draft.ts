/**
 * From changes to steps, by looking only. Each change is judged against the files as the changes before it would leave
 * them; what cannot be done becomes a reason, and the rest is judged all the same, so that one look tells everything.
 */
import { dirname, join, sep } from "node:path";
import { isInside } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import type { Admitted, Gate } from "../types.js";
import type { Ward } from "../ward.js";
import type { Disk, Found } from "./disk.js";
import { DraftFile } from "./draft-file.js";
import { isSame, Scene, type Surroundings } from "./scene.js";
import { placesIn, type Tree } from "./step.js";
import { systemWords } from "./system-words.js";
import { hasHalfCharacter } from "./text.js";
import { readTree, spend } from "./tree.js";
import type { Change, OperationPreview, Reason } from "./types.js";

/** A change of names, before its hidden names are given. */
export type Rearrangement =
  | { kind: "make-folder"; path: string }
  | { kind: "move"; from: string; to: string; found: Found | null; file: DraftFile | null }
  | { kind: "place"; path: string; file: DraftFile }
  | { kind: "take"; path: string; tree: Tree };

/** What changes come to. */
export interface Draft {
  files: DraftFile[];
  rearrangements: Rearrangement[];
  operations: OperationPreview[];
  reasons: Reason[];
}

/** Drafts an edit; nothing is written. */
export async function draftEdit(around: Surroundings, changes: Change[]): Promise<Draft> {
  const drafting = new Drafting(around);
  for (const [index, change] of changes.entries()) await drafting.add(change, index);
  return drafting;
}

class Drafting implements Draft {
  readonly rearrangements: Rearrangement[] = [];
  readonly operations: OperationPreview[] = [];
  readonly reasons: Reason[] = [];

  readonly #disk: Disk;
  readonly #gate: Gate;
  readonly #ward: Ward;
  readonly #scene: Scene;

  constructor(around: Surroundings) {
    this.#disk = around.disk;
    this.#gate = around.gate;
    this.#ward = around.ward;
    this.#scene = new Scene(around);
  }

  get files(): DraftFile[] {
    return this.#scene.files;
  }

  /** Adds one change, or the reasons why it cannot be made. */
  async add(change: Change, index: number): Promise<void> {
    let path = `change ${index + 1}`;
    const named = (admitted: Admitted): Admitted => {
      path = admitted.shown;
      if (!admitted.writable) throw new Refusal("edit/read-only", "lies in a folder that is only read");
      this.#ward.refuse(admitted.path);
      return admitted;
    };
    try {
      if (change.kind === "edit") await this.#edit(change, named(await this.#gate.admit(change.path)));
      else if (change.kind === "create")
        await this.#create(change, named(await this.#gate.admit(change.path)));
      else if (change.kind === "delete")
        await this.#delete(change, named(await this.#gate.admitEntry(change.path)));
      else {
        const from = named(await this.#gate.admitEntry(change.from));
        const to = named(await this.#gate.admitEntry(change.to));
        path = from.shown;
        await this.#rename(change, from, to);
      }
    } catch (error) {
      const refusal = error instanceof Refusal ? error : unreadable(error);
      if (refusal === undefined) throw error;
      this.reasons.push({ code: refusal.code, path, message: refusal.message });
    }
  }

  async #edit(change: Extract<Change, { kind: "edit" }>, { path, shown }: Admitted): Promise<void> {
    const file = await this.#scene.fileAt(path, "text");
    if (file === undefined) throw new Refusal("edit/missing", "does not exist");
    for (const { code, message } of file.edit(change.sha256, change.changes))
      this.reasons.push({ code, path: shown, message });
    spend(
      this.#scene.budget,
      0,
      change.changes.reduce((sum, { newText }) => sum + newText.length, 0),
    );
  }

  async #create(change: Extract<Change, { kind: "create" }>, admitted: Admitted): Promise<void> {
    const { path, shown } = admitted;
    const isNew = !(await this.#scene.hasFile(path));
    const operation = { kind: "create" as const, path: shown, folder: false, files: 1, ...noteOf(change) };
    if (!isNew && !change.overwrite) {
      if (!change.ignoreIfExists) throw new Refusal("edit/exists", "exists already");
      this.operations.push({ ...operation, overwrites: false, skipped: true });
      return;
    }
    if (hasHalfCharacter(change.text))
      throw new Refusal("edit/out-of-range", "would have a text with half a character");
    spend(this.#scene.budget, 1, Buffer.byteLength(change.text));
    if (isNew) {
      mustBeName(path);
      await this.#makeParents(path);
      const file = DraftFile.created(path, change.text);
      this.#scene.files.push(file);
      this.rearrangements.push({ kind: "place", path, file });
      this.#scene.overlay.create(path);
    } else (await this.#scene.fileAt(path, "any"))?.replace(change.text);
    this.operations.push({ ...operation, overwrites: !isNew, skipped: false });
  }

  async #rename(change: Extract<Change, { kind: "rename" }>, from: Admitted, to: Admitted): Promise<void> {
    for (const { path } of [from, to]) {
      this.#mustNotHoldRoot(path);
      this.#ward.refuseWhole(path);
    }
    const found = await this.#scene.find(from.path);
    if (found === undefined) throw new Refusal("edit/missing", "does not exist");
    const folder = found !== "new" && found.kind === "folder";
    const operation = {
      ...{ kind: "rename" as const, path: from.shown, to: to.shown, folder, files: 1 },
      ...noteOf(change),
    };
    if (from.path === to.path) {
      this.operations.push({ ...operation, overwrites: false, skipped: true });
      return;
    }
    mustBeName(to.path);
    if (isInside(to.path, from.path)) throw new Refusal("edit/bad-target", "cannot go into its own inside");
    const target = await this.#scene.find(to.path);
    // On a file system that ignores case, a name that differs in case only is the same file, not another one.
    const exists = target !== undefined && !(await this.#scene.isOtherSpelling(from.path, to.path));
    if (exists && !change.overwrite) {
      if (!change.ignoreIfExists) throw new Refusal("edit/exists", `cannot become ${to.shown}, which exists`);
      this.operations.push({ ...operation, overwrites: false, skipped: true });
      return;
    }
    const below = folder ? await this.#mayMove(from.path, to.path) : [];
    if (exists) {
      if (target === "new" || (target.kind === "folder") !== folder || isSame(found, target))
        throw new Refusal("edit/bad-target", `cannot take the place of ${to.shown}`);
      await this.#take(to.path);
    } else await this.#makeParents(to.path);
    const file = found === "new" || found.kind === "file" ? await this.#scene.hashedFile(from.path) : null;
    if (found === "new" && file === null)
      throw new Refusal("edit/bad-target", "is a folder that the same edit makes");
    this.rearrangements.push({
      ...{ kind: "move", from: from.path, to: to.path, file },
      found: found === "new" ? null : found,
    });
    this.#scene.move(from.path, to.path);
    const files = folder ? below.length : 1;
    this.operations.push({ ...operation, files, overwrites: exists, skipped: false });
  }

  async #delete(change: Extract<Change, { kind: "delete" }>, { path, shown }: Admitted): Promise<void> {
    this.#mustNotHoldRoot(path);
    this.#ward.refuseWhole(path);
    const found = await this.#scene.find(path);
    const operation = { kind: "delete" as const, path: shown, overwrites: false, ...noteOf(change) };
    if (found === undefined) {
      if (!change.ignoreIfNotExists) throw new Refusal("edit/missing", "does not exist");
      this.operations.push({ ...operation, folder: false, files: 0, skipped: true });
      return;
    }
    const folder = found !== "new" && found.kind === "folder";
    if (folder && !change.recursive) await this.#mustBeEmpty(path);
    const files = await this.#take(path);
    this.operations.push({ ...operation, folder, files, skipped: false });
  }

  /** Removes what stands at a path; tells how many files that are. */
  async #take(path: string): Promise<number> {
    const { overlay, budget } = this.#scene;
    const where = overlay.find(path);
    if (where.kind !== "disk" || where.origin !== path || overlay.touches(path))
      throw new Refusal("edit/bad-target", "is made or moved by the same edit and cannot go in it too");
    const tree = await readTree(this.#disk, path, budget);
    const places = placesIn(tree, path);
    for (const place of places) this.#mustBePlaceable(place);
    this.rearrangements.push({ kind: "take", path, tree });
    this.#scene.remove(path);
    return tree.kind === "folder" ? places.length - 1 : 1;
  }

  /** Makes the folders that are missing above a path. */
  async #makeParents(path: string): Promise<void> {
    const folder = dirname(path);
    if (await this.#scene.hasFolder(folder)) return;
    await this.#makeParents(folder);
    this.rearrangements.push({ kind: "make-folder", path: folder });
    this.#scene.overlay.create(folder);
  }

  /** The paths below a folder that may move: nothing in it may be denied, where it is or where it goes. */
  async #mayMove(from: string, to: string): Promise<string[]> {
    const below = await this.#scene.pathsBelow(from);
    for (const path of below) {
      this.#mustBePlaceable(join(from, path));
      this.#mustBePlaceable(join(to, path));
    }
    return below;
  }

  #mustBePlaceable(path: string): void {
    const placed = this.#gate.place(path);
    if (placed instanceof Refusal) throw new Refusal(placed.code, "holds a path that `workspace.deny` names");
    this.#ward.refuse(path);
  }

  #mustNotHoldRoot(path: string): void {
    if (this.#gate.roots.some((root) => isInside(root, path)))
      throw new Refusal("edit/bad-target", "is a root of the workspace");
  }

  async #mustBeEmpty(path: string): Promise<void> {
    if ((await this.#scene.namesIn(path)).length > 0)
      throw new Refusal("edit/not-empty", "is a folder that is not empty");
  }
}

/** What the system did not let us see, as a refusal; undefined for a bug of ours. */
function unreadable(error: unknown): Refusal | undefined {
  const words = systemWords(error);
  return words === undefined ? undefined : new Refusal("guard/not-a-file", `cannot be read: ${words}`);
}

/** No common file system has longer names; what is too long for this one fails and is rolled back. */
function mustBeName(path: string): void {
  if (path.split(sep).some((name) => Buffer.byteLength(name) > 255))
    throw new Refusal("edit/bad-target", "has a name that is too long");
}

function noteOf(change: { note?: string }): { note?: string } {
  return change.note === undefined ? {} : { note: change.note };
}
