/**
 * The edit engine of one workspace: preview, apply, undo. Applying plans the edit again while the lock is held, so
 * every check of the preview is repeated on the files as they are then, and an outdated preview is refused.
 */
import { mkdir, realpath } from "node:fs/promises";
import { sha256 } from "../../base/hash.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { Gate } from "../gate-types.js";
import { openProtectedPaths } from "../protected-paths.js";
import { backupSteps, buildSteps, type PreparedStep } from "./build-steps.js";
import { type Disk, filesInTree } from "./disk.js";
import {
  describeOrThrow,
  ignoreSystemErrors,
  refuseEdit,
  refuseOnSystemError,
  shownPath,
  sortReasons,
} from "./errors.js";
import { imageBytes, Journal, type JournalEntry } from "./journal.js";
import { takeLock } from "./lock.js";
import { planEdit } from "./plan-edit.js";
import type { EditContext } from "./planned-tree.js";
import { beforeHashes, changedSince, checkExpected, previewPlan } from "./preview.js";
import { realDisk } from "./real-disk.js";
import { pathAfter, pathsOf } from "./steps.js";
import {
  type Committed,
  type LockedContext,
  recoverAll,
  recoverOthers,
  removeLeftovers,
  runTransaction,
} from "./transaction.js";
import {
  type Applied,
  type ApplyOptions,
  type Caller,
  type Change,
  defaultEditLimits,
  type EditActivity,
  type EditOutcome,
  type EditsOptions,
  type Preview,
  type Recovery,
} from "./types.js";
import { undoSteps } from "./undo.js";

/** Opens the edits of a workspace. Edits of dead processes are finished or rolled back first. */
export async function openEdits(options: EditsOptions, disk: Disk = realDisk): Promise<Edits> {
  const edits = await Edits.create(options, disk);
  await edits.recover();
  return edits;
}

/** Finishes or rolls back edits of dead processes, for a proxy that does not edit itself. */
export async function recoverEdits(options: EditsOptions): Promise<void> {
  const edits = await Edits.create(options, realDisk);
  if (await edits.hasUnfinished()) await edits.recover();
}

/** The edits of one workspace. A Refusal carries all reasons in `data.reasons`. */
export class Edits implements EditActivity {
  #last: Promise<unknown> = Promise.resolve();
  begun = 0;
  writing: Promise<unknown> | undefined;

  private constructor(
    private readonly options: EditsOptions,
    private readonly context: EditContext,
  ) {}

  static async create(options: EditsOptions, disk: Disk): Promise<Edits> {
    const { gate, stateFolder, ownFiles = [] } = options;
    const protectedPaths = await openProtectedPaths(gate.roots, [stateFolder, ...ownFiles]);
    const limits = { ...defaultEditLimits, ...options.limits };
    return new Edits(options, { disk, gate, protectedPaths, limits });
  }

  /** Whether a process may have died during an edit. Only reads. */
  async hasUnfinished(): Promise<boolean> {
    try {
      return await (await this.#journal()).hasUnfinished();
    } catch (error) {
      // Without a readable state folder there is nothing to recover.
      describeOrThrow(error);
      return false;
    }
  }

  /** Recovers unfinished edits; waits for the lock only if there may be some. */
  async recover(): Promise<void> {
    const hasUnfinished = await this.hasUnfinished();
    try {
      const recoverLocked = async (context: LockedContext) => {
        if (hasUnfinished) await recoverOthers(context);
        await removeLeftovers(context);
        await context.journal.prune();
        await ignoreSystemErrors(context.journal.pruneOthers());
      };
      await this.#locked(undefined, recoverLocked, hasUnfinished ? undefined : 0);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  /** Checks an edit without writing. Problems are returned in `reasons`, not thrown. */
  async preview(changes: Change[], gate = this.options.gate): Promise<Preview> {
    const context = { ...this.context, gate };
    const plan = await planEdit(context, changes);
    const preview = await refuseOnSystemError(
      "guard/not-a-file",
      "The files cannot be read",
      previewPlan(context, changes, plan),
    );
    return { ...preview, reasons: sortReasons(preview.reasons) };
  }

  /** Applies a preview completely, or throws a Refusal and changes nothing. */
  apply(shown: Preview, options: ApplyOptions = {}): Promise<Applied> {
    const { gate, expected, backupSuffix, holder } = options;
    return this.#locked(gate, async (context) => {
      const { disk, journal, limits } = context;
      const plan = await planEdit(context, shown.changes);
      const preview = await previewPlan(context, shown.changes, plan);
      const reasons = [...plan.reasons, ...checkExpected(preview, expected)];
      if (reasons.length === 0 && preview.token !== shown.token)
        reasons.push(...changedSince(beforeHashes(shown), preview));
      if (reasons.length > 0) throw refuseEdit(reasons);
      const prepared = await buildSteps(disk, plan);
      const copies = backupSuffix === undefined ? [] : await backupSteps(context, prepared, backupSuffix);
      const all = [...copies, ...prepared];
      if (imageBytes(all.map(({ step }) => step)) > limits.journalBytes)
        throw new Refusal("edit/too-large", "The edit is too large to be undone. Nothing was changed.");
      const backups = copies.map(({ step }) => pathsOf(step)[0]);
      const committed = await this.#write(context, all, { undoes: null, backups, holder });
      await ignoreSystemErrors(journal.prune());
      const counts = new Map(preview.files.map((file) => [file.path, file.changes.length]));
      const toShown = (path: string) => shownPath(context.gate, path);
      return {
        ...outcomeOf(context.gate, prepared, counts, committed),
        backups: backups.map(toShown),
        attributesLost: committed.attributesLost.map(toShown),
        undoToken: `undo-${committed.id}`,
      };
    });
  }

  /** The token of the newest edit, or of the newest of these, that the caller may undo; undefined without one. */
  lastUndoToken({ gate, holder }: Caller = {}, among?: ReadonlySet<string>): Promise<string | undefined> {
    return this.#locked(gate, async ({ journal }) => {
      for (const { id, stage } of (await journal.list()).toReversed()) {
        const isMeant = stage === "done" && (among === undefined || among.has(`undo-${id}`));
        const entry = isMeant ? await journal.read(id) : undefined;
        if (entry !== undefined && isUndoable(entry, holder)) return `undo-${id}`;
      }
      return undefined;
    });
  }

  /** The changes that an undo would make; throws a Refusal where it is not possible. Writes nothing. */
  previewUndo(undoToken: string, { gate, holder }: Caller = {}): Promise<EditOutcome> {
    return this.#locked(gate, async (context) => {
      const { prepared } = await planUndo(context, undoToken, holder);
      return outcomeOf(context.gate, prepared, new Map(), undefined);
    });
  }

  /** Reverts an applied edit completely, or throws a Refusal; works after a restart too. */
  undo(undoToken: string, { gate, holder }: Caller = {}): Promise<EditOutcome> {
    return this.#locked(gate, async (context) => {
      const { id, prepared } = await planUndo(context, undoToken, holder);
      const committed = await this.#write(context, prepared, { undoes: id, backups: [] });
      return outcomeOf(context.gate, prepared, new Map(), committed);
    });
  }

  async close(): Promise<void> {
    await this.#last;
  }

  async #write(...transaction: Parameters<typeof runTransaction>): ReturnType<typeof runTransaction> {
    this.begun++;
    const running = runTransaction(...transaction);
    this.writing = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.writing = undefined;
    }
  }

  /** Runs one operation at a time, in this process and among all, after recovery. */
  #locked<T>(
    gate: Gate | undefined,
    operation: (context: LockedContext) => Promise<T>,
    waitMs = this.context.limits.lockWaitMs,
  ): Promise<T> {
    const refuse = <V>(lead: string, work: Promise<V>) => refuseOnSystemError("edit/no-journal", lead, work);
    const result = this.#last.then(async () => {
      const journal = await refuse("The journal cannot be opened", this.#openJournal());
      const taken = takeLock(this.context.disk, journal.lockFolder, waitMs);
      const lock = await refuse("The journal cannot be locked", taken);
      try {
        const report = (recovery: Recovery) => this.options.recovered?.(recovery);
        const context = { ...this.context, journal, lock, report };
        await refuse("The journal cannot be read", recoverAll(context));
        const edited = operation({ ...context, gate: gate ?? this.options.gate });
        return await refuseOnSystemError("edit/failed", "The edit cannot begin", edited);
      } finally {
        await ignoreSystemErrors(lock.release());
      }
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #openJournal(): Promise<Journal> {
    await mkdir(this.options.stateFolder, { recursive: true, mode: 0o700 });
    const journal = await this.#journal();
    await journal.makeFolders();
    return journal;
  }

  async #journal(): Promise<Journal> {
    const { gate, stateFolder } = this.options;
    const key = sha256(gate.roots[0] ?? "").slice(0, 16);
    return new Journal(this.context.disk, await realpath(stateFolder), key, this.context.limits);
  }
}

/** The edit that a token names and the steps that revert it; throws a Refusal where that is not possible. */
async function planUndo(
  context: LockedContext,
  undoToken: string,
  holder: string | undefined,
): Promise<{ id: string; prepared: PreparedStep[] }> {
  const { journal } = context;
  const id = undoToken.replace(/^undo-/, "");
  const isKnown = undoToken !== id && (await journal.stage(id)) === "done";
  const entry = isKnown ? await journal.read(id) : undefined;
  if (entry === undefined || !isUndoable(entry, holder))
    throw new Refusal("edit/unknown-undo", "There is nothing to undo for this token any more.");
  const { prepared, reasons } = await undoSteps(context, entry);
  if (reasons.length > 0) throw refuseEdit(reasons, "edit/undo-conflict");
  return { id, prepared };
}

/**
 * Whether an entry is an edit, no undo, of this holder. A process of the user has no holder and may undo every edit.
 */
function isUndoable(entry: JournalEntry, holder: string | undefined): boolean {
  return entry.undoes === null && (holder === undefined || entry.holder === holder);
}

/** The files and paths that steps changed; `counts` has the number of text changes by path before. */
function outcomeOf(
  gate: Gate,
  prepared: PreparedStep[],
  counts: ReadonlyMap<string, number>,
  committed: Committed | undefined,
): EditOutcome {
  const steps = prepared.map(({ step }) => step);
  const files: EditOutcome["files"] = [];
  const operations: EditOutcome["operations"] = [];
  const add = (path: string, beforeSha256: string | null, afterSha256: string | null, changes: number) =>
    files.push({ path, shown: shownPath(gate, path), beforeSha256, afterSha256, changes });
  for (const [index, step] of steps.entries()) {
    if (step.kind === "swap")
      add(step.after, step.before.sha256, step.now.sha256, counts.get(step.path) ?? 1);
    if (step.kind === "move") {
      const shown = shownPath(gate, step.from);
      const shownTo = shownPath(gate, step.to);
      operations.push({ kind: "rename", path: step.from, to: step.to, shown, shownTo, folder: step.folder });
    }
    if (step.kind !== "place" && step.kind !== "take") continue;
    const { path, tree } = step;
    const isNew = step.kind === "place";
    for (const { path: below, file } of filesInTree(tree, path)) {
      if (isNew) add(pathAfter(below, steps.slice(index + 1)), null, file.state.sha256, 1);
      else add(below, file.state.sha256, null, 0);
    }
    const kind = isNew ? "create" : "delete";
    operations.push({ kind, path, shown: shownPath(gate, path), folder: tree.kind === "folder" });
  }
  return {
    files: sortBy(files, ({ shown, afterSha256 }) => [shown, afterSha256 ?? ""]),
    operations,
    leftBehind: committed?.leftBehind ?? [],
    unguarded: committed?.unguarded.map((path) => shownPath(gate, path)) ?? [],
  };
}
