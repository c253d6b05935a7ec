/** What a transaction works with, and which edits it may touch at all. */
import { dirname } from "node:path";
import { Refusal } from "../../base/problem.js";
import type { Gate } from "../types.js";
import type { Disk } from "./disk.js";
import type { Entry } from "./entry.js";
import type { Journal } from "./journal.js";
import type { Lock } from "./lock.js";
import { hiddenOf, placesOf } from "./step.js";

/** What a transaction works with, while the lock is held. */
export interface Workshop {
  disk: Disk;
  gate: Gate;
  journal: Journal;
  lock: Lock;
}

/** Whether an edit is about files of the workspace only. */
export function isOursWhole(gate: Gate, { steps }: Entry): boolean {
  // A hidden name may be one that `deny` names (dot files, for one); its folder says where it is.
  const paths = steps.flatMap((step) => [...placesOf(step), ...hiddenOf(step).map((path) => dirname(path))]);
  return paths.every((path) => isOurs(gate, path));
}

function isOurs(gate: Gate, path: string): boolean {
  const placed = gate.place(path);
  return !(placed instanceof Refusal) && placed.writable;
}
