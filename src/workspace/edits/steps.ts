/**
 * The steps of an edit: how each is done and reverted. No step renames over a path: it moves what is there to a hidden
 * name, looks at that, and fills the path only while it is free. So a save by another program is never replaced.
 * Reverting inspects the disk, so it works after a kill at any point and may be repeated.
 */
import { basename, dirname, isAbsolute, relative } from "node:path";
import { isTable } from "../../base/json.js";
import { pathAfterMove } from "../../base/paths.js";
import {
  type ByteRange,
  type Disk,
  type FileState,
  hashFile,
  isSameTree,
  type Owner,
  type Tree,
} from "./disk.js";
import { ABSENT, systemError, tolerate } from "./errors.js";

const hiddenName = /^\.lsp-proxy-[0-9a-f]{32}$/;

/**
 * The journal stores steps: do not rename kinds or members. `staged` and `held` are hidden names of new and old files.
 */
export type Step =
  | {
      kind: "swap";
      path: string;
      /** Where later steps move the file. */
      after: string;
      before: FileState;
      now: FileState;
      staged: string;
      held: string;
      image: ByteRange | null;
    }
  | { kind: "make-folder"; path: string; owner: Owner | null }
  /** Removes a folder if it is empty. */
  | { kind: "remove-folder"; path: string; owner: Owner | null }
  | {
      kind: "move";
      from: string;
      to: string;
      folder: boolean;
      /** The moved entry; null when an earlier step creates it. */
      identity: string | null;
      /** The content of a moved file. */
      sha256: string | null;
      /** Where a file is for a moment, between its two paths. */
      held: string;
    }
  /** Creates something; its content is staged under a hidden name. */
  | { kind: "place"; path: string; tree: Tree; staged: string }
  /** Removes something by moving it to a hidden name. */
  | { kind: "take"; path: string; tree: Tree; held: string };

export type StepOf<Kind extends Step["kind"]> = Extract<Step, { kind: Kind }>;

const pathMembers: { [kind: string]: string[] } = {
  swap: ["path", "after", "staged", "held"],
  "make-folder": ["path"],
  "remove-folder": ["path"],
  move: ["from", "to", "held"],
  place: ["path", "staged"],
  take: ["path", "held"],
};

/** Whether a value read from the journal is a step: a known kind with valid paths. */
export function isStep(value: unknown): value is Step {
  if (!isTable(value)) return false;
  const members = pathMembers[String(value.kind)];
  if (members === undefined) return false;
  return members.every((member) => {
    const path = value[member];
    if (typeof path !== "string" || !isAbsolute(path)) return false;
    return !["staged", "held"].includes(member) || hiddenName.test(basename(path));
  });
}

/** The paths of a step, without hidden names. */
export function pathsOf(step: { path: string } | { from: string; to: string }): [string, ...string[]] {
  return "from" in step ? [step.from, step.to] : [step.path];
}

export function hiddenPathsOf(step: Step): string[] {
  return [...("staged" in step ? [step.staged] : []), ...("held" in step ? [step.held] : [])];
}

/** Where the moves among later steps bring a path. */
export function pathAfter(path: string, later: Step[]): string {
  const moves = later.filter((step) => step.kind === "move");
  return moves.reduce((at, { from, to }) => pathAfterMove(at, from, to), path);
}

/** Does a step whose content is staged. False when a save in the same instant could have been replaced unseen. */
export async function doStep(disk: Disk, step: Step): Promise<boolean> {
  if (step.kind === "swap") {
    const exchanged = disk.exchange(step.staged, step.path, step.held);
    const isExact = await tolerate(["ENOENT", "EEXIST"], exchanged);
    if (isExact === undefined) throw changed();
    return isExact;
  }
  if (step.kind === "place") return disk.moveToFree(step.staged, step.path);
  if (step.kind === "move") return doMove(disk, step);
  if (step.kind === "make-folder") await disk.makeFolder(step.path, step.owner ?? "default");
  else if (step.kind === "remove-folder") await removeIfEmpty(disk, step.path);
  else await disk.rename(step.path, step.held);
  return true;
}

/** Takes the file away from its path first, so that what is saved there afterwards stays there. */
async function doMove(disk: Disk, step: StepOf<"move">): Promise<boolean> {
  const found = await disk.stat(step.from);
  if (found === undefined || (step.identity !== null && found.identity !== step.identity)) throw changed();
  if (step.folder) return disk.moveToFree(step.from, step.to);
  await disk.rename(step.from, step.held);
  if (!(await isMoved(disk, step, step.held))) throw changed();
  return disk.moveToFree(step.held, step.to);
}

/** Throws ECHANGED when what a step holds is not what the preview showed. */
export async function checkHeld(disk: Disk, step: Step): Promise<void> {
  if ((step.kind === "swap" || step.kind === "take") && !(await isHeldUnchanged(disk, step, "whole")))
    throw changed();
}

/** Whether a step holds what the preview showed, or a part of it when removing it was begun. */
export function isHeldUnchanged(
  disk: Disk,
  step: StepOf<"swap" | "take">,
  part: "whole" | "part",
): Promise<boolean> {
  return isSameTree(disk, step.held, step.kind === "swap" ? fileTree(step.before) : step.tree, part);
}

/** Reverts a step as far as it was done. Returns a message when somebody else's change was kept instead. */
export async function revertStep(disk: Disk, step: Step): Promise<string | undefined> {
  if (step.kind === "swap") return revertSwap(disk, step);
  if (step.kind === "place") return revertPlace(disk, step);
  if (step.kind === "take") return putBack(disk, step.held, step.path);
  if (step.kind === "move") return revertMove(disk, step);
  if (step.kind === "make-folder") await removeIfEmpty(disk, step.path);
  else if ((await disk.stat(step.path)) === undefined)
    await disk.makeFolder(step.path, step.owner ?? "default");
  return undefined;
}

/**
 * Reverts a swap. Its file has four names: `path`; `staged`, the new text before the swap; `held`, the old file after
 * it; `back`, what this roll-back took from the path. What is found there, and what is done:
 *
 * | staged | held | back    | path            |                                                               |
 * |--------|------|---------|-----------------|---------------------------------------------------------------|
 * | yes    | no   | no      | old file, free  | not begun: staged is removed                                  |
 * | yes    | yes  | no      | free            | killed within the swap: held returns, staged is removed       |
 * | yes    | yes  | no      | anything        | staged is removed, then as below                              |
 * | no     | no   | no      | anything        | reverted before: nothing                                      |
 * | no     | yes  | no      | same as held    | killed while held returned: the name `held` is removed        |
 * | no     | yes  | no      | new text        | held is exchanged with the path, which becomes back; as below |
 * | no     | yes  | no      | somebody's save | the save stays, held is kept and reported                     |
 * | no     | any  | new text| any             | held returns unless it has, back is removed                   |
 * | no     | any  | a save  | old file        | the save returns to the path, the old file is kept as held    |
 * | no     | any  | a save  | free            | the save returns to the path; held, if there, is kept         |
 * | no     | any  | a save  | another save    | the later save stays; back, and held if there, are kept       |
 */
async function revertSwap(disk: Disk, step: StepOf<"swap">): Promise<string | undefined> {
  const { path, staged, held } = step;
  const back = backName(held);
  const atHeld = await disk.stat(held);
  const atPath = await disk.stat(path);
  if ((await disk.stat(staged)) !== undefined) {
    const isWithin = atHeld !== undefined && atPath === undefined;
    const message = isWithin ? await putBack(disk, held, path) : undefined;
    await disk.unlink(staged);
    if (message !== undefined || atPath === undefined) return message;
  }
  if ((await disk.stat(back)) === undefined) {
    if (atHeld === undefined || atHeld.identity === atPath?.identity) return putBack(disk, held, path);
    if (!(await isSameTree(disk, path, fileTree(step.now)))) return keptVersions(disk, path, [held]);
    // When the path was taken within the exchange, what is there is looked at below.
    await tolerate(["EEXIST"], disk.exchange(held, path, back));
  }
  return settleSwap(disk, step, back);
}

/** The rows with `back`: our own text is removed, somebody's save returns to its path. */
async function settleSwap(disk: Disk, step: StepOf<"swap">, back: string): Promise<string | undefined> {
  const { path, held } = step;
  if (await isSameTree(disk, back, fileTree(step.now))) {
    const message = await putBack(disk, held, path);
    await disk.unlink(back);
    return message;
  }
  const atBack = await disk.stat(back);
  const atHeld = await disk.stat(held);
  const atPath = await disk.stat(path);
  const isOldAtPath = atHeld === undefined || atHeld.identity === atPath?.identity;
  if (atPath !== undefined && atPath.identity !== atBack?.identity && isOldAtPath) {
    if (atHeld !== undefined) await disk.unlink(held);
    await tolerate(["EEXIST"], disk.exchange(back, path, held));
  }
  await putBack(disk, back, path);
  return keptVersions(disk, path, [held, back]);
}

async function revertPlace(disk: Disk, step: StepOf<"place">): Promise<string | undefined> {
  const back = backName(step.staged);
  const message = "was changed meanwhile and was not removed";
  const staged = await disk.stat(step.staged);
  const placed = await disk.stat(step.path);
  if (staged !== undefined) {
    await disk.removeTree(step.staged);
    // Both names lead to one file after a kill between making the new name and removing the old one.
    if (placed?.identity !== staged.identity) return undefined;
  }
  if ((await disk.stat(back)) === undefined) {
    if (placed === undefined) return undefined;
    if (!(await isSameTree(disk, step.path, step.tree))) return message;
    await disk.rename(step.path, back);
  }
  if (!(await isSameTree(disk, back, step.tree, "part")))
    return (await putBack(disk, back, step.path)) ?? message;
  await disk.removeTree(back);
  return undefined;
}

async function revertMove(disk: Disk, step: StepOf<"move">): Promise<string | undefined> {
  const held = step.folder ? undefined : await disk.stat(step.held);
  const from = await disk.stat(step.from);
  const to = await disk.stat(step.to);
  if (held !== undefined) {
    if (held.identity !== to?.identity) return putBack(disk, step.held, step.from);
    await disk.unlink(step.held);
  }
  if (to === undefined) return undefined;
  const stays = `was changed meanwhile and stays at ${nameFrom(step.from, step.to)}`;
  if (!(await isMoved(disk, step, step.to))) return from === undefined ? stays : undefined;
  if (from !== undefined && from.identity !== to.identity)
    return `was created again meanwhile; the moved one stays at ${nameFrom(step.from, step.to)}`;
  if (step.folder) {
    await disk.moveToFree(step.to, step.from);
    return undefined;
  }
  await disk.rename(step.to, step.held);
  if (await isMoved(disk, step, step.held)) return putBack(disk, step.held, step.from);
  return (await putBack(disk, step.held, step.to)) ?? stays;
}

/** Whether a path has what a step moves. */
async function isMoved(disk: Disk, step: StepOf<"move">, path: string): Promise<boolean> {
  const found = await disk.stat(path);
  if (step.identity !== null) return found?.identity === step.identity;
  return found?.kind === "file" && (await hashFile(disk, path)) === step.sha256;
}

/** Moves something from its hidden name to its path. Returns a message when something else is there: both stay. */
async function putBack(disk: Disk, hidden: string, path: string): Promise<string | undefined> {
  const kept = await disk.stat(hidden);
  const now = await disk.stat(path);
  if (kept === undefined) return undefined;
  // Killed between making the new name and removing the hidden one.
  if (kept.identity === now?.identity) await disk.unlink(hidden);
  else if (now !== undefined || (await tolerate(["EEXIST"], disk.moveToFree(hidden, path))) === undefined)
    return keptVersions(disk, path, [hidden]);
  return undefined;
}

/** Says that somebody's change stays at a path, and which other versions exist. */
async function keptVersions(disk: Disk, path: string, hidden: string[]): Promise<string> {
  const names: string[] = [];
  for (const name of hidden) {
    if ((await disk.stat(name)) !== undefined) names.push(nameFrom(path, name));
  }
  return `was changed by another program and was left as is; the earlier version is in ${names.join(" and ")}`;
}

/** The name that takes what a roll-back finds at a path, until it was looked at. */
function backName(hidden: string): string {
  return `${hidden}-back`;
}

/** How to find a path from the folder of another. */
export function nameFrom(path: string, other: string): string {
  return relative(dirname(path), other);
}

function fileTree(state: FileState): Tree {
  return { kind: "file", state, image: null };
}

async function removeIfEmpty(disk: Disk, folder: string): Promise<void> {
  await tolerate([...ABSENT, "ENOTEMPTY", "EEXIST"], disk.removeFolder(folder));
}

function changed(): Error {
  return systemError("ECHANGED", "another file is there");
}
