/**
 * Renders previews and applied edits as answer items in the dialect's form. A large file is split into parts that
 * fit a page: joined, the diffs of the parts give the whole diff; a long replacement is split into one edit and
 * further insertions at its end.
 */
import { resolve } from "node:path";
import type { Json, JsonObject } from "../../base/json.js";
import { fileUri } from "../../base/paths.js";
import { Lines } from "../../base/text.js";
import { documentKey, formatRange } from "../../protocol/dialect-format.js";
import { newDocumentKey } from "../../protocol/edit-arguments.js";
import type {
  EditOutcome,
  FilePreview,
  OperationPreview,
  Preview,
  TextChange,
} from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";
import { pointAt } from "./proposed-edit.js";

/** Largest size of the diff and of the edits in one part, in characters and as a share of a page. */
const MAX_PART_CHARS = 6000;
const PART_SHARE = 1 / 8;

/** The items of a preview: operations in order, then files by path. */
export function renderPreview(call: CallState, { operations, files }: Preview): Json[] {
  const { maxPageChars, maxTextChars, maxTotalChars } = call.plan.limits;
  const pageChars = Math.min(maxPageChars, maxTextChars, maxTotalChars);
  const partChars = Math.min(MAX_PART_CHARS, Math.floor(pageChars * PART_SHARE));
  const maxChars = call.tool.page === null ? Number.POSITIVE_INFINITY : partChars;
  return [
    ...operations.map((operation) => renderOperation(call, operation)),
    ...files.flatMap((file) => splitIntoParts(renderFile(call, file, maxChars), maxChars)),
  ];
}

/** The items of an applied or undone edit: the same without texts. */
export function renderApplied(
  call: CallState,
  { operations, files }: Pick<EditOutcome, "operations" | "files">,
): Json[] {
  return [
    ...operations.map(({ kind, shown, shownTo, folder }) => ({
      ...named(call, shown),
      operation: kind,
      ...(shownTo === undefined ? {} : renamed(call, shownTo)),
      ...(folder ? { folder } : {}),
    })),
    ...files.map(({ shown, beforeSha256, afterSha256, changes }) => ({
      ...named(call, shown),
      before_sha256: beforeSha256,
      after_sha256: afterSha256,
      edit_count: changes,
    })),
  ];
}

/** Counts what a preview would change, as it is counted when applied; a file that only moves is not counted. */
export function summarizePreview({ operations, files }: Preview): JsonObject {
  return {
    files: files.filter(({ beforeSha256, afterSha256 }) => beforeSha256 !== afterSha256).length,
    edits: files.reduce((sum, { changes }) => sum + changes.length, 0),
    operations: operations.reduce((sum, operation) => sum + countPaths(operation), 0),
  };
}

export function summarizeApplied({
  operations,
  files,
}: Pick<EditOutcome, "operations" | "files">): JsonObject {
  return {
    files: files.length,
    edits: files.reduce((sum, { changes }) => sum + changes, 0),
    operations: operations.length,
  };
}

/** Overwriting by create changes no path; overwriting by rename also removes the target. */
function countPaths({ kind, overwrites, skipped }: OperationPreview): number {
  if (skipped || (kind === "create" && overwrites)) return 0;
  return kind === "rename" && overwrites ? 2 : 1;
}

function renderOperation(call: CallState, operation: OperationPreview): JsonObject {
  const { kind, path, to, folder, files, overwrites, skipped, note } = operation;
  return {
    ...named(call, path),
    operation: kind,
    ...(to === undefined ? {} : renamed(call, to)),
    ...(folder ? { folder, files } : {}),
    ...(overwrites ? { overwrites } : {}),
    ...(skipped ? { skipped } : {}),
    ...(note === undefined ? {} : { note }),
  };
}

function renderFile(call: CallState, file: FilePreview, maxChars: number): JsonObject {
  const { shown, shownAfter, beforeSha256, afterSha256, before, changes, diff, diffCut, otherLinks } = file;
  const { dialect } = call.plan;
  const lines = before === null ? undefined : new Lines(before);
  const { unit } = dialect.position;
  const shortChanges = changes.flatMap((change) => splitChange(change, maxChars));
  const edits =
    lines &&
    shortChanges.map(({ start, end, newText, ...rest }): JsonObject => {
      const span = { start: pointAt(lines, start, unit), end: pointAt(lines, end, unit) };
      return { ...formatRange(dialect, span), new_text: newText, ...rest };
    });
  return {
    ...named(call, shown),
    ...(shownAfter === null || shownAfter === shown ? {} : renamed(call, shownAfter)),
    before_sha256: beforeSha256,
    after_sha256: afterSha256,
    edit_count: changes.length,
    ...(edits === undefined ? {} : { edits }),
    ...(diff === "" ? {} : { diff }),
    ...(diffCut ? { cut: true } : {}),
    ...(otherLinks > 0 ? { other_links: otherLinks } : {}),
  };
}

function named(call: CallState, shown: string): JsonObject {
  return { [documentKey(call.plan.dialect)]: documentName(call, shown) };
}

function renamed(call: CallState, shown: string): JsonObject {
  return { [newDocumentKey(call.plan.dialect)]: documentName(call, shown) };
}

function documentName(call: CallState, shown: string): string {
  if (call.plan.dialect.document.form === "path") return shown;
  return fileUri(resolve(call.gate.roots[0] ?? "", shown));
}

/** Splits a rendered file into parts of this size; a small file stays whole. */
export function splitIntoParts(file: JsonObject, maxChars: number): JsonObject[] {
  const { edits, diff, ...rest } = file;
  const diffLines = typeof diff === "string" ? (diff.match(/[^\n]*\n|[^\n]+$/g) ?? []) : [];
  const shortLines = diffLines.flatMap((line) => splitText(line, maxChars));
  const editParts = groupBySize(Array.isArray(edits) ? edits : [], maxChars);
  const diffParts = groupBySize(shortLines, maxChars).map((lines) => lines.join(""));
  const parts = Math.max(editParts.length, diffParts.length);
  if (parts < 2) return [file];
  return Array.from({ length: parts }, (_, index) => ({
    ...rest,
    part: index + 1,
    parts,
    ...(edits === undefined ? {} : { edits: editParts[index] ?? [] }),
    ...(diffParts[index] === undefined ? {} : { diff: diffParts[index] }),
  }));
}

/** Groups items so that each group has at most `maxChars` characters as JSON, unless it has one item. */
function groupBySize<T extends Json>(items: readonly T[], maxChars: number): T[][] {
  const groups: T[][] = [];
  let used = 0;
  for (const item of items) {
    const size = JSON.stringify(item).length;
    if (groups.length === 0 || used + size > maxChars) {
      groups.push([]);
      used = 0;
    }
    groups.at(-1)?.push(item);
    used += size;
  }
  return groups;
}

/** Splits a change with a long text: the rest continues as insertions at its end. */
export function splitChange(change: TextChange, maxChars: number): (TextChange & { continues?: true })[] {
  const [first = "", ...more] = splitText(change.newText, maxChars);
  const { end } = change;
  const rest = more.map((newText) => ({ start: end, end, newText, continues: true as const }));
  return [{ ...change, newText: first }, ...rest];
}

/** Splits a text that is too long as JSON, never within a character. */
function splitText(text: string, maxChars: number): string[] {
  if (JSON.stringify(text).length <= maxChars) return [text];
  const pieces: string[] = [];
  let piece = "";
  let used = 0;
  for (const character of text) {
    const size = JSON.stringify(character).length - 2;
    if (used + size > maxChars / 2 && piece !== "") {
      pieces.push(piece);
      piece = "";
      used = 0;
    }
    piece += character;
    used += size;
  }
  return [...pieces, piece];
}
