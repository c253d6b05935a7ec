/**
 * Turns changes into a plan of file contents and path operations, without writing. Each change is checked against the
 * files as the changes before it would leave them. Problems are collected, so that one preview reports all of them.
 */
import { dirname, join, sep } from "node:path";
import { isInside } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import type { Admitted } from "../gate-types.js";
import { type DiskEntry, pathsInTree, readTree, spend, type Tree } from "./disk.js";
import { reasonOf } from "./errors.js";
import { type EditContext, isSameEntry, type PlannedFile, PlannedTree } from "./planned-tree.js";
import { hasLoneSurrogate } from "./text-edits.js";
import type { Change, OperationPreview, Reason } from "./types.js";

/** A change of paths; the steps add hidden names to it. */
export type PathOperation =
  | { kind: "make-folder"; path: string }
  | { kind: "move"; from: string; to: string; entry: DiskEntry | null; file: PlannedFile | null }
  | { kind: "place"; path: string; file: PlannedFile }
  | { kind: "take"; path: string; tree: Tree };

type ChangeOf<Kind extends Change["kind"]> = Extract<Change, { kind: Kind }>;

export async function planEdit(context: EditContext, changes: Change[]): Promise<EditPlan> {
  const plan = new EditPlan(context);
  for (const [index, change] of changes.entries()) await plan.add(change, index);
  return plan;
}

export class EditPlan {
  readonly pathOperations: PathOperation[] = [];
  readonly operations: OperationPreview[] = [];
  readonly reasons: Reason[] = [];
  readonly tree: PlannedTree;

  constructor(private readonly context: EditContext) {
    this.tree = new PlannedTree(context);
  }

  /** Adds one change, or the reasons why it is not possible. */
  async add(change: Change, index: number): Promise<void> {
    const { gate, protectedPaths } = this.context;
    const unnamed = `change ${index + 1}`;
    let path = unnamed;
    const checked = (admitted: Admitted): Admitted => {
      path = admitted.shown;
      if (!admitted.writable) throw new Refusal("edit/read-only", "lies in a read-only folder");
      protectedPaths.refuse(admitted.path);
      return admitted;
    };
    try {
      if (change.kind === "edit") await this.#edit(change, checked(await gate.admit(change.path)));
      else if (change.kind === "create") await this.#create(change, checked(await gate.admit(change.path)));
      else if (change.kind === "delete")
        await this.#delete(change, checked(await gate.admitEntry(change.path)));
      else {
        const from = checked(await gate.admitEntry(change.from));
        path = unnamed;
        const to = checked(await gate.admitEntry(change.to));
        path = from.shown;
        await this.#rename(change, from, to);
      }
    } catch (error) {
      this.reasons.push(reasonOf(error, path, "guard/not-a-file"));
    }
  }

  async #edit(change: ChangeOf<"edit">, { path }: Admitted): Promise<void> {
    const file = await this.tree.readFile(path, "text");
    if (file === undefined) throw new Refusal("edit/missing", "does not exist");
    file.edit(change.sha256, change.changes);
    const added = change.changes.reduce((sum, { newText }) => sum + newText.length, 0);
    spend(this.tree.budget, 0, added);
  }

  async #create(change: ChangeOf<"create">, { path, shown }: Admitted): Promise<void> {
    const kind = await this.tree.kindAt(path);
    if (kind !== undefined && kind !== "file") throw new Refusal("edit/bad-target", "is not a file");
    const isNew = kind === undefined;
    const operation = { ...noteOf(change), path: shown };
    if (!isNew && !change.overwrite) {
      if (!change.ignoreIfExists) throw new Refusal("edit/exists", "exists already");
      return this.#report({ ...operation, skipped: true });
    }
    if (hasLoneSurrogate(change.text))
      throw new Refusal("edit/out-of-range", "would have a text with half a character");
    spend(this.tree.budget, 1, Buffer.byteLength(change.text));
    if (isNew) {
      checkNameLength(path);
      await this.#makeParents(path);
      this.pathOperations.push({ kind: "place", path, file: this.tree.createFile(path, change.text) });
    } else (await this.tree.readFile(path, "any"))?.replaceText(change.text);
    this.#report({ ...operation, overwrites: !isNew });
  }

  async #rename(change: ChangeOf<"rename">, from: Admitted, to: Admitted): Promise<void> {
    this.#checkTreeMayChange(from.path);
    this.#checkTreeMayChange(to.path);
    const found = await this.tree.find(from.path);
    if (found === undefined) throw new Refusal("edit/missing", "does not exist");
    const folder = found !== "new" && found.kind === "folder";
    const operation = { ...noteOf(change), path: from.shown, to: to.shown, folder };
    if (from.path === to.path) return this.#report({ ...operation, skipped: true });
    checkNameLength(to.path);
    if (isInside(to.path, from.path)) throw new Refusal("edit/bad-target", "cannot be moved into itself");
    const target = await this.tree.find(to.path);
    const exists = target !== undefined && !(await this.tree.isCaseVariant(from.path, to.path));
    if (exists && !change.overwrite) {
      if (!change.ignoreIfExists)
        throw new Refusal("edit/exists", `cannot be renamed to ${to.shown}, which exists`);
      return this.#report({ ...operation, skipped: true });
    }
    const below = folder ? await this.tree.pathsBelow(from.path) : [];
    for (const path of below) {
      this.#checkPath(join(from.path, path));
      this.#checkPath(join(to.path, path));
    }
    if (exists) {
      if (target === "new" || (target.kind === "folder") !== folder || isSameEntry(found, target))
        throw new Refusal("edit/bad-target", `cannot replace ${to.shown}`);
      await this.#take(to.path);
    } else await this.#makeParents(to.path);
    const file = found === "new" || found.kind === "file" ? await this.tree.hashedFile(from.path) : null;
    if (found === "new" && file === null)
      throw new Refusal("edit/bad-target", "is a folder that the same edit creates");
    const entry = found === "new" ? null : found;
    this.pathOperations.push({ kind: "move", from: from.path, to: to.path, file, entry });
    this.tree.move(from.path, to.path);
    this.#report({ ...operation, files: folder ? below.length : 1, overwrites: exists });
  }

  async #delete(change: ChangeOf<"delete">, { path, shown }: Admitted): Promise<void> {
    this.#checkTreeMayChange(path);
    const found = await this.tree.find(path);
    const operation = { ...noteOf(change), path: shown };
    if (found === undefined) {
      if (!change.ignoreIfNotExists) throw new Refusal("edit/missing", "does not exist");
      return this.#report({ ...operation, files: 0, skipped: true });
    }
    const folder = found !== "new" && found.kind === "folder";
    if (folder && !change.recursive && (await this.tree.namesIn(path)).length > 0)
      throw new Refusal("edit/not-empty", "is a folder that is not empty");
    this.#report({ ...operation, folder, files: await this.#take(path) });
  }

  #report(operation: Pick<OperationPreview, "kind" | "path"> & Partial<OperationPreview>): void {
    this.operations.push({ folder: false, files: 1, overwrites: false, skipped: false, ...operation });
  }

  /** Removes what exists at a path; returns the number of files. */
  async #take(path: string): Promise<number> {
    const { overlay, budget } = this.tree;
    const planned = overlay.find(path);
    if (planned.kind !== "disk" || planned.origin !== path || overlay.touches(path))
      throw new Refusal("edit/bad-target", "is both removed and created or moved by the edit");
    const tree = await readTree(this.context.disk, path, budget);
    const paths = pathsInTree(tree, path);
    for (const below of paths) this.#checkPath(below);
    this.pathOperations.push({ kind: "take", path, tree });
    this.tree.remove(path);
    return tree.kind === "folder" ? paths.length - 1 : 1;
  }

  async #makeParents(path: string): Promise<void> {
    const folder = dirname(path);
    const kind = await this.tree.kindAt(folder);
    if (kind === "folder") return;
    if (kind !== undefined) throw new Refusal("edit/bad-target", "would lie below a file");
    await this.#makeParents(folder);
    this.pathOperations.push({ kind: "make-folder", path: folder });
    this.tree.overlay.set(folder, { kind: "new" });
  }

  /** Throws when a path in a folder that moves or is removed is denied. */
  #checkPath(path: string): void {
    const placed = this.context.gate.check(path);
    if (placed instanceof Refusal)
      throw new Refusal(placed.code, "contains a path that `workspace.deny` excludes");
    this.context.protectedPaths.refuse(path);
  }

  #checkTreeMayChange(path: string): void {
    if (this.context.gate.roots.some((root) => isInside(root, path)))
      throw new Refusal("edit/bad-target", "is a root of the workspace");
    this.context.protectedPaths.refuseTree(path);
  }
}

/** No common file system allows longer names. */
function checkNameLength(path: string): void {
  if (path.split(sep).some((name) => Buffer.byteLength(name) > 255))
    throw new Refusal("edit/bad-target", "has a name that is too long");
}

function noteOf<Kind>({ kind, note }: { kind: Kind; note?: string }): { kind: Kind; note?: string } {
  return note === undefined ? { kind } : { kind, note };
}
