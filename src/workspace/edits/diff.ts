/**
 * Unified diffs of texts whose changes are known: only the lines around the changes are compared, so the cost depends on
 * the changes, not on the file. `patch` and `git apply` read the result.
 */
import { diffArrays } from "diff";
import { sortChanges } from "./text-edits.js";
import type { TextChange } from "./types.js";

const CONTEXT_LINES = 3;

/** Regions with more differing lines are shown as replaced completely. A time limit would make diffs depend on load. */
const MAX_EDIT_LENGTH = 400;

/** A file before and after; null where it does not exist. */
export interface DiffSides {
  before: { shown: string; text: string } | null;
  after: { shown: string; text: string } | null;
  /** The changes from one text to the other. */
  changes: TextChange[];
}

/** Old lines `[old, oldEnd)` that are replaced by new lines `[now, nowEnd)`. */
interface Block {
  old: number;
  oldEnd: number;
  now: number;
  nowEnd: number;
}

/** The diff of one file; empty when the text does not change. Cut after a line when longer than `maxChars`. */
export function unifiedDiff(sides: DiffSides, maxChars: number): { diff: string; cut: boolean } {
  const old = splitLines(sides.before?.text ?? "");
  const now = splitLines(sides.after?.text ?? "");
  const blocks = changedRegions(sides.changes, old, now).flatMap((region) => compareLines(region, old, now));
  if (blocks.length === 0 && sides.before !== null && sides.after !== null) return { diff: "", cut: false };
  const lines = [
    `--- ${sides.before === null ? "/dev/null" : fileName("a", sides.before.shown)}\n`,
    `+++ ${sides.after === null ? "/dev/null" : fileName("b", sides.after.shown)}\n`,
    ...groupBlocks(blocks).flatMap((group) => hunkLines(group, old, now)),
  ];
  let length = 0;
  const end = lines.findIndex((line) => {
    length += line.length;
    return length > maxChars;
  });
  return end < 0 ? { diff: lines.join(""), cut: false } : { diff: lines.slice(0, end).join(""), cut: true };
}

/** Lines with their ends. Only \n ends a line, as in `patch`. */
function splitLines(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== "");
}

/** The lines that the changes touch, before and after. */
function changedRegions(changes: TextChange[], old: string[], now: string[]): Block[] {
  const oldLineAt = lineFinder(old);
  const nowLineAt = lineFinder(now);
  const regions: Block[] = [];
  let shift = 0;
  for (const { start, end, newText } of sortChanges(changes)) {
    const region = {
      old: oldLineAt(start),
      oldEnd: Math.min(oldLineAt(end) + 1, old.length),
      now: nowLineAt(start + shift),
      nowEnd: Math.min(nowLineAt(start + shift + newText.length) + 1, now.length),
    };
    const last = regions.at(-1);
    if (last !== undefined && (region.old < last.oldEnd || region.now < last.nowEnd)) {
      last.oldEnd = Math.max(last.oldEnd, region.oldEnd);
      last.nowEnd = Math.max(last.nowEnd, region.nowEnd);
    } else regions.push(region);
    shift += newText.length - (end - start);
  }
  return regions;
}

/** Finds the line of an offset; offsets must not decrease from call to call. */
function lineFinder(lines: string[]): (offset: number) => number {
  const last = lines.at(-1)?.endsWith("\n") ? lines.length : lines.length - 1;
  let line = 0;
  let lineStart = 0;
  return (offset) => {
    for (;;) {
      const length = lines[line]?.length ?? 0;
      if (line >= last || offset < lineStart + length) return line;
      lineStart += length;
      line++;
    }
  };
}

/** The parts of a region that really differ. */
function compareLines(region: Block, oldLines: string[], nowLines: string[]): Block[] {
  let { old, oldEnd, now, nowEnd } = region;
  while (old < oldEnd && now < nowEnd && oldLines[old] === nowLines[now]) {
    old++;
    now++;
  }
  while (old < oldEnd && now < nowEnd && oldLines[oldEnd - 1] === nowLines[nowEnd - 1]) {
    oldEnd--;
    nowEnd--;
  }
  if (old === oldEnd && now === nowEnd) return [];
  const parts = diffArrays(oldLines.slice(old, oldEnd), nowLines.slice(now, nowEnd), {
    maxEditLength: MAX_EDIT_LENGTH,
  });
  if (parts === undefined) return [{ old, oldEnd, now, nowEnd }];
  const blocks: Block[] = [];
  for (const { added, removed, count } of parts) {
    const block = { old, oldEnd: added ? old : old + count, now, nowEnd: removed ? now : now + count };
    old = block.oldEnd;
    now = block.nowEnd;
    if (!added && !removed) continue;
    const last = blocks.at(-1);
    if (last !== undefined && last.oldEnd === block.old && last.nowEnd === block.now) {
      last.oldEnd = block.oldEnd;
      last.nowEnd = block.nowEnd;
    } else blocks.push(block);
  }
  return blocks;
}

/** Groups blocks whose context lines touch or overlap. */
function groupBlocks(blocks: Block[]): Block[][] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const last = groups.at(-1)?.at(-1);
    if (last !== undefined && block.old - last.oldEnd <= 2 * CONTEXT_LINES) groups.at(-1)?.push(block);
    else groups.push([block]);
  }
  return groups;
}

function hunkLines(blocks: Block[], old: string[], now: string[]): string[] {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (first === undefined || last === undefined) return [];
  const before = Math.min(CONTEXT_LINES, first.old);
  const after = Math.min(CONTEXT_LINES, old.length - last.oldEnd);
  const oldRange = lineRange(first.old - before, last.oldEnd + after);
  const nowRange = lineRange(first.now - before, last.nowEnd + after);
  const lines = [`@@ -${oldRange} +${nowRange} @@\n`];
  let done = first.old - before;
  for (const block of blocks) {
    lines.push(...old.slice(done, block.old).map((line) => marked(" ", line)));
    lines.push(...old.slice(block.old, block.oldEnd).map((line) => marked("-", line)));
    lines.push(...now.slice(block.now, block.nowEnd).map((line) => marked("+", line)));
    done = block.oldEnd;
  }
  lines.push(...old.slice(done, done + after).map((line) => marked(" ", line)));
  return lines;
}

/** `start,count` with lines from 1; an empty range names the line before it. */
function lineRange(start: number, end: number): string {
  return end === start ? `${start},0` : `${start + 1},${end - start}`;
}

function marked(mark: string, line: string): string {
  return line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`;
}

/** The name in a diff header, quoted when it has characters that would break the line. */
function fileName(side: string, shown: string): string {
  const name = `${side}/${shown}`;
  const isPlain = [...name].every((character) => character >= " " && character !== '"' && character !== "\\");
  return isPlain ? name : JSON.stringify(name);
}
