/**
 * Builds the steps of a planned edit, with the bytes that each writes: contents first, where the files are now, then
 * paths in the order of the changes. Backup copies are steps of the edit like all others.
 */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { sha256 } from "../../base/hash.js";
import { isInside } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import { type ContentOf, type Disk, type FileState, type Owner, ownerOf, type Tree } from "./disk.js";
import { refuseEdit } from "./errors.js";
import type { Journal } from "./journal.js";
import type { EditPlan, PathOperation } from "./plan-edit.js";
import type { EditContext, PlannedFile } from "./planned-tree.js";
import { pathAfter, pathsOf, type Step, type StepOf } from "./steps.js";
import type { Reason } from "./types.js";

/** A step, and for one that writes, the content. */
export interface PreparedStep {
  step: Step;
  contentOf?: ContentOf;
}

/** Chooses unguessable hidden names beside paths, outside of the folders that the edit moves or removes. */
export class HiddenNames {
  constructor(
    private readonly disk: Disk,
    private readonly touched: string[],
  ) {}

  async beside(path: string): Promise<string> {
    let folder = dirname(path);
    while (dirname(folder) !== folder && !(await this.#isStable(folder))) folder = dirname(folder);
    return join(folder, `.lsp-proxy-${randomBytes(16).toString("hex")}`);
  }

  async #isStable(folder: string): Promise<boolean> {
    if (this.touched.some((other) => isInside(folder, other))) return false;
    return (await this.disk.stat(folder))?.kind === "folder";
  }
}

export async function buildSteps(disk: Disk, plan: EditPlan): Promise<PreparedStep[]> {
  const touched = plan.pathOperations.flatMap((operation) =>
    operation.kind === "move" ? [operation.from, operation.to] : [operation.path],
  );
  const names = new HiddenNames(disk, touched);
  const swaps = await Promise.all(plan.files.map((file) => swapStep(names, file)));
  const rest = await Promise.all(plan.pathOperations.map((operation) => pathStep(names, operation)));
  return [...swaps.filter((step) => step !== undefined), ...rest];
}

async function swapStep(names: HiddenNames, file: PlannedFile): Promise<PreparedStep | undefined> {
  const bytes = file.bytesAfter();
  if (file.original === null || file.removed || bytes === null) return undefined;
  const { path, entry, sha256: hash } = file.original;
  const now = stateOf(bytes, entry);
  if (now.sha256 === hash) return undefined;
  const before = { sha256: hash, size: entry.size, ...ownerOf(entry) };
  return {
    step: {
      ...{ kind: "swap", path, after: file.path, before, now, image: null },
      ...{ staged: await names.beside(path), held: await names.beside(path) },
    },
    contentOf: () => ({ bytes, keepOwner: true }),
  };
}

async function pathStep(names: HiddenNames, operation: PathOperation): Promise<PreparedStep> {
  if (operation.kind === "make-folder") return { step: { ...operation, owner: null } };
  if (operation.kind === "take") return { step: { ...operation, held: await names.beside(operation.path) } };
  if (operation.kind === "place")
    return placeStep(names, operation.path, operation.file.bytesAfter() ?? Buffer.alloc(0), null);
  const { from, to, entry, file } = operation;
  const bytes = file?.bytesAfter() ?? null;
  const hash = bytes === null ? (file?.original?.sha256 ?? null) : sha256(bytes);
  // A file whose content changes has another inode by the time it moves.
  const isSameFile = entry !== null && (hash === null || hash === file?.original?.sha256);
  const identity = isSameFile ? entry.identity : null;
  return { step: { kind: "move", from, to, folder: entry?.kind === "folder", identity, sha256: hash } };
}

/** A step that creates a file; without an owner it gets the system's defaults. */
async function placeStep(
  names: HiddenNames,
  path: string,
  bytes: Uint8Array,
  owner: Owner | null,
): Promise<PreparedStep> {
  const state = stateOf(bytes, owner ?? { mode: 0, uid: 0, gid: 0 });
  const tree: Tree = { kind: "file", state, image: null };
  return {
    step: { kind: "place", path, tree, staged: await names.beside(path) },
    contentOf: () => ({ bytes, keepOwner: owner !== null }),
  };
}

function stateOf(bytes: Uint8Array, owner: Owner): FileState {
  return { sha256: sha256(bytes), size: bytes.length, ...ownerOf(owner) };
}

const validSuffix = /^[^/\\:\0]{1,64}$/;

/** Steps that copy the old text of each edited file beside it. They run before all others. */
export async function backupSteps(
  context: EditContext & { journal: Journal },
  prepared: PreparedStep[],
  suffix: string,
): Promise<{ prepared: PreparedStep[]; paths: string[] }> {
  if (!validSuffix.test(suffix) || suffix === "." || suffix === "..")
    throw new Refusal("guard/invalid-arguments", "The backup suffix may not be empty or contain / \\ or :.");
  const steps = prepared.map(({ step }) => step);
  const reasons: Reason[] = [];
  const copies: PreparedStep[] = [];
  const paths: string[] = [];
  for (const step of steps) {
    if (step.kind !== "swap") continue;
    try {
      copies.push(await backupStep(context, steps, step, step.path + suffix));
      paths.push(step.path + suffix);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const placed = context.gate.place(step.path);
      const path = placed instanceof Refusal ? "a backup" : placed.shown + suffix;
      reasons.push({ code: error.code, path, message: error.message });
    }
  }
  if (reasons.length > 0) throw refuseEdit(reasons);
  return { prepared: copies, paths };
}

/** Replaces an earlier backup that the journal knows, never another file. */
async function backupStep(
  { disk, gate, protectedPaths, limits, journal }: EditContext & { journal: Journal },
  steps: Step[],
  edited: StepOf<"swap">,
  path: string,
): Promise<PreparedStep> {
  const admitted = await gate.admitEntry(path);
  protectedPaths.refuse(admitted.path);
  if (steps.some((step) => "path" in step && step.path === path))
    throw new Refusal("edit/exists", "is a file of the edit itself and cannot be a backup");
  const bytes = await disk.read(edited.path, limits.fileBytes);
  const touched = steps.flatMap((step) => (step.kind === "swap" ? [] : pathsOf(step)));
  const names = new HiddenNames(disk, touched);
  const found = await disk.stat(admitted.path);
  if (found === undefined) return placeStep(names, path, bytes, edited.before);
  if (found.kind !== "file") throw new Refusal("edit/exists", "exists and is not a file");
  const before = stateOf(await disk.read(path, limits.fileBytes), found);
  if (before.sha256 !== sha256(bytes) && !(await journal.isBackup(path, before.sha256)))
    throw new Refusal("edit/exists", "exists and is not an earlier backup; move it away");
  return {
    step: {
      ...{ kind: "swap", path, after: pathAfter(path, steps), before, now: stateOf(bytes, found) },
      ...{ staged: await names.beside(path), held: await names.beside(path), image: null },
    },
    contentOf: () => ({ bytes, keepOwner: true }),
  };
}
