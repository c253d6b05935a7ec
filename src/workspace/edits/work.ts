/**
 * Steps with what they write. Hidden names are chosen here: unguessable, beside the file they stand for, or, where that
 * folder itself moves or goes in the same edit, in the nearest folder above that stays.
 */
import { randomBytes } from "node:crypto";
import { dirname, join } from "node:path";
import { sha256 } from "../../base/hash.js";
import { isInside } from "../../base/paths.js";
import type { Content, Disk, Owner } from "./disk.js";
import type { Draft, Rearrangement } from "./draft.js";
import type { DraftFile } from "./draft-file.js";
import type { FileState, Step, Tree } from "./step.js";

/** A step, and for one that writes, the bytes of each file and whether the file belongs to whom its state says. */
export interface Work {
  step: Step;
  content?: (file: Extract<Tree, { kind: "file" }> | null) => { bytes: Content; keepOwner: boolean };
}

/** Gives out hidden names for steps that touch these paths. */
export class HiddenNames {
  constructor(
    private readonly disk: Disk,
    private readonly touched: string[],
  ) {}

  /** A new name beside a path. */
  async beside(path: string): Promise<string> {
    let folder = dirname(path);
    while (
      dirname(folder) !== folder &&
      (this.touched.some((other) => isInside(folder, other)) ||
        (await this.disk.look(folder))?.kind !== "folder")
    )
      folder = dirname(folder);
    return join(folder, `.lsp-proxy-${randomBytes(16).toString("hex")}`);
  }
}

/** The steps of a draft: contents first, where the files are now, then names in the order of the changes. */
export async function workOf(disk: Disk, draft: Draft): Promise<Work[]> {
  const names = new HiddenNames(disk, draft.rearrangements.flatMap(pathsOf));
  const swaps = await Promise.all(draft.files.map((file) => swapOf(names, file)));
  const rest = await Promise.all(draft.rearrangements.map((step) => rearrange(names, step)));
  return [...swaps.filter((work) => work !== undefined), ...rest];
}

async function swapOf(names: HiddenNames, file: DraftFile): Promise<Work | undefined> {
  const bytes = file.bytes();
  if (file.origin === null || file.removed || bytes === null) return undefined;
  const { path, found, sha256: before } = file.origin;
  const owner: Owner = { mode: found.mode, uid: found.uid, gid: found.gid };
  const now = stateOf(bytes, owner);
  if (now.sha256 === before) return undefined;
  const hidden = { staged: await names.beside(path), held: await names.beside(path) };
  const state = { sha256: before, size: found.size, ...owner };
  return {
    step: { kind: "swap", path, after: file.path, before: state, now, ...hidden, image: null },
    content: () => ({ bytes, keepOwner: true }),
  };
}

async function rearrange(names: HiddenNames, step: Rearrangement): Promise<Work> {
  if (step.kind === "make-folder") return { step: { ...step, owner: null } };
  if (step.kind === "take") return { step: { ...step, held: await names.beside(step.path) } };
  if (step.kind === "move") {
    const { from, to, found, file } = step;
    const bytes = file?.bytes() ?? null;
    const content = bytes === null ? (file?.origin?.sha256 ?? null) : sha256(bytes);
    // A file whose content changes is another one by the time it moves.
    const same = found !== null && (content === null || content === file?.origin?.sha256);
    const identity = same ? found.identity : null;
    return { step: { kind: "move", from, to, folder: found?.kind === "folder", identity, sha256: content } };
  }
  const bytes = step.file.bytes() ?? Buffer.alloc(0);
  return placeOf(names, step.path, bytes, null);
}

/** A step that makes a file; without an owner it gets what the system gives new files. */
export async function placeOf(
  names: HiddenNames,
  path: string,
  bytes: Uint8Array,
  owner: Owner | null,
): Promise<Work> {
  const state = stateOf(bytes, owner ?? { mode: 0, uid: 0, gid: 0 });
  const tree: Tree = { kind: "file", state, image: null };
  return {
    step: { kind: "place", path, tree, staged: await names.beside(path) },
    content: () => ({ bytes, keepOwner: owner !== null }),
  };
}

/** What is known of a file with these bytes. */
export function stateOf(bytes: Uint8Array, { mode, uid, gid }: Owner): FileState {
  return { sha256: sha256(bytes), size: bytes.length, mode, uid, gid };
}

function pathsOf(step: Rearrangement): string[] {
  return step.kind === "move" ? [step.from, step.to] : [step.path];
}
