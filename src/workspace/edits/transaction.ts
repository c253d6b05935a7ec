/**
 * Steps done together or not at all. In this order: written down, staged, done, checked, committed, let go. Whatever
 * stops it before the commit is rolled back, here or, after a kill, by whoever takes the lock next.
 */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { uniqueBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { Gate } from "../types.js";
import { type Disk, isAbsence, type Slice } from "./disk.js";
import type { Entry } from "./entry.js";
import { finish } from "./let-go.js";
import { placeAfter } from "./outcome.js";
import { shownAs } from "./preview.js";
import { refuseEdit } from "./reasons.js";
import { heldIsKnown, runStep, unrunStep } from "./run-step.js";
import { type FileState, filesOf, hiddenOf, placesOf, type Step } from "./step.js";
import { systemWords } from "./system-words.js";
import { writeTree } from "./tree.js";
import type { Reason, Recovery } from "./types.js";
import type { Work } from "./work.js";
import { isOursWhole, type Workshop } from "./workshop.js";

/** What work came to. */
export interface Performed {
  /** Under which it can be undone. */
  id: string;
  /** Where files stand that lost attributes. */
  bared: string[];
}

/** Does the work, whole; throws a Refusal when nothing was done. */
export async function perform(
  shop: Workshop,
  work: Work[],
  { undoes, backups, holder }: Pick<Entry, "undoes" | "holder"> & { backups: string[] },
): Promise<Performed> {
  const { disk, journal, lock } = shop;
  const steps = work.map(({ step }) => step);
  // An undo is not undone itself: what it replaces is held while it runs, and needs no image.
  const entry = await begin(shop, { undoes, steps, backups, ...(holder === undefined ? {} : { holder }) });
  const bared: string[] = [];
  let at: Step | undefined;
  try {
    for (const part of work) {
      at = part.step;
      if (!(await stage(disk, part)) && at.kind === "swap") bared.push(at.after);
    }
    await lock.check();
    for (const step of steps) {
      at = step;
      await runStep(disk, step);
    }
    for (const step of steps) {
      at = step;
      if (!(await heldIsKnown(disk, step))) throw Object.assign(new Error("changed"), { code: "ECHANGED" });
    }
    at = undefined;
    await syncFolders(disk, steps);
    await lock.check();
    await journal.mark(entry.id, "committed");
  } catch (error) {
    throw await giveUp(shop, entry, at, error);
  }
  await finish(shop, entry).catch((error: unknown) => {
    // It has happened; what is not written down yet is so by whoever takes the lock next.
    if (systemWords(error) === undefined) throw error;
  });
  return { id: entry.id, bared };
}

/** Finishes or rolls back what dead processes left; the lock makes sure that they are dead. */
export async function recover(shop: Workshop): Promise<Recovery[]> {
  const recoveries: Recovery[] = [];
  for (const { id, stage: reached } of await shop.journal.list()) {
    if (reached === "nothing") await shop.journal.forget(id);
    if (reached !== "begun" && reached !== "committed") continue;
    const recovery = await recoverEntry(shop, id, reached).catch((error: unknown) => {
      const words = systemWords(error);
      if (words === undefined) throw error;
      return conflict(`an unfinished edit cannot be looked at now: ${words}`);
    });
    recoveries.push(recovery);
  }
  return recoveries;
}

async function recoverEntry(shop: Workshop, id: string, reached: "begun" | "committed"): Promise<Recovery> {
  const entry = await shop.journal.read(id);
  if (entry === undefined) {
    await shop.journal.mark(id, "left");
    return conflict("the record of an unfinished edit is damaged");
  }
  if (!isOursWhole(shop.gate, entry))
    return conflict("an unfinished edit is about files that are not part of the workspace now");
  if (reached === "committed") {
    await finish(shop, entry);
    return { outcome: "finished", reasons: [] };
  }
  const { reasons } = await rollBack(shop, entry);
  return { outcome: reasons.length === 0 ? "rolled-back" : "conflict", reasons };
}

function conflict(message: string): Recovery {
  return { outcome: "conflict", reasons: [{ code: "edit/left-behind", path: ".", message }] };
}

async function begin({ disk, journal, gate }: Workshop, entry: Omit<Entry, "id">): Promise<Entry> {
  const images = entry.undoes === null ? saveImages(disk, gate, entry.steps) : noImages();
  try {
    return await journal.begin(entry, images);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const words = systemWords(error);
    if (words === undefined) throw error;
    throw new Refusal("edit/no-journal", `The journal cannot be written: ${words}. Nothing was changed.`);
  }
}

/** What the journal must keep of steps. */
export function imageBytes(steps: Step[]): number {
  return steps.flatMap(imagesOf).reduce((sum, { state }) => sum + state.size, 0);
}

/** The files that a step replaces or removes, each with the object that notes where its image begins. */
function imagesOf(step: Step): { path: string; state: FileState; holder: { image: Slice | null } }[] {
  if (step.kind === "swap") return [{ path: step.path, state: step.before, holder: step }];
  if (step.kind !== "take") return [];
  return filesOf(step.tree, step.path).map(({ path, file }) => ({ path, state: file.state, holder: file }));
}

/** The bytes of everything that will be replaced or removed; notes in the steps where each begins. */
async function* saveImages(disk: Disk, gate: Gate, steps: Step[]): AsyncIterable<Uint8Array> {
  let offset = 0;
  for (const { path, state, holder } of steps.flatMap(imagesOf)) {
    const hash = createHash("sha256");
    const begin = offset;
    for await (const piece of disk.pieces(path)) {
      hash.update(piece);
      offset += piece.length;
      yield piece;
    }
    holder.image = { offset: begin, length: offset - begin };
    if (hash.digest("hex") !== state.sha256)
      throw refuseEdit([{ code: "edit/changed", path: shownAs(gate, path), message: "changed meanwhile" }]);
  }
}

async function* noImages(): AsyncIterable<Uint8Array> {}

/** Writes what a step will put in place; false when that lacks attributes which the file has. */
async function stage(disk: Disk, { step, content }: Work): Promise<boolean> {
  if (content === undefined) return true;
  if (step.kind === "place") await writeTree(disk, step.staged, step.tree, content);
  if (step.kind !== "swap") return true;
  return disk.writeLike(step.path, step.staged, content(null).bytes, step.now);
}

/** Rolls back after a failure and says what it was. */
async function giveUp(shop: Workshop, entry: Entry, at: Step | undefined, error: unknown): Promise<unknown> {
  const { reasons } = await rollBack(shop, entry);
  const words = systemWords(error);
  if (words === undefined && !(error instanceof Refusal)) return error;
  const path = at === undefined ? "." : shownAs(shop.gate, placesOf(at)[0] ?? "");
  const code = words === undefined ? "edit/busy" : isChange(error) ? "edit/changed" : "edit/failed";
  const reason: Reason = { code, path, message: words ?? "another process has taken over" };
  if (reasons.length > 0)
    return refuseEdit(
      [reason, ...reasons],
      "edit/left-behind",
      "The edit failed and could not be undone whole",
    );
  return code === "edit/failed"
    ? refuseEdit([reason], code, "The edit failed; everything is as it was before")
    : refuseEdit([reason]);
}

/** Takes every step back, last first. The journal forgets the edit when nothing of it is left. */
async function rollBack(shop: Workshop, entry: Entry): Promise<{ reasons: Reason[] }> {
  const reasons: Reason[] = [];
  let retry = false;
  for (const step of entry.steps.toReversed()) {
    const path = shownAs(shop.gate, placesOf(step)[0] ?? "");
    try {
      const message = await unrunStep(shop.disk, step);
      if (message !== undefined) reasons.push({ code: "edit/left-behind", path, message });
    } catch (error) {
      const words = systemWords(error);
      if (words === undefined) throw error;
      retry = true;
      reasons.push({ code: "edit/left-behind", path, message: `could not be put back yet: ${words}` });
    }
  }
  if (retry) return { reasons };
  await syncFolders(shop.disk, entry.steps);
  if (reasons.length === 0) await shop.journal.forget(entry.id);
  else await shop.journal.mark(entry.id, "left");
  return { reasons };
}

/** Makes the names in all folders that the steps touched last. */
async function syncFolders(disk: Disk, steps: Step[]): Promise<void> {
  const paths = steps.flatMap((step, index) =>
    placesAndHidden(step).flatMap((path) => [path, placeAfter(path, steps.slice(index + 1))]),
  );
  const folders = paths.map((path) => dirname(path));
  for (const folder of uniqueBy(folders, (path) => path))
    await disk.sync(folder).catch((error: unknown) => {
      if (!isAbsence(error)) throw error;
    });
}

function placesAndHidden(step: Step): string[] {
  return [...placesOf(step), ...hiddenOf(step)];
}

function isChange(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ECHANGED";
}
