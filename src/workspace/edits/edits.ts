/**
 * The edit engine of one workspace: preview, apply, undo. Applying plans the edit again while the lock is held, so every
 * check of the preview is repeated on the files as they are then, and an outdated preview is refused.
 */
import { mkdir, realpath } from "node:fs/promises";
import { sha256 } from "../../base/hash.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { openProtectedPaths } from "../protected-paths.js";
import type { Gate } from "../types.js";
import { backupSteps, buildSteps } from "./build-steps.js";
import { type Disk, filesInTree } from "./disk.js";
import {
  describeSystemError,
  ignoreSystemErrors,
  refuseEdit,
  refuseOnSystemError,
  shownPath,
  sortReasons,
} from "./errors.js";
import { Journal } from "./journal.js";
import { takeLock } from "./lock.js";
import { planEdit } from "./plan-edit.js";
import type { EditContext } from "./planned-tree.js";
import { beforeHashes, changedSince, checkExpected, previewPlan } from "./preview.js";
import { realDisk } from "./real-disk.js";
import { pruneOthers, recoverAll, recoverOthers, removeLeftovers } from "./recovery.js";
import { pathAfter, type Step } from "./steps.js";
import { imageBytes, runTransaction, type TransactionContext } from "./transaction.js";
import {
  type Applied,
  type AppliedFile,
  type AppliedOperation,
  type ApplyOptions,
  type Caller,
  type Change,
  defaultEditLimits,
  type EditOutcome,
  type Edits,
  type EditsOptions,
  type Preview,
} from "./types.js";
import { undoSteps } from "./undo.js";

/** Opens the edits of a workspace. Edits of dead processes are finished or rolled back first. */
export async function openEdits(options: EditsOptions, disk: Disk = realDisk): Promise<Edits> {
  const edits = await WorkspaceEdits.create(options, disk);
  await edits.recover();
  return edits;
}

/** Finishes or rolls back edits of dead processes, for a proxy that does not edit itself. */
export async function recoverEdits(options: EditsOptions, disk: Disk = realDisk): Promise<void> {
  const edits = await WorkspaceEdits.create(options, disk);
  if (await edits.hasUnfinished()) await edits.recover();
}

class WorkspaceEdits implements Edits {
  /** Names the journal of the workspace. */
  readonly #key: string;
  /** Settles when all earlier operations have. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly options: EditsOptions,
    private readonly context: EditContext,
  ) {
    this.#key = sha256(options.gate.roots[0] ?? "").slice(0, 16);
  }

  static async create(options: EditsOptions, disk: Disk): Promise<WorkspaceEdits> {
    const { gate, stateFolder, ownFiles = [] } = options;
    const protectedPaths = await openProtectedPaths(gate.roots, [stateFolder, ...ownFiles]);
    const limits = { ...defaultEditLimits, ...options.limits };
    return new WorkspaceEdits(options, { disk, gate, protectedPaths, limits });
  }

  /** Whether a process may have died during an edit. Only reads. */
  async hasUnfinished(): Promise<boolean> {
    const { disk, limits } = this.context;
    try {
      return await Journal.hasUnfinished(disk, await realpath(this.options.stateFolder), this.#key, limits);
    } catch (error) {
      // Without a readable state folder there is nothing to recover.
      if (describeSystemError(error) === undefined) throw error;
      return false;
    }
  }

  /** Recovers unfinished edits; waits for the lock only if there may be some. */
  async recover(): Promise<void> {
    const hasUnfinished = await this.hasUnfinished();
    try {
      await this.#locked(
        async (context) => {
          const others = hasUnfinished ? await recoverOthers(context) : [];
          for (const recovery of [...others, ...(await removeLeftovers(context))])
            this.options.recovered?.(recovery);
          await context.journal.prune();
          await ignoreSystemErrors(pruneOthers(context));
        },
        hasUnfinished ? undefined : 0,
      );
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }

  async preview(changes: Change[], gate?: Gate): Promise<Preview> {
    const context = this.#contextFor(gate);
    const plan = await planEdit(context, changes);
    const preview = await refuseOnSystemError(
      "guard/not-a-file",
      "The files cannot be read",
      previewPlan(context, changes, plan),
    );
    return { ...preview, reasons: sortReasons(preview.reasons) };
  }

  apply(shown: Preview, options: ApplyOptions = {}): Promise<Applied> {
    return this.#locked(async (transaction) => {
      const context = this.#contextFor(options.gate);
      const { disk, journal } = transaction;
      const plan = await planEdit(context, shown.changes);
      const preview = await previewPlan(context, shown.changes, plan);
      const reasons = [...plan.reasons, ...checkExpected(preview, options.expected)];
      if (reasons.length === 0 && preview.token !== shown.token)
        reasons.push(...changedSince(beforeHashes(shown), preview));
      if (reasons.length > 0) throw refuseEdit(reasons);
      const prepared = await buildSteps(disk, plan);
      const backups =
        options.backupSuffix === undefined
          ? { prepared: [], paths: [] }
          : await backupSteps({ ...context, journal }, prepared, options.backupSuffix);
      const all = [...backups.prepared, ...prepared];
      if (imageBytes(all.map(({ step }) => step)) > context.limits.journalBytes)
        throw new Refusal("edit/too-large", "The edit is too large to be undone. Nothing was changed.");
      const { id, attributesLost } = await runTransaction(transaction, all, {
        undoes: null,
        backups: backups.paths,
        holder: options.holder,
      });
      await ignoreSystemErrors(journal.prune());
      const counts = new Map(preview.files.map((file) => [file.path, file.changes.length]));
      const steps = prepared.map(({ step }) => step);
      const toShown = (path: string) => shownPath(context.gate, path);
      return {
        ...outcomeOf(context.gate, steps, counts),
        backups: backups.paths.map(toShown),
        attributesLost: attributesLost.map(toShown),
        undoToken: `undo-${id}`,
      };
    });
  }

  previewUndo(undoToken: string, caller: Caller = {}): Promise<EditOutcome> {
    return this.#undo(undoToken, caller, true);
  }

  undo(undoToken: string, caller: Caller = {}): Promise<EditOutcome> {
    return this.#undo(undoToken, caller, false);
  }

  #undo(undoToken: string, { gate, holder }: Caller, isPreview: boolean): Promise<EditOutcome> {
    return this.#locked(async (transaction) => {
      const { journal } = transaction;
      const context = this.#contextFor(gate);
      const id = undoToken.replace(/^undo-/, "");
      const isKnown = undoToken !== id && (await journal.stage(id)) === "done";
      const entry = isKnown ? await journal.read(id) : undefined;
      // A process of the user has no holder and may undo every edit.
      const isAllowed = holder === undefined || entry?.holder === holder;
      if (entry === undefined || entry.undoes !== null || !isAllowed)
        throw new Refusal("edit/unknown-undo", "There is nothing to undo for this token any more.");
      const { prepared, reasons } = await undoSteps({ ...context, journal }, entry);
      if (reasons.length > 0) throw refuseEdit(reasons, "edit/undo-conflict");
      if (!isPreview) await runTransaction(transaction, prepared, { undoes: id, backups: [] });
      const steps = prepared.map(({ step }) => step);
      return outcomeOf(context.gate, steps, new Map());
    });
  }

  async close(): Promise<void> {
    await this.#last;
  }

  #contextFor(gate: Gate | undefined): EditContext {
    return gate === undefined ? this.context : { ...this.context, gate };
  }

  /** Runs one operation at a time, in this process and among all, after recovery. */
  #locked<T>(operation: (context: TransactionContext) => Promise<T>, waitMs?: number): Promise<T> {
    const result = this.#last.then(async () => {
      const { disk, gate, limits } = this.context;
      const refuse = <V>(lead: string, work: Promise<V>) =>
        refuseOnSystemError("edit/no-journal", lead, work);
      const journal = await refuse("The journal cannot be opened", this.#openJournal());
      const wait = waitMs ?? limits.lockWaitMs;
      const lock = await refuse("The journal cannot be locked", takeLock(disk, journal.lockFolder, wait));
      try {
        const context = { disk, gate, journal, lock };
        for (const recovery of await refuse("The journal cannot be read", recoverAll(context)))
          this.options.recovered?.(recovery);
        return await refuseOnSystemError("edit/failed", "The edit cannot begin", operation(context));
      } finally {
        await ignoreSystemErrors(lock.release());
      }
    });
    this.#last = result.catch(() => undefined);
    return result;
  }

  async #openJournal(): Promise<Journal> {
    const { disk, limits } = this.context;
    const { stateFolder } = this.options;
    await mkdir(stateFolder, { recursive: true, mode: 0o700 });
    return Journal.open(disk, await realpath(stateFolder), this.#key, limits);
  }
}

/** The files and paths that steps changed; `counts` has the number of text changes by path before. */
function outcomeOf(gate: Gate, steps: Step[], counts: ReadonlyMap<string, number>): EditOutcome {
  const files: AppliedFile[] = [];
  const operations: AppliedOperation[] = [];
  const add = (path: string, beforeSha256: string | null, afterSha256: string | null, changes: number) =>
    files.push({ path, shown: shownPath(gate, path), beforeSha256, afterSha256, changes });
  for (const [index, step] of steps.entries()) {
    if (step.kind === "swap")
      add(step.after, step.before.sha256, step.now.sha256, counts.get(step.path) ?? 1);
    if (step.kind === "move") {
      const { from, to, folder } = step;
      const shown = { shown: shownPath(gate, from), shownTo: shownPath(gate, to) };
      operations.push({ kind: "rename", path: from, to, ...shown, folder });
    }
    if (step.kind !== "place" && step.kind !== "take") continue;
    const isNew = step.kind === "place";
    for (const { path, file } of filesInTree(step.tree, step.path)) {
      const { sha256: hash } = file.state;
      if (isNew) add(pathAfter(path, steps.slice(index + 1)), null, hash, 1);
      else add(path, hash, null, 0);
    }
    const { path, tree } = step;
    const kind = isNew ? "create" : "delete";
    operations.push({ kind, path, shown: shownPath(gate, path), folder: tree.kind === "folder" });
  }
  return { files: sortBy(files, ({ shown, afterSha256 }) => [shown, afterSha256 ?? ""]), operations };
}
