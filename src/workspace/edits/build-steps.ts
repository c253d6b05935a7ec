/**
 * Builds the steps of a planned edit, with the bytes that each writes: contents first, where the files are now, then
 * paths in the order of the changes. Backup copies are steps of the edit like all others.
 */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { sha256 } from "../../base/hash.js";
import { isInside } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import {
  type Content,
  type ContentOf,
  type Disk,
  type FileState,
  type Owner,
  ownerOf,
  type Tree,
} from "./disk.js";
import { reasonOf, refuseEdit, shownPath } from "./errors.js";
import type { JournalContext } from "./journal.js";
import type { EditPlan, PathOperation } from "./plan-edit.js";
import type { PlannedFile } from "./planned-tree.js";
import { pathAfter, pathsOf, type Step, type StepOf } from "./steps.js";
import type { Reason } from "./types.js";

export interface PreparedStep {
  step: Step;
  contentOf?: ContentOf;
}

/** Gives an unguessable hidden name beside a path. */
export type NameBeside = (path: string) => Promise<string>;

/** Chooses hidden names outside of the folders that an edit moves or removes, whose paths are `touched`. */
export function hiddenNames(disk: Disk, touched: string[]): NameBeside {
  const isStable = async (folder: string): Promise<boolean> =>
    !touched.some((other) => isInside(folder, other)) && (await disk.stat(folder))?.kind === "folder";
  return async (path) => {
    let folder = dirname(path);
    while (dirname(folder) !== folder && !(await isStable(folder))) folder = dirname(folder);
    return join(folder, `.lsp-proxy-${randomBytes(16).toString("hex")}`);
  };
}

export async function buildSteps(disk: Disk, plan: EditPlan): Promise<PreparedStep[]> {
  const beside = hiddenNames(disk, plan.pathOperations.flatMap(pathsOf));
  const contents = await Promise.all(plan.tree.files.map((file) => contentStep(beside, file)));
  const rest = await Promise.all(plan.pathOperations.map((operation) => pathStep(beside, operation)));
  return [...contents.flat(), ...rest];
}

async function contentStep(beside: NameBeside, file: PlannedFile): Promise<PreparedStep[]> {
  const bytes = file.bytesAfter();
  if (file.original === null || file.removed || bytes === null) return [];
  const { path, entry, sha256: hash } = file.original;
  const now = stateOf(bytes, entry);
  if (now.sha256 === hash) return [];
  const before = { sha256: hash, size: entry.size, ...ownerOf(entry) };
  return [await swapStep(beside, { path, after: file.path, before, now }, bytes)];
}

export async function swapStep(
  beside: NameBeside,
  swap: Pick<StepOf<"swap">, "path" | "after" | "before" | "now">,
  bytes: Content,
): Promise<PreparedStep> {
  const staged = await beside(swap.path);
  const held = await beside(swap.path);
  return {
    step: { kind: "swap", ...swap, image: null, staged, held },
    contentOf: () => ({ bytes, keepOwner: true }),
  };
}

async function pathStep(beside: NameBeside, operation: PathOperation): Promise<PreparedStep> {
  if (operation.kind === "make-folder") return { step: { ...operation, owner: null } };
  if (operation.kind === "take") return { step: { ...operation, held: await beside(operation.path) } };
  if (operation.kind === "place")
    return placeStep(beside, operation.path, operation.file.bytesAfter() ?? Buffer.alloc(0), null);
  const { from, to, entry, file } = operation;
  const bytes = file?.bytesAfter() ?? null;
  const hash = bytes === null ? (file?.original?.sha256 ?? null) : sha256(bytes);
  // A file whose content changes has another inode by the time it moves.
  const isSameFile = entry !== null && (hash === null || hash === file?.original?.sha256);
  const identity = isSameFile ? entry.identity : null;
  const held = await beside(from);
  return { step: { kind: "move", from, to, folder: entry?.kind === "folder", identity, sha256: hash, held } };
}

/** A step that creates a file; without an owner it gets the system's defaults. */
async function placeStep(
  beside: NameBeside,
  path: string,
  bytes: Uint8Array,
  owner: Owner | null,
): Promise<PreparedStep> {
  const state = stateOf(bytes, owner ?? { mode: 0, uid: 0, gid: 0 });
  const tree: Tree = { kind: "file", state, image: null };
  return {
    step: { kind: "place", path, tree, staged: await beside(path) },
    contentOf: () => ({ bytes, keepOwner: owner !== null }),
  };
}

function stateOf(bytes: Uint8Array, owner: Owner): FileState {
  return { sha256: sha256(bytes), size: bytes.length, ...ownerOf(owner) };
}

const validSuffix = /^[^/\\:\0]{1,64}$/;

/** Steps that copy the old text of each edited file beside it. They run before all others. */
export async function backupSteps(
  context: JournalContext,
  prepared: PreparedStep[],
  suffix: string,
): Promise<PreparedStep[]> {
  if (!validSuffix.test(suffix) || suffix === "." || suffix === "..")
    throw new Refusal("guard/invalid-arguments", "The backup suffix may not be empty or contain / \\ or :.");
  const steps = prepared.map(({ step }) => step);
  const reasons: Reason[] = [];
  const copies: PreparedStep[] = [];
  for (const step of steps) {
    if (step.kind !== "swap") continue;
    try {
      copies.push(await backupStep(context, steps, step, step.path + suffix));
    } catch (error) {
      reasons.push(reasonOf(error, shownPath(context.gate, step.path) + suffix, "guard/not-a-file"));
    }
  }
  if (reasons.length > 0) throw refuseEdit(reasons);
  return copies;
}

/** Replaces an earlier backup that the journal knows, never another file. */
async function backupStep(
  { disk, gate, protectedPaths, limits, journal }: JournalContext,
  steps: Step[],
  edited: StepOf<"swap">,
  path: string,
): Promise<PreparedStep> {
  const admitted = await gate.admitEntry(path);
  protectedPaths.refuse(admitted.path);
  if (steps.some((step) => "path" in step && step.path === path))
    throw new Refusal("edit/exists", "is a file of the edit itself and cannot be a backup");
  const bytes = await disk.read(edited.path, limits.fileBytes);
  const beside = hiddenNames(disk, pathsOfOperations(steps));
  const found = await disk.stat(admitted.path);
  if (found === undefined) return placeStep(beside, path, bytes, edited.before);
  if (found.kind !== "file") throw new Refusal("edit/exists", "exists and is not a file");
  const before = stateOf(await disk.read(path, limits.fileBytes), found);
  if (before.sha256 !== sha256(bytes) && !(await journal.isBackup(path, before.sha256)))
    throw new Refusal("edit/exists", "exists and is not an earlier backup; move it away");
  const now = stateOf(bytes, found);
  return swapStep(beside, { path, after: pathAfter(path, steps), before, now }, bytes);
}

/** The paths of steps that create, move or remove something. */
export function pathsOfOperations(steps: Step[]): string[] {
  return steps.flatMap((step) => (step.kind === "swap" ? [] : pathsOf(step)));
}
