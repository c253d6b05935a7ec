/**
 * Previews: diff and token of a plan; checks that files still match a preview. `patch` and `git apply` can read the
 * diffs, which jsdiff makes. The token covers all changes and file hashes.
 */
import { formatPatch, OMIT_HEADERS, type StructuredPatchHunk, structuredPatch } from "diff";
import { sha256 } from "../../base/hash.js";
import { canonicalText } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { Gate } from "../gate-types.js";
import { filesInTree } from "./disk.js";
import { ABSENT, shownPath, tolerate } from "./errors.js";
import type { EditPlan } from "./plan-edit.js";
import type { EditContext, PlannedFile } from "./planned-tree.js";
import { decodeText, sortChanges, wholeChange } from "./text-edits.js";
import type { ApplyOptions, Change, FilePreview, Preview, Reason, TextChange } from "./types.js";

const CONTEXT_LINES = 3;
const MAX_EDIT_LENGTH = 1000;
const FULL_EFFORT_FILES = 20;

export async function previewPlan(context: EditContext, changes: Change[], plan: EditPlan): Promise<Preview> {
  const kept = plan.tree.files.filter((file) => !file.removed);
  const files = kept.map((file) => previewFile(context, file, maxEditLength(kept.length)));
  for (const operation of plan.pathOperations) {
    if (operation.kind !== "take") continue;
    for (const { path, file } of filesInTree(operation.tree, operation.path)) {
      const removed = { ...emptyPreview(context.gate, path, null), beforeSha256: file.state.sha256 };
      const isSingle = operation.tree.kind === "file";
      files.push(isSingle ? { ...removed, ...(await removalDiff(context, removed)) } : removed);
    }
  }
  const sorted = sortBy(files, ({ shown, shownAfter }) => [shown, shownAfter ?? undefined]);
  const { operations, reasons } = plan;
  const states = sorted.map((file) => [file.shown, file.shownAfter, file.beforeSha256, file.afterSha256]);
  const token = `edit-${sha256(canonicalText({ changes, states, operations })).slice(0, 20)}`;
  return { changes, files: sorted, operations, reasons, token };
}

function previewFile({ gate, limits }: EditContext, file: PlannedFile, editLength: number): FilePreview {
  const { original } = file;
  const after = file.textAfter();
  const bytes = file.bytesAfter();
  const afterSha256 = bytes === null ? (original?.sha256 ?? null) : sha256(bytes);
  const changes = changesOf(file);
  const preview: FilePreview = {
    ...emptyPreview(gate, original?.path ?? file.path, file.path),
    beforeSha256: original?.sha256 ?? null,
    afterSha256,
    changes,
    before: changes.length > 0 ? (original?.text?.text ?? null) : null,
  };
  if (original !== null) {
    if (afterSha256 === original.sha256) return preview;
    preview.otherLinks = original.entry.links - 1;
    // Only the superuser can give a file to another user.
    preview.losesOwner = ![undefined, 0, original.entry.uid].includes(process.geteuid?.());
    if (!original.text) return { ...preview, diff: `Binary file ${preview.shown} is replaced\n` };
  }
  const sides = {
    before: original?.text ? { shown: preview.shown, text: original.text.text } : null,
    after: after === null ? null : { shown: preview.shownAfter ?? preview.shown, text: after.text },
  };
  return { ...preview, ...unifiedDiff(sides, limits.diffChars, editLength) };
}

/** The changes of a file, relative to its text on disk. */
function changesOf(file: PlannedFile): TextChange[] {
  const after = file.textAfter();
  if (after === null) return [];
  if (!file.original?.text) return [{ start: 0, end: 0, newText: after.text }];
  const changes = file.changesOnDisk();
  if (changes !== undefined) return sortChanges(changes);
  const before = file.original.text.text;
  return before === after.text ? [] : [wholeChange(before, after.text)];
}

async function removalDiff(
  { disk, limits }: EditContext,
  { path, shown, beforeSha256 }: FilePreview,
): Promise<Pick<FilePreview, "diff" | "diffCut">> {
  const bytes = await tolerate([...ABSENT, "EFBIG"], disk.read(path, limits.fileBytes));
  const text = bytes && sha256(bytes) === beforeSha256 ? decodeText(bytes)?.text : undefined;
  if (text === undefined) return { diff: `Binary file ${shown} is deleted\n`, diffCut: false };
  return unifiedDiff({ before: { shown, text }, after: null }, limits.diffChars);
}

function emptyPreview(gate: Gate, path: string, after: string | null): FilePreview {
  return {
    path,
    shown: shownPath(gate, path),
    shownAfter: after === null ? null : shownPath(gate, after),
    beforeSha256: null,
    afterSha256: null,
    before: null,
    changes: [],
    diff: "",
    diffCut: false,
    otherLinks: 0,
    losesOwner: false,
  };
}

/** Hashes before the edit, by shown path. */
export function beforeHashes({ files }: Preview): Map<string, string | null> {
  return new Map(files.map(({ shown, beforeSha256 }) => [shown, beforeSha256]));
}

/** The files that changed since a preview; "." when none is known to have. */
export function changedSince(before: ReadonlyMap<string, string | null>, now: Preview): Reason[] {
  const changed = now.files.filter(({ shown, beforeSha256 }) => (before.get(shown) ?? null) !== beforeSha256);
  const paths = changed.length > 0 ? changed.map(({ shown }) => shown) : ["."];
  return paths.map((path) => ({ code: "edit/changed", path, message: "changed since the preview" }));
}

/** How the hashes that a caller expects differ from the files. */
export function checkExpected(preview: Preview, expected: ApplyOptions["expected"]): Reason[] {
  if (expected === undefined) return [];
  const reasons: Reason[] = [];
  const remaining = new Map(Object.entries(expected));
  for (const { shown, beforeSha256 } of preview.files) {
    if (beforeSha256 === null) continue;
    const hash = remaining.get(shown);
    remaining.delete(shown);
    if (hash === undefined)
      reasons.push({ code: "edit/unexpected", path: shown, message: "has no expected hash" });
    else if (hash.toLowerCase() !== beforeSha256)
      reasons.push({ code: "edit/changed", path: shown, message: "has another hash than expected" });
  }
  for (const path of remaining.keys())
    reasons.push({ code: "edit/unexpected", path, message: "is expected but not part of the edit" });
  return reasons;
}

/** A file before and after; null where it does not exist. */
interface DiffSides {
  before: { shown: string; text: string } | null;
  after: { shown: string; text: string } | null;
}

/** The number of differing lines up to which lines are compared; smaller for many files, to bound the time for all. */
export function maxEditLength(files: number): number {
  return Math.floor(MAX_EDIT_LENGTH * Math.sqrt(FULL_EFFORT_FILES / Math.max(files, FULL_EFFORT_FILES)));
}

/** The diff of one file; empty when the text does not change. Cut after a line when longer than `maxChars`. */
export function unifiedDiff(
  { before, after }: DiffSides,
  maxChars: number,
  editLength = MAX_EDIT_LENGTH,
): Pick<FilePreview, "diff" | "diffCut"> {
  const oldText = before?.text ?? "";
  const newText = after?.text ?? "";
  if (before !== null && after !== null && oldText === newText) return { diff: "", diffCut: false };
  const options = { context: CONTEXT_LINES, maxEditLength: editLength };
  const patch = structuredPatch("", "", oldText, newText, "", "", options);
  // No hunks: an empty file is created or removed. No patch: too many lines differ.
  const hunks = patch?.hunks.length ? patch.hunks : [wholeFileHunk(oldText, newText)];
  const body = formatPatch({ ...structuredPatch("", "", "", "", "", ""), hunks }, OMIT_HEADERS);
  const diff = `--- ${fileName("a", before?.shown)}\n+++ ${fileName("b", after?.shown)}\n${body}`;
  if (diff.length <= maxChars) return { diff, diffCut: false };
  return { diff: diff.slice(0, diff.lastIndexOf("\n", maxChars - 1) + 1), diffCut: true };
}

/** A hunk that replaces the whole text. */
function wholeFileHunk(oldText: string, newText: string): StructuredPatchHunk {
  const countLines = (text: string) => (text.match(/\n|[^\n]$/g) ?? []).length;
  return {
    oldStart: 1,
    oldLines: countLines(oldText),
    newStart: 1,
    newLines: countLines(newText),
    lines: [...markedLines("-", oldText), ...markedLines("+", newText)],
  };
}

function markedLines(mark: string, text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const marked = lines.map((line) => mark + line);
  return last === "" ? marked : [...marked, mark + last, "\\ No newline at end of file"];
}

/** The name in a diff header. jsdiff would also escape letters that are not ASCII. */
function fileName(side: string, shown: string | undefined): string {
  if (shown === undefined) return "/dev/null";
  const name = `${side}/${shown}`;
  const isPlain = [...name].every((character) => character >= " " && character !== '"' && character !== "\\");
  return isPlain ? name : JSON.stringify(name);
}
