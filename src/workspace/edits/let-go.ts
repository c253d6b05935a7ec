/**
 * The end of an edit that has happened. What it still holds under hidden names is let go as far as that is possible;
 * what stays is removed by a later opening, and told.
 */
import { basename } from "node:path";
import type { Entry } from "./entry.js";
import { shownAs } from "./preview.js";
import { heldBy } from "./run-step.js";
import { placesOf } from "./step.js";
import { systemWords } from "./system-words.js";
import type { Reason, Recovery } from "./types.js";
import { isOursWhole, type Workshop } from "./workshop.js";

/** Ends a committed edit: from here on it can be undone, whatever becomes of that which it still holds. */
export async function finish(shop: Workshop, entry: Entry): Promise<void> {
  const { journal } = shop;
  // After a kill this is done again, when what was undone may be forgotten already.
  if (entry.undoes !== null && (await journal.stage(entry.undoes)) !== "nothing") {
    await journal.mark(entry.undoes, "undone");
    if (await journal.isClean(entry.undoes)) await journal.forget(entry.undoes);
  }
  await journal.mark(entry.id, "done");
  await letGo(shop, entry);
}

/** Removes what an edit held, as far as that is possible, and tells what is left and what was removed. */
async function letGo(
  { disk, gate, journal }: Workshop,
  entry: Entry,
): Promise<{ reasons: Reason[]; removed: number }> {
  const reasons: Reason[] = [];
  let removed = 0;
  for (const step of entry.steps) {
    const held = heldBy(step);
    if (held === undefined) continue;
    try {
      if ((await disk.look(held)) === undefined) continue;
      await disk.removeTree(held);
      removed++;
    } catch (error) {
      const words = systemWords(error);
      if (words === undefined) throw error;
      const message = `was replaced or deleted, but its earlier content in ${basename(held)} cannot be removed: ${words}`;
      reasons.push({ code: "edit/left-behind", path: shownAs(gate, placesOf(step)[0] ?? ""), message });
    }
  }
  if (reasons.length > 0) return { reasons, removed };
  if (entry.undoes === null) await journal.markClean(entry.id);
  else await journal.forget(entry.id);
  return { reasons, removed };
}

/** Tries again to let go of what earlier edits could not; tells of what was there. */
export async function clearLeftovers(shop: Workshop): Promise<Recovery[]> {
  const recoveries: Recovery[] = [];
  for (const { id, stage: reached } of await shop.journal.list()) {
    if ((reached !== "done" && reached !== "undone") || (await shop.journal.isClean(id))) continue;
    const entry = await shop.journal.read(id);
    if (entry === undefined || !isOursWhole(shop.gate, entry)) continue;
    const { reasons, removed } = await letGo(shop, entry);
    if (reasons.length > 0) recoveries.push({ outcome: "conflict", reasons });
    else if (removed > 0) recoveries.push({ outcome: "finished", reasons });
  }
  return recoveries;
}
