/**
 * Unified diffs of texts whose changes are known: only the lines around the changes are compared, so a diff costs what
 * its changes cost. `patch` and `git apply` read it.
 */
import { sortChanges } from "./text.js";
import type { TextChange } from "./types.js";

const CONTEXT = 3;

/** Past so many changed lines in one place, the whole place is shown as replaced. */
const MOST_STEPS = 400;

/** A file before and after; null where there is none. */
export interface DiffSides {
  before: { shown: string; text: string } | null;
  after: { shown: string; text: string } | null;
  /** What makes one text of the other. */
  changes: TextChange[];
}

/** Old lines `[old, oldEnd)` that new lines `[now, nowEnd)` take the place of. */
interface Block {
  old: number;
  oldEnd: number;
  now: number;
  nowEnd: number;
}

/** The diff of one file, empty when its text does not change, cut after a line when longer than `maxChars`. */
export function unifiedDiff(sides: DiffSides, maxChars: number): { diff: string; cut: boolean } {
  const old = splitLines(sides.before?.text ?? "");
  const now = splitLines(sides.after?.text ?? "");
  const blocks = changedBlocks(sides, old, now);
  if (blocks.length === 0 && sides.before !== null && sides.after !== null) return { diff: "", cut: false };
  const lines = [
    `--- ${sides.before === null ? "/dev/null" : nameLine("a", sides.before.shown)}\n`,
    `+++ ${sides.after === null ? "/dev/null" : nameLine("b", sides.after.shown)}\n`,
  ];
  for (const hunk of hunks(blocks)) lines.push(...hunkLines(hunk, old, now));
  return cutLines(lines, maxChars);
}

/** Lines with their ends; only \n ends a line, as `patch` reads it. */
function splitLines(text: string): string[] {
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const whole = lines.map((line) => `${line}\n`);
  return last === "" ? whole : [...whole, last];
}

function changedBlocks(sides: DiffSides, old: string[], now: string[]): Block[] {
  const oldLine = lineFinder(old);
  const nowLine = lineFinder(now);
  const places: Block[] = [];
  let shift = 0;
  for (const { start, end, newText } of sortChanges(sides.changes)) {
    const place = {
      old: oldLine(start),
      oldEnd: Math.min(oldLine(end) + 1, old.length),
      now: nowLine(start + shift),
      nowEnd: Math.min(nowLine(start + shift + newText.length) + 1, now.length),
    };
    const last = places.at(-1);
    if (last !== undefined && (place.old < last.oldEnd || place.now < last.nowEnd)) {
      last.oldEnd = Math.max(last.oldEnd, place.oldEnd);
      last.nowEnd = Math.max(last.nowEnd, place.nowEnd);
    } else places.push(place);
    shift += newText.length - (end - start);
  }
  return places.flatMap((place) => compare(place, old, now));
}

/** The line of an offset; asked with growing offsets. The end of a text is in its last line, unless that has ended. */
function lineFinder(lines: string[]): (offset: number) => number {
  const last = lines.at(-1)?.endsWith("\n") ? lines.length : lines.length - 1;
  let line = 0;
  let begin = 0;
  return (offset) => {
    for (;;) {
      const length = lines[line]?.length ?? 0;
      if (line >= last || offset < begin + length) return line;
      begin += length;
      line++;
    }
  };
}

/** The blocks of a place that really differ. */
function compare(place: Block, old: string[], now: string[]): Block[] {
  const block = { ...place };
  while (block.old < block.oldEnd && block.now < block.nowEnd && old[block.old] === now[block.now]) {
    block.old++;
    block.now++;
  }
  while (
    block.old < block.oldEnd &&
    block.now < block.nowEnd &&
    old[block.oldEnd - 1] === now[block.nowEnd - 1]
  ) {
    block.oldEnd--;
    block.nowEnd--;
  }
  if (block.old === block.oldEnd && block.now === block.nowEnd) return [];
  if (block.old === block.oldEnd || block.now === block.nowEnd) return [block];
  const a = old.slice(block.old, block.oldEnd);
  const b = now.slice(block.now, block.nowEnd);
  return joinMoves(shortestMoves(a, b), block);
}

/** Myers' shortest edit script as the furthest points of each round, or undefined past the bound. */
function shortestMoves(a: string[], b: string[]): { x: number; y: number }[] | undefined {
  const rounds: Map<number, number>[] = [];
  let reach = new Map<number, number>([[1, 0]]);
  const most = Math.min(a.length + b.length, MOST_STEPS);
  for (let steps = 0; steps <= most; steps++) {
    rounds.push(reach);
    reach = new Map(reach);
    for (let k = -steps; k <= steps; k += 2) {
      const below = reach.get(k + 1) ?? -1;
      const left = reach.get(k - 1) ?? -1;
      let x = k === -steps || (k !== steps && left < below) ? below : left + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      reach.set(k, x);
      if (x >= a.length && x - k >= b.length) return wayBack(rounds, a.length, b.length);
    }
  }
  return undefined;
}

/** The single moves (a line removed: x grows; a line added: y grows) that are not common lines, first to last. */
function wayBack(rounds: Map<number, number>[], endX: number, endY: number): { x: number; y: number }[] {
  const moves: { x: number; y: number }[] = [];
  let x = endX;
  let y = endY;
  for (let steps = rounds.length - 1; steps > 0; steps--) {
    const reach = rounds[steps] ?? new Map<number, number>();
    const k = x - y;
    const below = reach.get(k + 1) ?? -1;
    const left = reach.get(k - 1) ?? -1;
    const down = k === -steps || (k !== steps && left < below);
    const fromX = down ? below : left;
    const fromY = fromX - (down ? k + 1 : k - 1);
    moves.unshift({ x: fromX, y: fromY });
    x = fromX;
    y = fromY;
  }
  return moves;
}

function joinMoves(moves: { x: number; y: number }[] | undefined, place: Block): Block[] {
  if (moves === undefined) return [place];
  const blocks: Block[] = [];
  for (const [index, { x, y }] of moves.entries()) {
    const removes = endsWithRemoval(moves, index, place);
    const block = {
      old: place.old + x,
      oldEnd: place.old + x + (removes ? 1 : 0),
      now: place.now + y,
      nowEnd: place.now + y + (removes ? 0 : 1),
    };
    const last = blocks.at(-1);
    if (last !== undefined && last.oldEnd === block.old && last.nowEnd === block.now) {
      last.oldEnd = block.oldEnd;
      last.nowEnd = block.nowEnd;
    } else blocks.push(block);
  }
  return blocks;
}

/** Whether a move removes a line; otherwise it adds one. The diagonal after it tells. */
function endsWithRemoval(moves: { x: number; y: number }[], index: number, place: Block): boolean {
  const from = moves[index] ?? { x: 0, y: 0 };
  const to = moves[index + 1] ?? { x: place.oldEnd - place.old, y: place.nowEnd - place.now };
  return to.x - to.y > from.x - from.y;
}

/** Blocks that stand so near that their context would overlap, together. */
function hunks(blocks: Block[]): Block[][] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const group = groups.at(-1);
    const last = group?.at(-1);
    if (group && last && block.old - last.oldEnd <= 2 * CONTEXT) group.push(block);
    else groups.push([block]);
  }
  return groups;
}

function hunkLines(blocks: Block[], old: string[], now: string[]): string[] {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) return [];
  const lead = Math.min(CONTEXT, first.old);
  const trail = Math.min(CONTEXT, old.length - last.oldEnd);
  const oldSpan = span(first.old - lead, last.oldEnd + trail);
  const nowSpan = span(first.now - lead, last.nowEnd + trail);
  const lines = [`@@ -${oldSpan} +${nowSpan} @@\n`];
  let done = first.old - lead;
  for (const block of blocks) {
    lines.push(...old.slice(done, block.old).map((line) => whole(" ", line)));
    lines.push(...old.slice(block.old, block.oldEnd).map((line) => whole("-", line)));
    lines.push(...now.slice(block.now, block.nowEnd).map((line) => whole("+", line)));
    done = block.oldEnd;
  }
  lines.push(...old.slice(done, done + trail).map((line) => whole(" ", line)));
  return lines;
}

/** `start,count` with lines from 1; an empty span names the line before it. */
function span(start: number, end: number): string {
  return end === start ? `${start},0` : `${start + 1},${end - start}`;
}

function whole(mark: string, line: string): string {
  return line.endsWith("\n") ? mark + line : `${mark}${line}\n\\ No newline at end of file\n`;
}

/** A file's name in a diff, quoted when it holds what would end the line. */
function nameLine(side: string, shown: string): string {
  const name = `${side}/${shown}`;
  return [...name].some((character) => character < " " || character === '"' || character === "\\")
    ? JSON.stringify(name)
    : name;
}

function cutLines(lines: string[], maxChars: number): { diff: string; cut: boolean } {
  let length = 0;
  const end = lines.findIndex((line) => {
    length += line.length;
    return length > maxChars;
  });
  return end === -1
    ? { diff: lines.join(""), cut: false }
    : { diff: lines.slice(0, end).join(""), cut: true };
}
