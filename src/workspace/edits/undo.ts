/**
 * Builds the steps that revert a committed edit: contents first, where the files are now, then paths in reverse order.
 * Everything is checked first, so a conflict with a later change is found before anything is written.
 */
import { dirname, join } from "node:path";
import { Refusal } from "../../base/problem.js";
import {
  hiddenNames,
  type NameBeside,
  type PreparedStep,
  pathsOfOperations,
  swapStep,
} from "./build-steps.js";
import { type DiskEntry, hashFile, isSameTree, ownerOf } from "./disk.js";
import { reasonOf, shownPath } from "./errors.js";
import type { JournalContext, JournalEntry } from "./journal.js";
import { PlannedTree } from "./planned-tree.js";
import { pathsOf, type Step, type StepOf } from "./steps.js";
import type { Reason } from "./types.js";

/** The steps that undo an edit, or the reasons why it cannot be undone. */
export async function undoSteps(context: JournalContext, entry: JournalEntry): Promise<UndoPlan> {
  const plan = new UndoPlan(context, entry);
  for (const step of entry.steps) {
    if (step.kind === "swap") await plan.add(step);
  }
  for (const step of entry.steps.toReversed()) {
    if (step.kind !== "swap") await plan.add(step);
  }
  return plan;
}

class UndoPlan {
  readonly prepared: PreparedStep[] = [];
  readonly reasons: Reason[] = [];
  readonly #beside: NameBeside;
  readonly #tree: PlannedTree;
  /** Hashes of files after their content is restored, by their path now. */
  readonly #restored = new Map<string, string>();

  constructor(
    private readonly context: JournalContext,
    private readonly entry: JournalEntry,
  ) {
    this.#tree = new PlannedTree(context);
    this.#beside = hiddenNames(context.disk, pathsOfOperations(entry.steps));
  }

  async add(step: Step): Promise<void> {
    const path = newPathOf(step);
    try {
      for (const touched of [...pathsOf(step), path]) {
        const placed = this.context.gate.check(touched);
        if (placed instanceof Refusal) throw undoConflict("is not part of the workspace now");
        if (!placed.writable) throw undoConflict("is read-only now");
        this.context.protectedPaths.refuseTree(touched);
      }
      const prepared = await this.#reverse(step);
      if (prepared !== undefined) this.prepared.push(prepared);
    } catch (error) {
      this.reasons.push(reasonOf(error, shownPath(this.context.gate, path), "edit/undo-conflict"));
    }
  }

  async #reverse(step: Step): Promise<PreparedStep | undefined> {
    if (step.kind === "swap") return this.#reverseSwap(step);
    if (step.kind === "move") return this.#reverseMove(step);
    if (step.kind === "place") return this.#reversePlace(step);
    if (step.kind === "take") return this.#reverseTake(step);
    // Only undo steps remove folders, and those are never undone.
    if (step.kind === "remove-folder") return undefined;
    const { path } = step;
    const found = await this.#find(path);
    const names = found?.kind === "folder" ? await this.#tree.namesIn(path) : [];
    const isGone = (name: string) => this.#tree.overlay.find(join(path, name)).kind === "nowhere";
    if (found?.kind === "folder" && names.every(isGone)) this.#tree.remove(path);
    return { step: { kind: "remove-folder", path, owner: found === undefined ? null : ownerOf(found) } };
  }

  async #reverseSwap(step: StepOf<"swap">): Promise<PreparedStep> {
    const { disk, journal } = this.context;
    const found = await disk.stat(step.after);
    if (found?.kind !== "file") throw undoConflict("does not exist any more");
    if ((await hashFile(disk, step.after)) !== step.now.sha256)
      throw undoConflict("was changed since the edit");
    const { image } = step;
    if (image === null) throw undoConflict("has no earlier content in the journal");
    // The edit did not change the permissions, so those of now are kept.
    const owner = ownerOf(found);
    this.#restored.set(step.after, step.before.sha256);
    const before = { ...step.now, ...owner };
    const now = { ...step.before, ...owner };
    const bytes = journal.image(this.entry.id, image);
    return swapStep(this.#beside, { path: step.after, after: step.path, before, now }, bytes);
  }

  async #reverseMove(step: StepOf<"move">): Promise<PreparedStep> {
    const { disk } = this.context;
    const origin = this.#tree.originOf(step.to);
    const found = await this.#find(step.to);
    if (found === undefined || (found.kind === "folder") !== step.folder)
      throw undoConflict("does not exist any more");
    if (step.sha256 !== null && (await hashFile(disk, origin)) !== step.sha256)
      throw undoConflict("was changed since the edit");
    await this.#checkFree(step.from);
    const restored = this.#restored.get(origin);
    this.#tree.move(step.to, step.from);
    return {
      step: {
        kind: "move",
        from: step.to,
        to: step.from,
        folder: step.folder,
        identity: restored === undefined ? found.identity : null,
        sha256: restored ?? step.sha256,
        held: await this.#beside(step.from),
      },
    };
  }

  async #reversePlace({ path, tree }: StepOf<"place">): Promise<PreparedStep> {
    const isThere = (await this.#find(path)) !== undefined;
    if (!isThere || !(await isSameTree(this.context.disk, this.#tree.originOf(path), tree)))
      throw undoConflict("was changed since the edit");
    this.#tree.remove(path);
    return { step: { kind: "take", path, tree, held: await this.#beside(path) } };
  }

  async #reverseTake({ path, tree }: StepOf<"take">): Promise<PreparedStep> {
    await this.#checkFree(path);
    this.#tree.overlay.set(path, { kind: "new" });
    const { journal } = this.context;
    return {
      step: { kind: "place", path, tree, staged: await this.#beside(path) },
      contentOf: (file) => ({
        bytes: file?.image ? journal.image(this.entry.id, file.image) : Buffer.alloc(0),
        keepOwner: true,
      }),
    };
  }

  async #checkFree(path: string): Promise<void> {
    if ((await this.#tree.find(path)) !== undefined)
      throw undoConflict("cannot be restored: something else exists there now");
    if ((await this.#tree.kindAt(dirname(path))) !== "folder")
      throw undoConflict("cannot be restored: its folder does not exist any more");
  }

  /** The entry at a path, now and after the undo; undefined also for something that the undo creates. */
  async #find(path: string): Promise<DiskEntry | undefined> {
    const found = await this.#tree.find(path);
    return found === "new" ? undefined : found;
  }
}

function undoConflict(message: string): Refusal {
  return new Refusal("edit/undo-conflict", message);
}

/** Where a step has put its file. */
function newPathOf(step: Step): string {
  if (step.kind === "move") return step.to;
  return step.kind === "swap" ? step.after : step.path;
}
