/** What the engine tells of an edit, in the dialect's words: places from offsets, files by name, counts of what is. */
import { resolve } from "node:path";
import { fileUri } from "../../base/file-uri.js";
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { Lines } from "../../base/text.js";
import { newDocumentKey } from "../../protocol/edit-arguments.js";
import { documentKey, spanNames, spellSpan } from "../../protocol/spelling.js";
import type {
  AppliedFile,
  AppliedOperation,
  FilePreview,
  OperationPreview,
  Preview,
  Undone,
} from "../../workspace/edits/types.js";
import type { CallState } from "../call-state.js";
import { pointAt } from "./offsets.js";
import { partsOf } from "./parts.js";

/** Files, single edits and operations of an edit. */
export interface Summary {
  [member: string]: number;
  files: number;
  edits: number;
  operations: number;
}

/** A preview's items: operations in their order, then files by path, large ones in parts where there are pages. */
export function spellPreview(call: CallState, { operations, files }: Preview): Json[] {
  const { maxPageChars, maxTextChars, maxTotalChars } = call.plan.limits;
  const page = Math.min(maxPageChars, maxTextChars, maxTotalChars);
  return [
    ...operations.map((operation) => spellOperation(call, operation)),
    ...files.flatMap((file) => {
      const spelt = spellFile(call, file);
      return call.tool.page === null ? [spelt] : partsOf(spelt, page, (edit) => endOf(call, edit));
    }),
  ];
}

/** The end of an edit's span as a span of its own. */
function endOf({ plan: { dialect } }: CallState, edit: JsonObject): JsonObject {
  if (isTable(edit.range)) return { range: { start: edit.range.end ?? null, end: edit.range.end ?? null } };
  const { line, character, endLine, endCharacter } = spanNames(dialect);
  const end = { line: edit[endLine] ?? null, character: edit[endCharacter] ?? null };
  return {
    ...{ [line]: end.line, [character]: end.character },
    ...{ [endLine]: end.line, [endCharacter]: end.character },
  };
}

/** How much a preview would change, counted as it will be when done; a file that only moves is no changed file. */
export function summaryOfPreview({ operations, files }: Preview): Summary {
  return {
    files: files.filter(({ beforeSha256, afterSha256 }) => beforeSha256 !== afterSha256).length,
    edits: files.reduce((sum, { changes }) => sum + changes.length, 0),
    operations: operations.reduce((sum, operation) => sum + namesChanged(operation), 0),
  };
}

/** A create over a file changes its text and no name; a rename over a file removes that one first. */
function namesChanged({ kind, overwrites, skipped }: OperationPreview): number {
  if (skipped || (kind === "create" && overwrites)) return 0;
  return kind === "rename" && overwrites ? 2 : 1;
}

/** What was done, without texts: the same items with the hashes that the files have now. */
export function spellApplied(call: CallState, { operations, files }: Undone): Json[] {
  return [
    ...operations.map((operation) => appliedOperation(call, operation)),
    ...files.map((file) => appliedFile(call, file)),
  ];
}

/** How much was changed. */
export function summaryOfApplied({ operations, files }: Undone): Summary {
  return {
    files: files.length,
    edits: files.reduce((sum, { changes }) => sum + changes, 0),
    operations: operations.length,
  };
}

function spellOperation(call: CallState, operation: OperationPreview): JsonObject {
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

function spellFile(call: CallState, file: FilePreview): JsonObject {
  const { shown, shownAfter, beforeSha256, afterSha256, before, changes, diff, diffCut, otherLinks } = file;
  const { dialect } = call.plan;
  const lines = before === null ? undefined : new Lines(before);
  const { unit } = dialect.position;
  const edits = changes.map(({ start, end, newText, note }): JsonObject => {
    const span =
      lines === undefined
        ? {}
        : spellSpan(dialect, { start: pointAt(lines, start, unit), end: pointAt(lines, end, unit) });
    return { ...span, new_text: newText, ...(note === undefined ? {} : { note }) };
  });
  return {
    ...named(call, shown),
    ...(shownAfter === null || shownAfter === shown ? {} : renamed(call, shownAfter)),
    before_sha256: beforeSha256,
    after_sha256: afterSha256,
    edit_count: changes.length,
    ...(lines === undefined ? {} : { edits }),
    ...(diff === "" ? {} : { diff }),
    ...(diffCut ? { cut: true } : {}),
    ...(otherLinks > 0 ? { other_links: otherLinks } : {}),
  };
}

function appliedOperation(call: CallState, operation: AppliedOperation): JsonObject {
  const { kind, shown, shownTo, folder } = operation;
  return {
    ...named(call, shown),
    operation: kind,
    ...(shownTo === undefined ? {} : renamed(call, shownTo)),
    ...(folder ? { folder } : {}),
  };
}

function appliedFile(
  call: CallState,
  { shown, beforeSha256, afterSha256, changes }: AppliedFile,
): JsonObject {
  return {
    ...named(call, shown),
    before_sha256: beforeSha256,
    after_sha256: afterSha256,
    edit_count: changes,
  };
}

function named(call: CallState, shown: string): JsonObject {
  return { [documentKey(call.plan.dialect)]: spelt(call, shown) };
}

function renamed(call: CallState, shown: string): JsonObject {
  return { [newDocumentKey(call.plan.dialect)]: spelt(call, shown) };
}

/** Shown paths start at the first root. */
function spelt(call: CallState, shown: string): string {
  if (call.plan.dialect.document.form === "path") return shown;
  return fileUri(resolve(call.gate.roots[0] ?? "", shown));
}
