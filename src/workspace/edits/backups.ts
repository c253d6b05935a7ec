/**
 * Copies of the old texts beside the edited files, for those who ask for them; part of the edit like everything else. A
 * copy takes the place of an earlier copy of ours, never of another file.
 */

import { sha256 } from "../../base/hash.js";
import { Refusal } from "../../base/problem.js";
import type { Journal } from "./journal.js";
import { placeAfter } from "./outcome.js";
import { refuseEdit } from "./reasons.js";
import type { Surroundings } from "./scene.js";
import type { Step } from "./step.js";
import type { Reason } from "./types.js";
import { HiddenNames, placeOf, stateOf, type Work } from "./work.js";

const usableSuffix = /^[^/\\:\0]{1,64}$/;

/** The work that writes the copies, to be done before the rest, and their paths. */
export async function backupsOf(
  around: Surroundings & { journal: Journal },
  work: Work[],
  suffix: string,
): Promise<{ work: Work[]; paths: string[] }> {
  if (!usableSuffix.test(suffix) || suffix === "." || suffix === "..")
    throw new Refusal("guard/invalid-arguments", "The backup suffix may not be empty or hold / \\ or :.");
  const steps = work.map(({ step }) => step);
  const reasons: Reason[] = [];
  const copies: Work[] = [];
  for (const step of steps) {
    if (step.kind !== "swap") continue;
    try {
      copies.push(await copyOf(around, steps, step, step.path + suffix));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      reasons.push({
        code: error.code,
        path: shownBackup(around, step.path, suffix),
        message: error.message,
      });
    }
  }
  if (reasons.length > 0) throw refuseEdit(reasons);
  return { work: copies, paths: copies.flatMap(({ step }) => ("path" in step ? [step.path] : [])) };
}

async function copyOf(
  { disk, gate, ward, limits, journal }: Surroundings & { journal: Journal },
  steps: Step[],
  of: Extract<Step, { kind: "swap" }>,
  path: string,
): Promise<Work> {
  const admitted = await gate.admitEntry(path);
  ward.refuse(admitted.path);
  if (steps.some((step) => "path" in step && step.path === path))
    throw new Refusal("edit/exists", "is a file of the edit itself and cannot be a backup");
  const bytes = await disk.read(of.path, limits.fileBytes);
  const names = new HiddenNames(
    disk,
    steps.flatMap((step) =>
      step.kind === "swap" ? [] : "from" in step ? [step.from, step.to] : [step.path],
    ),
  );
  const found = await disk.look(admitted.path);
  if (found === undefined) return placeOf(names, path, bytes, of.before);
  if (found.kind !== "file") throw new Refusal("edit/exists", "is there and is not a file");
  const before = stateOf(await disk.read(path, limits.fileBytes), found);
  if (before.sha256 !== sha256(bytes) && !(await journal.isBackup(path, before.sha256)))
    throw new Refusal("edit/exists", "is there and is not known as an earlier backup; move it away");
  return {
    step: {
      ...{ kind: "swap", path, after: placeAfter(path, steps), before, now: stateOf(bytes, found) },
      ...{ staged: await names.beside(path), held: await names.beside(path), image: null },
    },
    content: () => ({ bytes, keepOwner: true }),
  };
}

function shownBackup({ gate }: Surroundings, path: string, suffix: string): string {
  const placed = gate.place(path);
  return placed instanceof Refusal ? "a backup" : placed.shown + suffix;
}
