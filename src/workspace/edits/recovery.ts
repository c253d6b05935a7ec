/**
 * Recovery after a process died: finishes committed edits and rolls back the others. Roots may overlap, so edits of other
 * workspaces are recovered too when all of their files belong to this one.
 */
import { dirname, join } from "node:path";
import { Refusal } from "../../base/problem.js";
import type { Gate } from "../types.js";
import { describeSystemError, ignoreSystemErrors } from "./errors.js";
import { isUnfinished, type JournalEntry } from "./journal.js";
import { hiddenPathsOf, pathsOf } from "./steps.js";
import { finish, removeHeldFiles, rollBack, type TransactionContext } from "./transaction.js";
import type { Recovery } from "./types.js";

const HOUR_MS = 3_600_000;

/** Recovers the workspace's own edits and, when the last lock holder died, those of other workspaces. */
export async function recoverAll(context: TransactionContext): Promise<Recovery[]> {
  const own = await recoverJournal(context);
  return context.lock.isTakenOver ? [...own, ...(await recoverOthers(context))] : own;
}

async function recoverJournal(context: TransactionContext): Promise<Recovery[]> {
  const recoveries: Recovery[] = [];
  for (const { id, stage } of await context.journal.list()) {
    if (stage === "nothing") await context.journal.forget(id);
    if (!isUnfinished(stage)) continue;
    const recovery = await recoverEntry(context, id, stage === "committed").catch((error: unknown) => {
      const description = describeSystemError(error);
      if (description === undefined) throw error;
      return conflict(`an unfinished edit cannot be inspected now: ${description}`);
    });
    recoveries.push(recovery);
  }
  return recoveries;
}

async function recoverEntry(
  context: TransactionContext,
  id: string,
  isCommitted: boolean,
): Promise<Recovery> {
  const entry = await context.journal.read(id);
  if (entry === undefined) {
    await context.journal.mark(id, "left");
    return conflict("the record of an unfinished edit is damaged");
  }
  if (!isWithin(context.gate, entry))
    return conflict("an unfinished edit has files that are not part of the workspace now");
  if (isCommitted) {
    await finish(context, entry);
    return { outcome: "finished", reasons: [] };
  }
  const reasons = await rollBack(context, entry);
  return { outcome: reasons.length === 0 ? "rolled-back" : "conflict", reasons };
}

/** Recovers unfinished edits in other journals; reports those that also have files outside this workspace. */
export async function recoverOthers(context: TransactionContext): Promise<Recovery[]> {
  const { gate } = context;
  const recoveries: Recovery[] = [];
  for (const journal of await context.journal.others()) {
    const last = await journal.lastUnfinished();
    const entry = last === undefined ? undefined : await journal.read(last);
    if (entry === undefined) continue;
    if (isWithin(gate, entry)) recoveries.push(...(await recoverJournal({ ...context, journal })));
    else if (entry.steps.flatMap(pathsOf).some((path) => !(gate.place(path) instanceof Refusal)))
      recoveries.push(
        conflict("an unfinished edit also has files outside; start a proxy on its own root to recover it"),
      );
  }
  return recoveries;
}

/** Tries again to remove old files that earlier edits could not remove. */
export async function removeLeftovers(context: TransactionContext): Promise<Recovery[]> {
  const { journal, gate } = context;
  const recoveries: Recovery[] = [];
  for (const { id, stage } of await journal.list()) {
    if ((stage !== "done" && stage !== "undone") || (await journal.isClean(id))) continue;
    const entry = await journal.read(id);
    if (entry === undefined || !isWithin(gate, entry)) continue;
    const { reasons, removed } = await removeHeldFiles(context, entry);
    if (reasons.length > 0) recoveries.push({ outcome: "conflict", reasons });
    else if (removed > 0) recoveries.push({ outcome: "finished", reasons });
  }
  return recoveries;
}

/** Prunes the journals of workspaces that may never be opened again; once an hour, for all processes. */
export async function pruneOthers({ disk, journal }: TransactionContext): Promise<void> {
  const mark = `pruned-${Math.floor(Date.now() / HOUR_MS)}`;
  const names = await disk.list(journal.lockFolder);
  if (names.includes(mark)) return;
  for (const other of await journal.others()) {
    await ignoreSystemErrors(other.prune());
    await ignoreSystemErrors(other.remove());
  }
  await disk.makeFolder(join(journal.lockFolder, mark), "private");
  for (const name of names.filter((old) => old.startsWith("pruned-")))
    await disk.removeFolder(join(journal.lockFolder, name));
}

/** Whether all files of an edit are writable files of this workspace. */
function isWithin(gate: Gate, { steps }: JournalEntry): boolean {
  // `deny` may exclude hidden names, which start with a dot: their folder decides.
  const paths = steps.flatMap((step) => [
    ...pathsOf(step),
    ...hiddenPathsOf(step).map((path) => dirname(path)),
  ]);
  return paths.every((path) => {
    const placed = gate.place(path);
    return !(placed instanceof Refusal) && placed.writable;
  });
}

function conflict(message: string): Recovery {
  return { outcome: "conflict", reasons: [{ code: "edit/left-behind", path: ".", message }] };
}
