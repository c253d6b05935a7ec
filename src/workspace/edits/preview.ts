/** Previews: what a plan changes in each file, with a diff, and a token that covers all changes and file hashes. */
import { sha256 } from "../../base/hash.js";
import { canonicalText } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import type { Gate } from "../types.js";
import { maxEditLength, unifiedDiff } from "./diff.js";
import { filesInTree } from "./disk.js";
import { isAbsent, shownPath, systemCode } from "./errors.js";
import type { EditPlan } from "./plan-edit.js";
import type { EditContext, PlannedFile } from "./planned-tree.js";
import { decodeText, sortChanges, wholeChange } from "./text-edits.js";
import type { ApplyOptions, Change, FilePreview, Preview, Reason, TextChange } from "./types.js";

export async function previewPlan(context: EditContext, changes: Change[], plan: EditPlan): Promise<Preview> {
  const kept = plan.files.filter((file) => !file.removed);
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
  return { changes, files: sorted, operations, reasons, token: tokenOf(changes, sorted, operations) };
}

function previewFile({ gate, limits }: EditContext, file: PlannedFile, editLength: number): FilePreview {
  const { original } = file;
  const after = file.textAfter();
  const bytes = file.bytesAfter();
  const afterSha256 = bytes === null ? (original?.sha256 ?? null) : sha256(bytes);
  const changes = changesOf(file);
  const preview: FilePreview = {
    ...emptyPreview(gate, original?.path ?? file.path, file.path),
    ...{ beforeSha256: original?.sha256 ?? null, afterSha256, changes },
    before: changes.length > 0 ? (original?.text?.text ?? null) : null,
  };
  if (original !== null) {
    if (afterSha256 === original.sha256) return preview;
    preview.otherLinks = original.entry.links - 1;
    preview.losesOwner = !canGiveTo(original.entry.uid);
    if (!original.text) return { ...preview, diff: `Binary file ${preview.shown} is replaced\n` };
  }
  const { diff, cut } = unifiedDiff(
    {
      before: original?.text ? { shown: preview.shown, text: original.text.text } : null,
      after: after === null ? null : { shown: preview.shownAfter ?? preview.shown, text: after.text },
    },
    limits.diffChars,
    editLength,
  );
  return { ...preview, diff, diffCut: cut };
}

/** Only the superuser can give a file to another user. */
function canGiveTo(uid: number): boolean {
  const own = process.geteuid?.();
  return own === undefined || own === 0 || own === uid;
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
  const bytes = await disk.read(path, limits.fileBytes).catch((error: unknown) => {
    if (isAbsent(error) || systemCode(error) === "EFBIG") return undefined;
    throw error;
  });
  const text = bytes && sha256(bytes) === beforeSha256 ? decodeText(bytes)?.text : undefined;
  if (text === undefined) return { diff: `Binary file ${shown} is deleted\n`, diffCut: false };
  const { diff, cut } = unifiedDiff({ before: { shown, text }, after: null }, limits.diffChars);
  return { diff, diffCut: cut };
}

function emptyPreview(gate: Gate, path: string, after: string | null): FilePreview {
  return {
    ...{ path, shown: shownPath(gate, path), shownAfter: after === null ? null : shownPath(gate, after) },
    ...{ beforeSha256: null, afterSha256: null, before: null, changes: [] },
    ...{ diff: "", diffCut: false, otherLinks: 0, losesOwner: false },
  };
}

function tokenOf(changes: Change[], files: FilePreview[], operations: Preview["operations"]): string {
  const states = files.map((file) => [file.shown, file.shownAfter, file.beforeSha256, file.afterSha256]);
  return `edit-${sha256(canonicalText({ changes, states, operations })).slice(0, 20)}`;
}

/** Hashes before the edit, by shown path. */
export type BeforeHashes = ReadonlyMap<string, string | null>;

export function beforeHashes({ files }: Preview): BeforeHashes {
  return new Map(files.map(({ shown, beforeSha256 }) => [shown, beforeSha256]));
}

/** The files that changed since a preview; "." when none is known to have. */
export function changedSince(before: BeforeHashes, now: Preview): Reason[] {
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
