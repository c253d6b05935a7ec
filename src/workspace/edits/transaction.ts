/**
 * Runs the steps of an edit all or nothing: record in the journal, stage new contents, do the steps, verify, commit by
 * one mark, remove the old files. A failure before the commit is rolled back, after a kill by the next process.
 */
import { createHash } from "node:crypto";
import { basename, dirname } from "node:path";
import { uniqueBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { Gate } from "../types.js";
import type { PreparedStep } from "./build-steps.js";
import { type ByteRange, type Disk, type FileState, filesInTree, writeTree } from "./disk.js";
import {
  describeSystemError,
  ignoreSystemErrors,
  isAbsent,
  refuseEdit,
  refuseOnSystemError,
  shownPath,
  systemCode,
} from "./errors.js";
import type { Journal, JournalEntry } from "./journal.js";
import type { Lock } from "./lock.js";
import { checkHeld, doStep, hiddenPathsOf, pathAfter, pathsOf, revertStep, type Step } from "./steps.js";
import type { Reason } from "./types.js";

/** What a transaction needs while the lock is held. */
export interface TransactionContext {
  disk: Disk;
  gate: Gate;
  journal: Journal;
  lock: Lock;
}

/** Runs the steps; throws a Refusal when nothing was changed. `attributesLost` are paths of files that lost some. */
export async function runTransaction(
  context: TransactionContext,
  prepared: PreparedStep[],
  description: Omit<JournalEntry, "id" | "steps">,
): Promise<{ id: string; attributesLost: string[] }> {
  const { disk, gate, journal, lock } = context;
  const steps = prepared.map(({ step }) => step);
  // An undo cannot be undone: its old contents are only held while it runs.
  const images = description.undoes === null ? saveImages(disk, gate, steps) : noImages();
  const lead = "The journal cannot be written";
  const begun = journal.begin({ ...description, steps }, images);
  const entry = await refuseOnSystemError("edit/no-journal", lead, begun);
  const attributesLost: string[] = [];
  let at: Step | undefined;
  try {
    for (const part of prepared) {
      at = part.step;
      if (!(await stageContent(disk, part)) && at.kind === "swap") attributesLost.push(at.after);
    }
    await lock.check();
    for (const step of steps) {
      at = step;
      await doStep(disk, step);
    }
    for (const step of steps) {
      at = step;
      await checkHeld(disk, step);
    }
    at = undefined;
    await syncFolders(disk, steps);
    await lock.check();
    await journal.mark(entry.id, "committed");
  } catch (error) {
    throw await rollBackAfter(context, entry, at, error);
  }
  // The edit has happened. The next process that takes the lock completes what fails here.
  await ignoreSystemErrors(finish(context, entry));
  return { id: entry.id, attributesLost };
}

/** The bytes that the journal must keep for undo. */
export function imageBytes(steps: Step[]): number {
  return steps.flatMap(imagesOf).reduce((sum, { state }) => sum + state.size, 0);
}

/** The files that a step replaces or removes; `target.image` is set when the content is saved. */
function imagesOf(step: Step): { path: string; state: FileState; target: { image: ByteRange | null } }[] {
  if (step.kind === "swap") return [{ path: step.path, state: step.before, target: step }];
  if (step.kind !== "take") return [];
  return filesInTree(step.tree, step.path).map(({ path, file }) => ({
    path,
    state: file.state,
    target: file,
  }));
}

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

async function* noImages(): AsyncIterable<Uint8Array> {}

/** Writes the new content under its hidden name; false when it lacks attributes of the old file. */
async function stageContent(disk: Disk, { step, contentOf }: PreparedStep): Promise<boolean> {
  if (contentOf === undefined) return true;
  if (step.kind === "place") await writeTree(disk, step.staged, step.tree, contentOf);
  if (step.kind !== "swap") return true;
  return disk.writeLike(step.path, step.staged, contentOf(null).bytes, step.now);
}

/** Rolls back after a failure and returns the error to throw. */
async function rollBackAfter(
  context: TransactionContext,
  entry: JournalEntry,
  at: Step | undefined,
  error: unknown,
): Promise<unknown> {
  const left = await rollBack(context, entry);
  const description = describeSystemError(error);
  if (description === undefined && !(error instanceof Refusal)) return error;
  const path = at === undefined ? "." : shownPath(context.gate, pathsOf(at)[0]);
  const isChange = systemCode(error) === "ECHANGED";
  const code = description === undefined ? "edit/busy" : isChange ? "edit/changed" : "edit/failed";
  const reason: Reason = { code, path, message: description ?? "another process has taken over the lock" };
  if (left.length > 0)
    return refuseEdit(
      [reason, ...left],
      "edit/left-behind",
      "The edit failed and could not be rolled back completely",
    );
  return code === "edit/failed"
    ? refuseEdit([reason], code, "The edit failed and was rolled back")
    : refuseEdit([reason]);
}

/** Reverts all steps, last first. Returns what could not be restored; forgets the edit when that is nothing. */
export async function rollBack(
  { disk, gate, journal }: TransactionContext,
  entry: JournalEntry,
): Promise<Reason[]> {
  const reasons: Reason[] = [];
  let mustRetry = false;
  for (const step of entry.steps.toReversed()) {
    const path = shownPath(gate, pathsOf(step)[0]);
    try {
      const message = await revertStep(disk, step);
      if (message !== undefined) reasons.push({ code: "edit/left-behind", path, message });
    } catch (error) {
      const description = describeSystemError(error);
      if (description === undefined) throw error;
      mustRetry = true;
      reasons.push({ code: "edit/left-behind", path, message: `could not be restored yet: ${description}` });
    }
  }
  if (mustRetry) return reasons;
  await syncFolders(disk, entry.steps);
  if (reasons.length === 0) await journal.forget(entry.id);
  else await journal.mark(entry.id, "left");
  return reasons;
}

/** Completes a committed edit: it can be undone from here on. */
export async function finish(context: TransactionContext, entry: JournalEntry): Promise<void> {
  const { journal } = context;
  // Repeated after a kill, when the undone edit may be forgotten already.
  if (entry.undoes !== null && (await journal.stage(entry.undoes)) !== "nothing") {
    await journal.mark(entry.undoes, "undone");
    if (await journal.isClean(entry.undoes)) await journal.forget(entry.undoes);
  }
  await journal.mark(entry.id, "done");
  await removeHeldFiles(context, entry);
}

/** Removes the old files that an edit holds under hidden names. Returns what could not be removed. */
export async function removeHeldFiles(
  { disk, gate, journal }: TransactionContext,
  entry: JournalEntry,
): Promise<{ reasons: Reason[]; removed: number }> {
  const reasons: Reason[] = [];
  let removed = 0;
  for (const step of entry.steps) {
    if (step.kind !== "swap" && step.kind !== "take") continue;
    try {
      if ((await disk.stat(step.held)) === undefined) continue;
      await disk.removeTree(step.held);
      removed++;
    } catch (error) {
      const description = describeSystemError(error);
      if (description === undefined) throw error;
      const message = `was replaced or deleted, but its earlier content in ${basename(step.held)} cannot be removed: ${description}`;
      reasons.push({ code: "edit/left-behind", path: shownPath(gate, step.path), message });
    }
  }
  if (reasons.length > 0) return { reasons, removed };
  if (entry.undoes === null) await journal.mark(entry.id, "clean");
  else await journal.forget(entry.id);
  return { reasons, removed };
}

/** Flushes every folder that the steps touched, where it was and where it is. */
async function syncFolders(disk: Disk, steps: Step[]): Promise<void> {
  const paths = steps.flatMap((step, index) =>
    [...pathsOf(step), ...hiddenPathsOf(step)].flatMap((path) => [
      path,
      pathAfter(path, steps.slice(index + 1)),
    ]),
  );
  const folders = uniqueBy(
    paths.map((path) => dirname(path)),
    (folder) => folder,
  );
  for (const folder of folders)
    await disk.sync(folder).catch((error: unknown) => {
      if (!isAbsent(error)) throw error;
    });
}
