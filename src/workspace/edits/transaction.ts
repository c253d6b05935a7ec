/**
 * Runs an edit all or nothing: record, stage new contents, do the steps, verify, commit by one mark, remove old files.
 * After a failure or a kill, edits without the mark are rolled back and the others are finished.
 */
import { dirname } from "node:path";
import { Refusal } from "../../base/problem.js";
import { systemCode } from "../../base/system.js";
import type { Gate } from "../gate-types.js";
import type { PreparedStep } from "./build-steps.js";
import { type Disk, writeTree } from "./disk.js";
import {
  ABSENT,
  describeOrThrow,
  describeSystemError,
  refuseEdit,
  refuseOnSystemError,
  shownPath,
  tolerate,
} from "./errors.js";
import { isUnfinished, type JournalContext, type JournalEntry, type Stage } from "./journal.js";
import type { Lock } from "./lock.js";
import {
  checkHeld,
  doStep,
  hiddenPathsOf,
  isHeldUnchanged,
  nameFrom,
  pathAfter,
  pathsOf,
  revertStep,
  type Step,
} from "./steps.js";
import type { Reason, Recovery } from "./types.js";

/** The services that exist while the lock is held; `report` is called for each recovered edit. */
export type LockedContext = JournalContext & { lock: Lock; report(recovery: Recovery): void };

/** A committed edit, with what must be reported about it. */
export interface Committed {
  id: string;
  /** Paths of files that lost attributes. */
  attributesLost: string[];
  /** Paths where a save in the same instant could have been replaced unseen. */
  unguarded: string[];
  /** Old files that could not be removed, or that another program has written to meanwhile. */
  leftBehind: Reason[];
}

/** Runs the steps. Throws a Refusal when they were rolled back; it names what the roll-back left. */
export async function runTransaction(
  context: LockedContext,
  prepared: PreparedStep[],
  description: Omit<JournalEntry, "id" | "steps">,
): Promise<Committed> {
  const { disk, gate, journal, lock } = context;
  const steps = prepared.map(({ step }) => step);
  const begun = journal.begin({ ...description, steps }, gate);
  const entry = await refuseOnSystemError("edit/no-journal", "The journal cannot be written", begun);
  const attributesLost: string[] = [];
  const unguarded: string[] = [];
  let at: Step | undefined;
  try {
    for (const part of prepared) {
      at = part.step;
      if (!(await stageContent(disk, part)) && at.kind === "swap") attributesLost.push(at.after);
    }
    await lock.check();
    for (at of steps) {
      if (!(await doStep(disk, at))) unguarded.push(pathsOf(at)[0]);
    }
    for (at of steps) await checkHeld(disk, at);
    at = undefined;
    await syncFolders(disk, steps);
    await lock.check();
    await journal.mark(entry.id, "committed");
  } catch (error) {
    throw await rollBackAfter(context, entry, at, error, unguarded.length > 0);
  }
  // The edit has happened. The next process that takes the lock completes what fails here.
  const leftBehind = await finish(context, entry).catch((error: unknown) => {
    describeOrThrow(error);
    return [];
  });
  return { id: entry.id, attributesLost, unguarded, leftBehind };
}

/** Writes the new content under its hidden name; false when it lacks attributes of the old file. */
async function stageContent(disk: Disk, { step, contentOf }: PreparedStep): Promise<boolean> {
  if (contentOf === undefined) return true;
  if (step.kind === "place") await writeTree(disk, step.staged, step.tree, contentOf);
  if (step.kind !== "swap") return true;
  return disk.writeLike(step.path, step.staged, contentOf(null).bytes, step.now);
}

/** Rolls back after a failure and returns the error to throw. */
async function rollBackAfter(
  context: LockedContext,
  entry: JournalEntry,
  at: Step | undefined,
  error: unknown,
  isUnguarded: boolean,
): Promise<unknown> {
  const left = await rollBack(context, entry);
  const description = describeSystemError(error);
  if (description === undefined && !(error instanceof Refusal)) return error;
  const path = at === undefined ? "." : shownPath(context.gate, pathsOf(at)[0]);
  let code: Reason["code"] = "edit/failed";
  if (systemCode(error) === "ECHANGED") code = "edit/changed";
  if (description === undefined) code = "edit/busy";
  const doubt = isUnguarded ? "; without hard links, a save in the same instant may be lost" : "";
  const cause = description ?? "another process has taken over the lock";
  const reason: Reason = { code, path, message: cause + doubt };
  const lead = "The edit failed and could not be rolled back completely";
  if (left.length > 0) return refuseEdit([reason, ...left], "edit/left-behind", lead);
  return refuseEdit(
    [reason],
    code,
    code === "edit/failed" ? "The edit failed and was rolled back" : undefined,
  );
}

/** Reverts all steps, last first. Returns what could not be restored; forgets the edit when that is nothing. */
async function rollBack(context: LockedContext, { id, steps }: JournalEntry): Promise<Reason[]> {
  const { disk, gate, journal } = context;
  const reasons: Reason[] = [];
  let mustRetry = false;
  for (const step of steps.toReversed()) {
    const message = await revertStep(disk, step).catch((error: unknown) => {
      mustRetry = true;
      return `could not be restored yet: ${describeOrThrow(error)}`;
    });
    if (message !== undefined) reasons.push(leftBehind(message, shownPath(gate, pathsOf(step)[0])));
  }
  if (mustRetry) return reasons;
  await syncFolders(disk, steps);
  if (reasons.length === 0) await journal.forget(id);
  else await journal.mark(id, "left");
  return reasons;
}

/** Completes a committed edit: it can be undone from here on. Returns what is left of old files. */
async function finish(context: LockedContext, entry: JournalEntry): Promise<Reason[]> {
  const { journal } = context;
  // Repeated after a kill, when the undone edit may be forgotten already.
  if (entry.undoes !== null && (await journal.stage(entry.undoes)) !== "nothing") {
    await journal.mark(entry.undoes, "undone");
    if (await journal.isClean(entry.undoes)) await journal.forget(entry.undoes);
  }
  await journal.mark(entry.id, "done");
  return (await removeHeldFiles(context, entry))?.reasons ?? [];
}

/**
 * Removes the old files that an edit holds under hidden names; undefined when there are none. A program that had a file
 * open may have written to it since it was checked: such a file is kept and reported once.
 */
async function removeHeldFiles(context: LockedContext, entry: JournalEntry): Promise<Recovery | undefined> {
  const { disk, gate, journal } = context;
  const reasons: Reason[] = [];
  let removed = 0;
  let mustRetry = false;
  for (const step of entry.steps) {
    if (step.kind !== "swap" && step.kind !== "take") continue;
    const tell = (message: string) => reasons.push(leftBehind(message, shownPath(gate, step.path)));
    const name = nameFrom(step.path, step.held);
    try {
      if ((await disk.stat(step.held)) === undefined) continue;
      if (await isHeldUnchanged(disk, step, "part")) {
        await disk.removeTree(step.held);
        removed++;
      } else tell(`was also written by another program during the edit; that version is kept in ${name}`);
    } catch (error) {
      mustRetry = true;
      tell(`has its earlier content in ${name}, which cannot be removed: ${describeOrThrow(error)}`);
    }
  }
  if (mustRetry) return { outcome: "conflict", reasons };
  if (entry.undoes === null) await journal.mark(entry.id, "clean");
  else await journal.forget(entry.id);
  if (reasons.length > 0) return { outcome: "conflict", reasons };
  return removed > 0 ? { outcome: "finished", reasons } : undefined;
}

/** Flushes every folder that the steps touched, where it was and where it is. */
async function syncFolders(disk: Disk, steps: Step[]): Promise<void> {
  const folders = steps.flatMap((step, index) =>
    [...pathsOf(step), ...hiddenPathsOf(step)].flatMap((path) => [
      dirname(path),
      dirname(pathAfter(path, steps.slice(index + 1))),
    ]),
  );
  for (const folder of new Set(folders)) await tolerate(ABSENT, disk.sync(folder));
}

/** Recovers the workspace's own edits and, when the last lock holder died, those of other workspaces. */
export async function recoverAll(context: LockedContext): Promise<void> {
  await recoverJournal(context);
  if (context.lock.isTakenOver) await recoverOthers(context);
}

async function recoverJournal(context: LockedContext): Promise<void> {
  for (const { id, stage } of await context.journal.list()) {
    if (stage === "nothing") await context.journal.forget(id);
    if (!isUnfinished(stage)) continue;
    const recovery = recoverEntry(context, id, stage).catch((error: unknown) =>
      conflict(`an unfinished edit cannot be inspected now: ${describeOrThrow(error)}`),
    );
    context.report(await recovery);
  }
}

async function recoverEntry(context: LockedContext, id: string, stage: Stage): Promise<Recovery> {
  const entry = await context.journal.read(id);
  if (entry === undefined) {
    await context.journal.mark(id, "left");
    return conflict("the record of an unfinished edit is damaged");
  }
  if (!isWithin(context.gate, entry))
    return conflict("an unfinished edit has files that are not part of the workspace now");
  if (stage === "committed") {
    const left = await finish(context, entry);
    return { outcome: left.length === 0 ? "finished" : "conflict", reasons: left };
  }
  const reasons = await rollBack(context, entry);
  return { outcome: reasons.length === 0 ? "rolled-back" : "conflict", reasons };
}

/** Recovers edits of other workspaces, whose roots may overlap, if all of their files belong to this one. */
export async function recoverOthers(context: LockedContext): Promise<void> {
  const { gate } = context;
  for (const journal of await context.journal.others()) {
    const last = await journal.lastUnfinished();
    const entry = last === undefined ? undefined : await journal.read(last);
    if (entry === undefined) continue;
    if (isWithin(gate, entry)) await recoverJournal({ ...context, journal });
    else if (entry.steps.flatMap(pathsOf).some((path) => !(gate.check(path) instanceof Refusal)))
      context.report(conflict("an unfinished edit also has files outside; start a proxy on its own root"));
  }
}

/** Tries again to remove old files that earlier edits could not remove. */
export async function removeLeftovers(context: LockedContext): Promise<void> {
  const { journal, gate } = context;
  for (const { id, stage } of await journal.list()) {
    if ((stage !== "done" && stage !== "undone") || (await journal.isClean(id))) continue;
    const entry = await journal.read(id);
    if (entry === undefined || !isWithin(gate, entry)) continue;
    const recovery = await removeHeldFiles(context, entry);
    if (recovery !== undefined) context.report(recovery);
  }
}

/** Whether all files of an edit are writable files of this workspace. */
function isWithin(gate: Gate, { steps }: JournalEntry): boolean {
  // `deny` may exclude hidden names, which start with a dot: their folder decides.
  const paths = steps.flatMap((step) => [
    ...pathsOf(step),
    ...hiddenPathsOf(step).map((path) => dirname(path)),
  ]);
  return paths.every((path) => {
    const placed = gate.check(path);
    return !(placed instanceof Refusal) && placed.writable;
  });
}

function conflict(message: string): Recovery {
  return { outcome: "conflict", reasons: [leftBehind(message, ".")] };
}

function leftBehind(message: string, path: string): Reason {
  return { code: "edit/left-behind", path, message };
}
