/**
 * How a step is done, taken back, and finished. Taking back looks at what is there, not at what should be: it works
 * after a kill at any moment, may be repeated, and never overwrites what somebody else wrote since.
 */
import { dirname } from "node:path";
import { type Disk, type Found, hashFile, isAbsence, systemCode } from "./disk.js";
import type { FileState, Step } from "./step.js";
import { isSameTree } from "./tree.js";

const noLinks = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

/** Does a step whose files are staged. */
export async function runStep(disk: Disk, step: Step): Promise<void> {
  if (step.kind === "swap") {
    const found = await disk.look(step.path);
    if (found === undefined) throw changed();
    await holdFile(disk, step.path, step.held, step.before);
    return disk.replace(step.staged, step.path, found.identity);
  }
  if (step.kind === "make-folder") return disk.makeFolder(step.path, step.owner ?? "default");
  if (step.kind === "remove-folder") return removeIfEmpty(disk, step.path);
  if (step.kind === "place") return moveTo(disk, step.staged, step.path);
  if (step.kind === "take") return disk.rename(step.path, step.held);
  const found = await disk.look(step.from);
  if (found === undefined || (step.identity !== null && found.identity !== step.identity)) throw changed();
  return moveTo(disk, step.from, step.to);
}

/** Whether everything that a step holds is what it was when the edit was drafted. */
export async function heldIsKnown(disk: Disk, step: Step): Promise<boolean> {
  if (step.kind === "swap") return (await hashFile(disk, step.held)) === step.before.sha256;
  if (step.kind === "take") return isSameTree(disk, step.held, step.tree);
  return true;
}

/** What a step holds beside its place. */
export function heldBy(step: Step): string | undefined {
  return step.kind === "swap" || step.kind === "take" ? step.held : undefined;
}

/** Takes a step back as far as it was done; tells what somebody else changed meanwhile and was left alone. */
export async function unrunStep(disk: Disk, step: Step): Promise<string | undefined> {
  if (step.kind === "swap") return unswap(disk, step);
  if (step.kind === "place") return unplace(disk, step);
  if (step.kind === "take") return untake(disk, step);
  if (step.kind === "move") return unmove(disk, step);
  if (step.kind === "make-folder") await removeIfEmpty(disk, step.path);
  else if ((await disk.look(step.path)) === undefined)
    await disk.makeFolder(step.path, step.owner ?? "default");
  return undefined;
}

async function unswap(disk: Disk, step: Extract<Step, { kind: "swap" }>): Promise<string | undefined> {
  const [staged, held] = [await disk.look(step.staged), await disk.look(step.held)];
  // While the new content is still staged, the file was not touched.
  if (staged !== undefined) {
    await disk.unlink(step.staged);
    if (held !== undefined) await disk.unlink(step.held);
    return undefined;
  }
  if (held === undefined) return undefined;
  const now = await disk.look(step.path);
  if (now?.identity === held.identity) {
    await disk.unlink(step.held);
    return undefined;
  }
  if (now?.kind !== "file" || (await hashFile(disk, step.path)) !== step.now.sha256)
    return `was changed meanwhile and left as it is; its earlier content stands beside it in ${nameOf(step.held)}`;
  await disk.rename(step.held, step.path);
  return undefined;
}

async function unplace(disk: Disk, step: Extract<Step, { kind: "place" }>): Promise<string | undefined> {
  const [staged, placed] = [await disk.look(step.staged), await disk.look(step.path)];
  if (staged !== undefined) {
    if (placed?.identity === staged.identity) await disk.unlink(step.path);
    await disk.removeTree(step.staged);
    return undefined;
  }
  if (placed === undefined) return undefined;
  if (!(await isSameTree(disk, step.path, step.tree))) return "was changed meanwhile and left as it is";
  await disk.rename(step.path, step.staged);
  await disk.removeTree(step.staged);
  return undefined;
}

async function untake(disk: Disk, step: Extract<Step, { kind: "take" }>): Promise<string | undefined> {
  const [held, now] = [await disk.look(step.held), await disk.look(step.path)];
  if (held === undefined) return undefined;
  if (now === undefined) await moveTo(disk, step.held, step.path);
  else if (now.identity === held.identity) await disk.unlink(step.held);
  else return `is there anew and was left as it is; what stood there is beside it in ${nameOf(step.held)}`;
  return undefined;
}

async function unmove(disk: Disk, step: Extract<Step, { kind: "move" }>): Promise<string | undefined> {
  const [from, to] = [await disk.look(step.from), await disk.look(step.to)];
  if (to === undefined || !(await isWhatMoved(disk, step, to))) return undefined;
  if (from === undefined || isSpelling(step.from, step.to)) await moveTo(disk, step.to, step.from);
  else if (from.identity === to.identity) await disk.unlink(step.to);
  return undefined;
}

async function isWhatMoved(
  disk: Disk,
  step: Extract<Step, { kind: "move" }>,
  found: Found,
): Promise<boolean> {
  if (step.identity !== null) return found.identity === step.identity;
  return found.kind === "file" && (await hashFile(disk, step.to)) === step.sha256;
}

/** Gives a file a second, hidden name: its content stays whatever happens to the first. */
async function holdFile(disk: Disk, path: string, held: string, state: FileState): Promise<void> {
  try {
    await disk.link(path, held);
  } catch (error) {
    if (!noLinks.includes(systemCode(error))) throw error;
    await disk.writeLike(path, held, disk.pieces(path), state);
  }
}

/** Moves something to where nothing is; what appears there meanwhile is never replaced. */
async function moveTo(disk: Disk, from: string, to: string): Promise<void> {
  const spelling = isSpelling(from, to);
  if (!spelling && (await disk.look(from))?.kind === "file") {
    try {
      await disk.link(from, to);
      return await disk.unlink(from);
    } catch (error) {
      if (!noLinks.includes(systemCode(error))) throw error;
    }
  }
  if (!spelling && (await disk.look(to)) !== undefined)
    throw Object.assign(new Error("something is there"), { code: "EEXIST" });
  await disk.rename(from, to);
}

/** Whether two names differ in case only: on some file systems they are one. */
function isSpelling(from: string, to: string): boolean {
  return dirname(from) === dirname(to) && from.toLowerCase() === to.toLowerCase();
}

async function removeIfEmpty(disk: Disk, folder: string): Promise<void> {
  await disk.removeFolder(folder).catch((error: unknown) => {
    if (!isAbsence(error) && !["ENOTEMPTY", "EEXIST"].includes(systemCode(error))) throw error;
  });
}

function changed(): Error {
  return Object.assign(new Error("something else is there"), { code: "ECHANGED" });
}

function nameOf(path: string): string {
  return path.slice(dirname(path).length + 1);
}
