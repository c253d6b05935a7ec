/**
 * Edits that processes died over in other workspaces. One root may lie inside another, so whoever meets such an edit of its
 * own files settles it, under the lock that all workspaces share; one that is also about other files waits for a proxy that
 * may touch them all, and is told of.
 */
import { join } from "node:path";
import { Refusal } from "../../base/problem.js";
import { placesOf } from "./step.js";
import { unlessSystem } from "./system-words.js";
import { recover } from "./transaction.js";
import type { Recovery } from "./types.js";
import { isOursWhole, type Workshop } from "./workshop.js";

const HOUR_MS = 3_600_000;

/** Settles what is left in the workspace's own journal and, when a process died over an edit just now, in the others. */
export async function recoverAll(shop: Workshop): Promise<Recovery[]> {
  const own = await recover(shop);
  return shop.lock.isTakenOver ? [...own, ...(await recoverOthers(shop))] : own;
}

/** Settles what other journals have left of files of this workspace, and tells of what it must leave. */
export async function recoverOthers(shop: Workshop): Promise<Recovery[]> {
  const recoveries: Recovery[] = [];
  for (const journal of await shop.journal.others()) {
    const last = await journal.last();
    if (last === undefined) continue;
    const entry = await journal.read(last);
    if (entry === undefined) continue;
    if (isOursWhole(shop.gate, entry)) recoveries.push(...(await recover({ ...shop, journal })));
    else if (entry.steps.flatMap(placesOf).some((path) => !(shop.gate.place(path) instanceof Refusal)))
      recoveries.push({ outcome: "conflict", reasons: [pending] });
  }
  return recoveries;
}

/** Forgets old edits of workspaces that nobody may open again, once an hour for all; those that are not ours stay. */
export async function pruneOthers({ disk, journal }: Workshop): Promise<void> {
  const mark = `pruned-${Math.floor(Date.now() / HOUR_MS)}`;
  const names = await disk.list(journal.lockFolder);
  if (names.includes(mark)) return;
  for (const other of await journal.others()) {
    await unlessSystem(other.prune());
    // The system refuses where something is left.
    await unlessSystem(other.remove());
  }
  await disk.makeFolder(join(journal.lockFolder, mark), "private");
  for (const name of names.filter((old) => old.startsWith("pruned-")))
    await disk.removeFolder(join(journal.lockFolder, name));
}

const pending = {
  code: "edit/left-behind" as const,
  path: ".",
  message:
    "an edit that a process died over is also about files outside; start a proxy on its own root to settle it",
};
