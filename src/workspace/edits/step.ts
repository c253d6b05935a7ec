/**
 * The steps that an edit is made of, as the journal keeps them. Each can be taken back while it is not certain how far
 * it came: what it replaces or removes is held beside it under a name of its own until the whole edit is committed.
 */
import { basename, isAbsolute } from "node:path";
import { isTable } from "../../base/json.js";
import type { Owner, Slice } from "./disk.js";

const hiddenName = /^\.lsp-proxy-[0-9a-f]{32}$/;

/** A file's content and owner. */
export interface FileState extends Owner {
  sha256: string;
  size: number;
}

/** Something with everything below it. */
export type Tree =
  | { kind: "file"; state: FileState; image: Slice | null }
  | { kind: "folder"; owner: Owner; entries: { name: string; tree: Tree }[] }
  | { kind: "link"; target: string };

export type Step =
  | {
      /** A file gets another content. */
      kind: "swap";
      path: string;
      /** Where the later steps bring the file. */
      after: string;
      before: FileState;
      now: FileState;
      staged: string;
      held: string;
      /** The content before, in the journal. */
      image: Slice | null;
    }
  | { kind: "make-folder"; path: string; owner: Owner | null }
  /** Removes a folder if it is empty. */
  | { kind: "remove-folder"; path: string; owner: Owner | null }
  | {
      kind: "move";
      from: string;
      to: string;
      folder: boolean;
      /** What is moved, unless an earlier step makes it. */
      identity: string | null;
      /** A file's content. */
      sha256: string | null;
    }
  /** Something new appears. */
  | { kind: "place"; path: string; tree: Tree; staged: string }
  /** Something goes. */
  | { kind: "take"; path: string; tree: Tree; held: string };

/** The paths at which a step works, besides its own hidden names. */
export function placesOf(step: Step): string[] {
  return step.kind === "move" ? [step.from, step.to] : [step.path];
}

/** The hidden names of a step. */
export function hiddenOf(step: Step): string[] {
  if (step.kind === "swap") return [step.staged, step.held];
  if (step.kind === "place") return [step.staged];
  return step.kind === "take" ? [step.held] : [];
}

/** The files of a tree with their paths. */
export function filesOf(tree: Tree, path: string): { path: string; file: Extract<Tree, { kind: "file" }> }[] {
  if (tree.kind === "file") return [{ path, file: tree }];
  if (tree.kind === "link") return [];
  return tree.entries.flatMap((entry) => filesOf(entry.tree, `${path}/${entry.name}`));
}

/** The paths of a tree, its own first. */
export function placesIn(tree: Tree, path: string): string[] {
  if (tree.kind !== "folder") return [path];
  return [path, ...tree.entries.flatMap((entry) => placesIn(entry.tree, `${path}/${entry.name}`))];
}

/** Whether something read from a journal can be a step: its kind is known and its paths are what they must be. */
export function isStep(value: unknown): value is Step {
  if (!isTable(value)) return false;
  const paths = pathMembers[String(value.kind)];
  if (paths === undefined) return false;
  return paths.every((member) => {
    const path = value[member];
    if (typeof path !== "string" || !isAbsolute(path)) return false;
    return !["staged", "held"].includes(member) || hiddenName.test(basename(path));
  });
}

const pathMembers: { [kind: string]: string[] } = {
  swap: ["path", "after", "staged", "held"],
  "make-folder": ["path"],
  "remove-folder": ["path"],
  move: ["from", "to"],
  place: ["path", "staged"],
  take: ["path", "held"],
};
