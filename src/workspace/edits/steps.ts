/**
 * The steps of an edit: how each is done and reverted. A step keeps what it replaces under a hidden name beside it until
 * the edit is committed. Reverting inspects the disk, so it works after a kill at any point and may be repeated.
 */
import { basename, dirname, isAbsolute } from "node:path";
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

const NO_HARD_LINKS = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"];

const hiddenName = /^\.lsp-proxy-[0-9a-f]{32}$/;

/** The journal stores steps: do not rename kinds or members. `staged` and `held` are hidden names of new and old files. */
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
  move: ["from", "to"],
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

/** Does a step whose content is staged. */
export async function doStep(disk: Disk, step: Step): Promise<void> {
  if (step.kind === "swap") {
    const found = await disk.stat(step.path);
    if (found === undefined) throw changed();
    // The hidden name keeps the old content whatever happens to its path.
    if (!(await tryLink(disk, step.path, step.held)))
      await disk.writeLike(step.path, step.held, disk.readChunks(step.path), step.before);
    return disk.replace(step.staged, step.path, found.identity);
  }
  if (step.kind === "make-folder") return disk.makeFolder(step.path, step.owner ?? "default");
  if (step.kind === "remove-folder") return removeIfEmpty(disk, step.path);
  if (step.kind === "place") return moveWithoutReplacing(disk, step.staged, step.path);
  if (step.kind === "take") return disk.rename(step.path, step.held);
  const found = await disk.stat(step.from);
  if (found === undefined || (step.identity !== null && found.identity !== step.identity)) throw changed();
  return moveWithoutReplacing(disk, step.from, step.to);
}

/** Throws ECHANGED when what a step holds is not what the preview showed. */
export async function checkHeld(disk: Disk, step: Step): Promise<void> {
  if (step.kind === "swap" && (await hashFile(disk, step.held)) !== step.before.sha256) throw changed();
  if (step.kind === "take" && !(await isSameTree(disk, step.held, step.tree))) throw changed();
}

/** Reverts a step as far as it was done. Returns a message when somebody else's change was kept instead. */
export async function revertStep(disk: Disk, step: Step): Promise<string | undefined> {
  if (step.kind === "swap") return revertSwap(disk, step);
  if (step.kind === "place") return revertPlace(disk, step);
  if (step.kind === "take") return revertTake(disk, step);
  if (step.kind === "move") await revertMove(disk, step);
  else if (step.kind === "make-folder") await removeIfEmpty(disk, step.path);
  else if ((await disk.stat(step.path)) === undefined)
    await disk.makeFolder(step.path, step.owner ?? "default");
  return undefined;
}

async function revertSwap(disk: Disk, step: StepOf<"swap">): Promise<string | undefined> {
  const [staged, held] = [await disk.stat(step.staged), await disk.stat(step.held)];
  // While the new content is staged, the file is untouched.
  if (staged !== undefined) {
    await disk.unlink(step.staged);
    if (held !== undefined) await disk.unlink(step.held);
    return undefined;
  }
  if (held === undefined) return undefined;
  const now = await disk.stat(step.path);
  if (now?.identity === held.identity) await disk.unlink(step.held);
  else if (now?.kind === "file" && (await hashFile(disk, step.path)) === step.now.sha256)
    await disk.rename(step.held, step.path);
  else return `was changed meanwhile; its earlier content is beside it in ${basename(step.held)}`;
  return undefined;
}

async function revertPlace(disk: Disk, step: StepOf<"place">): Promise<string | undefined> {
  const [staged, placed] = [await disk.stat(step.staged), await disk.stat(step.path)];
  if (staged === undefined) {
    if (placed === undefined) return undefined;
    if (!(await isSameTree(disk, step.path, step.tree))) return "was changed meanwhile and was not removed";
    await disk.rename(step.path, step.staged);
  } else if (placed?.identity === staged.identity) await disk.unlink(step.path);
  await disk.removeTree(step.staged);
  return undefined;
}

async function revertTake(disk: Disk, step: StepOf<"take">): Promise<string | undefined> {
  const [held, now] = [await disk.stat(step.held), await disk.stat(step.path)];
  if (held === undefined) return undefined;
  if (now !== undefined && now.identity !== held.identity)
    return `was created again meanwhile; the deleted one is beside it in ${basename(step.held)}`;
  if (now === undefined) await moveWithoutReplacing(disk, step.held, step.path);
  else await disk.unlink(step.held);
  return undefined;
}

async function revertMove(disk: Disk, step: StepOf<"move">): Promise<void> {
  const [from, to] = [await disk.stat(step.from), await disk.stat(step.to)];
  if (to === undefined) return;
  const isMoved =
    step.identity === null
      ? to.kind === "file" && (await hashFile(disk, step.to)) === step.sha256
      : to.identity === step.identity;
  if (!isMoved) return;
  if (from === undefined || isCaseVariant(step.from, step.to))
    await moveWithoutReplacing(disk, step.to, step.from);
  else if (from.identity === to.identity) await disk.unlink(step.to);
}

/** Makes a hard link; false where the file system has none. */
async function tryLink(disk: Disk, from: string, to: string): Promise<boolean> {
  const isLinked = disk.link(from, to).then(() => true);
  return (await tolerate(NO_HARD_LINKS, isLinked)) ?? false;
}

/** Moves something to a free path; what appears there meanwhile is not replaced. */
async function moveWithoutReplacing(disk: Disk, from: string, to: string): Promise<void> {
  const isVariant = isCaseVariant(from, to);
  if (!isVariant) {
    const isFile = (await disk.stat(from))?.kind === "file";
    if (isFile && (await tryLink(disk, from, to))) return disk.unlink(from);
    if ((await disk.stat(to)) !== undefined) throw systemError("EEXIST", "the target exists");
  }
  await disk.rename(from, to);
}

/** Whether two paths differ only in case: some file systems take them for one. */
function isCaseVariant(from: string, to: string): boolean {
  return dirname(from) === dirname(to) && from.toLowerCase() === to.toLowerCase();
}

async function removeIfEmpty(disk: Disk, folder: string): Promise<void> {
  await tolerate([...ABSENT, "ENOTEMPTY", "EEXIST"], disk.removeFolder(folder));
}

function changed(): Error {
  return systemError("ECHANGED", "another file is there");
}
