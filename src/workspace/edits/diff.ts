/** Unified diffs by jsdiff, bounded in time and length. `patch` and `git apply` read them. */
import { type StructuredPatchHunk, structuredPatch } from "diff";

const CONTEXT_LINES = 3;
const MAX_EDIT_LENGTH = 1000;

/** With more files, less effort is spent on each diff, so that all of them together stay bounded. */
const FULL_EFFORT_FILES = 20;

/** A file before and after; null where it does not exist. */
export interface DiffSides {
  before: { shown: string; text: string } | null;
  after: { shown: string; text: string } | null;
}

/**
 * The number of differing lines up to which lines are compared, for an edit of so many files. The cost grows with its
 * square. A time limit would make diffs depend on load.
 */
export function maxEditLength(files: number): number {
  return Math.floor(MAX_EDIT_LENGTH * Math.sqrt(FULL_EFFORT_FILES / Math.max(files, FULL_EFFORT_FILES)));
}

/** The diff of one file; empty when the text does not change. Cut after a line when longer than `maxChars`. */
export function unifiedDiff(
  { before, after }: DiffSides,
  maxChars: number,
  editLength = MAX_EDIT_LENGTH,
): { diff: string; cut: boolean } {
  const [oldText, newText] = [before?.text ?? "", after?.text ?? ""];
  if (before !== null && after !== null && oldText === newText) return { diff: "", cut: false };
  const patch =
    oldText === "" || newText === ""
      ? undefined
      : structuredPatch("", "", oldText, newText, "", "", {
          context: CONTEXT_LINES,
          maxEditLength: editLength,
        });
  const lines = [
    `--- ${before === null ? "/dev/null" : fileName("a", before.shown)}`,
    `+++ ${after === null ? "/dev/null" : fileName("b", after.shown)}`,
    ...(patch?.hunks ?? [wholeFileHunk(oldText, newText)]).flatMap(hunkLines),
  ].map((line) => `${line}\n`);
  let length = 0;
  const end = lines.findIndex((line) => {
    length += line.length;
    return length > maxChars;
  });
  const shown = end < 0 ? lines : lines.slice(0, end);
  return { diff: shown.join(""), cut: end >= 0 };
}

function hunkLines({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string[] {
  // An empty range names the line before it.
  const oldRange = `${oldLines === 0 ? oldStart - 1 : oldStart},${oldLines}`;
  const newRange = `${newLines === 0 ? newStart - 1 : newStart},${newLines}`;
  return [`@@ -${oldRange} +${newRange} @@`, ...lines];
}

/** A hunk that replaces the whole text: for a new or deleted file, and when too many lines differ. */
function wholeFileHunk(oldText: string, newText: string): StructuredPatchHunk {
  const [removed, added] = [markedLines("-", oldText), markedLines("+", newText)];
  const countLines = (text: string) => (text.match(/\n|[^\n]$/g) ?? []).length;
  return {
    ...{ oldStart: 1, oldLines: countLines(oldText), newStart: 1, newLines: countLines(newText) },
    lines: [...removed, ...added],
  };
}

function markedLines(mark: string, text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const marked = lines.map((line) => mark + line);
  return last === "" ? marked : [...marked, mark + last, "\\ No newline at end of file"];
}

/** The name in a diff header, quoted when it has characters that would break the line. */
function fileName(side: string, shown: string): string {
  const name = `${side}/${shown}`;
  const isPlain = [...name].every((character) => character >= " " && character !== '"' && character !== "\\");
  return isPlain ? name : JSON.stringify(name);
}
