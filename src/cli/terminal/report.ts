/** Prints config problems: for people as code frames with carets, for programs as JSON. Many problems are cut. */
import { escapeLine } from "../../base/hidden-characters.js";
import type { Problem, ProblemPlace } from "../../base/problem.js";
import { ColumnWalk, Lines } from "../../base/text.js";
import { plural } from "../../base/words.js";
import { asText, diskFiles, readOrExplain } from "../../config/files.js";
import { type Io, printJson } from "../command.js";
import type { Styled } from "./output.js";
import { shownFile } from "./shown-file.js";
import { displayWidth } from "./text.js";

export function printProblems(problems: readonly Problem[], { json, io }: { json: boolean; io: Io }): void {
  if (json) printJson(io, problemsJson(problems));
  else {
    const width = io.stderr.columns;
    const report = renderProblems(problems, { sources: readSource, base: io.cwd, ...(width && { width }) });
    io.stderr.writeText(report);
  }
}

/** The text of a file. The file may be gone by now; the problem is then shown without a code frame. */
function readSource(file: string): string | undefined {
  const result = readOrExplain(diskFiles, file);
  return "content" in result ? asText(result.content) : undefined;
}

export interface ReportOptions {
  /** The text of a file, or `undefined` when it is not available. */
  sources(file: string): string | undefined;
  /** Files inside this folder are shown relative to it. */
  base?: string;
  /** The width of the terminal; code frames are cut to it. */
  width?: number;
}

type Piece = string | Styled;

/** The lines of a file, and the offsets of its columns. */
interface ShownLines {
  lines: Lines;
  columns: ColumnWalk;
}

const TAB = "    ";
/** Longer source lines are cut around the caret. */
const FRAME_WIDTH = 100;
/** The cells beside a source line: its margin's bar, and the marks where it is cut. */
const FRAME_SIGNS = 4;
/** More problems are counted, not shown. */
export const MOST_SHOWN = 100;

/** The first problems with code frame, suggestion and fix, and a count at the end. */
export function renderProblems(problems: readonly Problem[], options: ReportOptions): Piece[] {
  if (problems.length === 0) return [];
  const { sources } = options;
  const linesOf = memoized((file: string): ShownLines | undefined => {
    const text = sources(file);
    if (text === undefined) return undefined;
    const lines = new Lines(text.replace(/^\uFEFF/, ""));
    return { lines, columns: new ColumnWalk(lines, "utf-32", "utf-16") };
  });
  const blocks = problems
    .slice(0, MOST_SHOWN)
    .flatMap((problem) => [...renderProblem(problem, linesOf, options), "\n\n"]);
  const more = problems.length > MOST_SHOWN ? [`and ${problems.length - MOST_SHOWN} more\n\n`] : [];
  const { errors, warnings } = countsOf(problems);
  const counts = [
    errors > 0 ? plural(errors, "problem") : [],
    warnings > 0 ? plural(warnings, "warning") : [],
  ];
  return [...blocks, ...more, `${counts.flat().join(", ")}\n`];
}

function memoized<T>(find: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const value = known.has(key) ? (known.get(key) as T) : find(key);
    known.set(key, value);
    return value;
  };
}

export function problemsJson(problems: readonly Problem[]): object {
  return {
    ...countsOf(problems),
    ...(problems.length > MOST_SHOWN ? { not_shown: problems.length - MOST_SHOWN } : {}),
    problems: problems
      .slice(0, MOST_SHOWN)
      .map(({ code, severity, message, pointer, place, suggestion, fix, detail }) => ({
        code,
        severity,
        message,
        pointer,
        file: place?.file,
        line: place?.line,
        column: place?.column,
        end_line: place?.endLine,
        end_column: place?.endColumn,
        suggestion,
        fix,
        detail,
      })),
  };
}

function countsOf(problems: readonly Problem[]): { errors: number; warnings: number } {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: problems.length - errors };
}

const colors = { error: "31", warning: "33" };

function renderProblem(
  problem: Problem,
  linesOf: (file: string) => ShownLines | undefined,
  { base, width = Number.POSITIVE_INFINITY }: ReportOptions,
): Piece[] {
  const { place, severity } = problem;
  const style = colors[severity];
  const message = escapeLine(problem.message);
  const head = [{ style, text: `${severity}[${problem.code}]` }, " ", { style: "1", text: message }];
  const hint = problem.suggestion === undefined ? "" : `did you mean \`${escapeLine(problem.suggestion)}\`?`;
  const fix = `fix: ${escapeLine(problem.fix)}`;
  const detail = (problem.detail ?? []).map((line) => [`    ${escapeLine(line)}`]);
  if (!place) return joinLines([head, ...detail, ...(hint ? [[`  ${hint}`]] : []), [`  ${fix}`]]);

  const number = String(place.line);
  const margin = `${" ".repeat(number.length)} `;
  const dim = (text: string): Styled => ({ style: "2", text });
  const where = `${shownFile(place.file, base)}:${place.line}:${place.column}`;
  const room = Math.min(FRAME_WIDTH, Math.max(20, width - margin.length - FRAME_SIGNS));
  const frame = codeFrame(place, linesOf(place.file), room);
  const lines: Piece[][] = [head, ...detail, [margin, dim("-->"), ` ${where}`]];
  if (frame) {
    const carets = { style, text: frame.carets };
    lines.push([margin, dim("|")], [dim(`${number} |`), ` ${frame.text}`]);
    lines.push([margin, dim("|"), ` ${frame.indent}`, carets, hint ? ` ${hint}` : ""]);
  } else if (hint) lines.push([margin, dim("="), ` ${hint}`]);
  lines.push([margin, dim("="), ` ${fix}`]);
  return joinLines(lines);
}

function joinLines(lines: readonly Piece[][]): Piece[] {
  return lines.flatMap((line, index) => (index === 0 ? line : ["\n", ...line]));
}

/** The source line of a problem and the carets below it. */
function codeFrame(place: ProblemPlace, shown: ShownLines | undefined, room: number) {
  const index = place.line - 1;
  if (shown === undefined || index >= shown.lines.count) return undefined;
  const start = shown.columns.convert(index, place.column - 1);
  const isOneLine = place.endLine === undefined || place.endLine === place.line;
  const width = isOneLine ? (place.endColumn ?? place.column) - place.column : Number.POSITIVE_INFINITY;
  // A long line is cut before it is split into characters: a config may be one line of a megabyte.
  const line = shown.lines.line(index);
  const from = Math.max(0, start - room);
  const before = shownCharacters(line.slice(from, start));
  const after = shownCharacters(line.slice(start, start + room));
  const isShort = from === 0 && line.length <= start + room && widthOf([...before, ...after]) <= room;
  const shownBefore = isShort ? before : fitting(before.toReversed(), room / 2).toReversed();
  const shownAfter = isShort ? after : fitting(after, room - widthOf(shownBefore));
  const lead = from > 0 || shownBefore.length < before.length ? "…" : "";
  const isCut = line.length > start + room || shownAfter.length < after.length;
  const carets = widthOf(shownAfter.slice(0, width));
  return {
    text: `${lead}${shownBefore.join("")}${shownAfter.join("")}${isCut ? "…" : ""}`.trimEnd(),
    indent: " ".repeat(displayWidth(lead) + widthOf(shownBefore)),
    carets: "^".repeat(Math.max(1, carets)),
  };
}

function shownCharacters(text: string): string[] {
  return [...text].map((character) => (character === "\t" ? TAB : escapeLine(character)));
}

/** The first characters that fit into a number of cells. */
function fitting(characters: readonly string[], cells: number): string[] {
  let room = cells;
  const end = characters.findIndex((character) => {
    room -= displayWidth(character);
    return room < 0;
  });
  return characters.slice(0, end < 0 ? characters.length : end);
}

function widthOf(characters: readonly string[]): number {
  return displayWidth(characters.join(""));
}
