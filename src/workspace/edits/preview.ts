/** What a draft shows: every file with its hashes, its changes and a diff, and a token for exactly this. */
import { sha256 } from "../../base/hash.js";
import { canonicalText } from "../../base/json.js";
import { sortBy } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import type { Gate } from "../types.js";
import { unifiedDiff } from "./diff.js";
import { type Disk, isAbsence } from "./disk.js";
import type { Draft } from "./draft.js";
import type { DraftFile } from "./draft-file.js";
import type { Surroundings } from "./scene.js";
import { filesOf } from "./step.js";
import { decodeText, sortChanges, wholeChange } from "./text.js";
import type { Change, FilePreview, Preview, TextChange } from "./types.js";

/** The preview of a draft. */
export async function previewDraft(around: Surroundings, changes: Change[], draft: Draft): Promise<Preview> {
  const kept = draft.files.filter((file) => !file.removed).map((file) => previewFile(around, file));
  const gone: FilePreview[] = [];
  for (const step of draft.rearrangements) {
    if (step.kind !== "take") continue;
    for (const { path, file } of filesOf(step.tree, step.path))
      gone.push({ ...bare(around.gate, path, null), beforeSha256: file.state.sha256 });
    const last = gone.at(-1);
    if (step.tree.kind === "file" && last !== undefined) Object.assign(last, await removalDiff(around, last));
  }
  const files = sortBy([...kept, ...gone], ({ shown, shownAfter }) => [shown, shownAfter ?? undefined]);
  const { operations, reasons } = draft;
  return { files, operations, reasons, token: tokenOf(changes, files, operations) };
}

function previewFile({ gate, limits }: Surroundings, file: DraftFile): FilePreview {
  const { origin } = file;
  const after = file.after();
  const bytes = file.bytes();
  const afterSha256 = bytes === null ? (origin?.sha256 ?? null) : sha256(bytes);
  const changes = changesOf(file);
  const preview: FilePreview = {
    ...bare(gate, origin?.path ?? file.path, file.path),
    ...{ beforeSha256: origin?.sha256 ?? null, afterSha256, changes },
    before: changes.length > 0 ? (origin?.text?.text ?? null) : null,
  };
  if (origin !== null && afterSha256 === origin.sha256) return preview;
  if (origin !== null) {
    preview.otherLinks = origin.found.links - 1;
    preview.losesOwner = !mayGiveTo(origin.found.uid);
  }
  if (origin !== null && !origin.text)
    return { ...preview, diff: `Binary file ${preview.shown} is replaced\n` };
  const { diff, cut } = unifiedDiff(
    {
      before: origin?.text ? { shown: preview.shown, text: origin.text.text } : null,
      after: after === null ? null : { shown: preview.shownAfter ?? preview.shown, text: after.text },
      changes,
    },
    limits.diffChars,
  );
  return { ...preview, diff, diffCut: cut };
}

/** Whether a new file can belong to a user: only the superuser gives files away. */
function mayGiveTo(uid: number): boolean {
  const own = process.geteuid?.();
  return own === undefined || own === 0 || own === uid;
}

/** The changes of a file's text, about the text on disk. */
function changesOf(file: DraftFile): TextChange[] {
  const after = file.after();
  if (after === null) return [];
  if (!file.origin?.text) return [{ start: 0, end: 0, newText: after.text }];
  const direct = file.directChanges();
  if (direct !== undefined) return sortChanges(direct);
  const before = file.origin.text.text;
  return before === after.text ? [] : [wholeChange(before, after.text)];
}

/** The diff of a file that goes, when it is text. */
async function removalDiff(
  { disk, limits }: { disk: Disk; limits: Surroundings["limits"] },
  { path, shown, beforeSha256 }: FilePreview,
): Promise<Partial<FilePreview>> {
  const bytes = await disk.read(path, limits.fileBytes).catch((error: unknown) => {
    if (isAbsence(error) || isTooLarge(error)) return undefined;
    throw error;
  });
  const text = bytes && sha256(bytes) === beforeSha256 ? decodeText(bytes)?.text : undefined;
  if (text === undefined) return { diff: `Binary file ${shown} is deleted\n` };
  const changes = [{ start: 0, end: text.length, newText: "" }];
  const { diff, cut } = unifiedDiff({ before: { shown, text }, after: null, changes }, limits.diffChars);
  return { diff, diffCut: cut };
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EFBIG";
}

function bare(gate: Gate, path: string, after: string | null): FilePreview {
  return {
    ...{ path, shown: shownAs(gate, path), shownAfter: after === null ? null : shownAs(gate, after) },
    ...{ beforeSha256: null, afterSha256: null, before: null, changes: [] },
    ...{ diff: "", diffCut: false, otherLinks: 0, losesOwner: false },
  };
}

/** How a path inside the roots is shown. */
export function shownAs(gate: Gate, path: string): string {
  const placed = gate.place(path);
  return placed instanceof Refusal ? "a path outside the workspace" : placed.shown;
}

function tokenOf(changes: Change[], files: FilePreview[], operations: Preview["operations"]): string {
  const states = files.map((file) => [file.shown, file.shownAfter, file.beforeSha256, file.afterSha256]);
  return `edit-${sha256(canonicalText({ changes, states, operations })).slice(0, 20)}`;
}
