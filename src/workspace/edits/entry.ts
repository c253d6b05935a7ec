/** One edit as the journal has it: its steps, and how far it came. */
import { isTable } from "../../base/json.js";
import { isStep, type Step, type Tree } from "./step.js";

/** The steps of one edit, and the edit that it undoes. */
export interface Entry {
  id: string;
  undoes: string | null;
  steps: Step[];
  /** Whose it is, where others edit the same workspace through this proxy; nobody else may take it back. */
  holder?: string | undefined;
  /** The paths among its steps that are copies of old texts, made because somebody asked for them. */
  backups?: string[];
}

/**
 * How far an edit came: `begun` may have changed files; `committed` has changed all; `done` can be undone; `undone` was;
 * `left` could not be rolled back whole and is only kept. What is done or undone may still hold old files until it is
 * clean.
 */
export type Stage = "begun" | "committed" | "done" | "undone" | "left";

/** Whether a process may have died over an edit that came so far. */
export function isUnfinished(stage: Stage | "nothing"): boolean {
  return stage === "begun" || stage === "committed";
}

/** Whether something read from a disk is an edit. */
export function isEntry(value: unknown): value is Entry {
  if (!isTable(value) || value.version !== 1 || !Array.isArray(value.steps)) return false;
  if (value.undoes !== null && typeof value.undoes !== "string") return false;
  if (value.holder !== undefined && typeof value.holder !== "string") return false;
  if (value.backups !== undefined && !Array.isArray(value.backups)) return false;
  return typeof value.id === "string" && value.steps.every(isStep);
}

/** The hash of a file; undefined for anything else. */
export function contentOf(tree: Tree): string | undefined {
  return tree.kind === "file" ? tree.state.sha256 : undefined;
}
