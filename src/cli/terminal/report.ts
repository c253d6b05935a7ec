/**
 * Prints config problems: for people as code frames with carets, for programs as JSON. Control characters of a config are
 * replaced, so that a file cannot write to the terminal.
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Place, Problem } from "../../base/problem.js";
import { type Io, printJson } from "../command.js";
import { displayWidth, hasColor, type Paint, painter, plural, printable } from "./text.js";

export function printProblems(problems: readonly Problem[], { json, io }: { json: boolean; io: Io }): void {
  if (json) printJson(io, problemsJson(problems));
  else {
    const color = hasColor(io.stderr, io.env);
    io.stderr.write(renderProblems(problems, { sources: readSource, color, base: io.cwd }));
  }
}

function readSource(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    // The file may be gone by now. The problem is then shown without a code frame.
    return undefined;
  }
}

export interface ReportOptions {
  /** The text of a file, or `undefined` when it is not available. */
  sources(file: string): string | undefined;
  color: boolean;
  /** Files inside this folder are shown relative to it. */
  base?: string;
}

const TAB = "    ";
/** Longer source lines are cut around the caret. */
const FRAME_WIDTH = 100;

/** Every problem with its code frame, suggestion and fix, and a count at the end. */
export function renderProblems(problems: readonly Problem[], options: ReportOptions): string {
  if (problems.length === 0) return "";
  const paint = painter(options.color);
  const blocks = problems.map((problem) => renderProblem(problem, options, paint));
  const { errors, warnings } = countsOf(problems);
  const counts = [
    errors > 0 ? plural(errors, "problem") : [],
    warnings > 0 ? plural(warnings, "warning") : [],
  ];
  return `${blocks.join("\n\n")}\n\n${counts.flat().join(", ")}\n`;
}

export function problemsJson(problems: readonly Problem[]): object {
  return {
    ...countsOf(problems),
    problems: problems.map(({ code, severity, message, pointer, place, suggestion, fix, detail }) => ({
      ...{ code, severity, message, pointer },
      ...{ file: place?.file, line: place?.line, column: place?.column },
      ...{ end_line: place?.endLine, end_column: place?.endColumn },
      ...{ suggestion, fix, detail },
    })),
  };
}

function countsOf(problems: readonly Problem[]): { errors: number; warnings: number } {
  const errors = problems.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: problems.length - errors };
}

const colors = { error: "31", warning: "33" };

function renderProblem(problem: Problem, { sources, base }: ReportOptions, paint: Paint): string {
  const { place, severity } = problem;
  const color = colors[severity];
  const head = `${paint(color, `${severity}[${problem.code}]`)} ${paint("1", printable(problem.message))}`;
  const hint = problem.suggestion === undefined ? "" : `did you mean \`${printable(problem.suggestion)}\`?`;
  const fix = `fix: ${printable(problem.fix)}`;
  const detail = (problem.detail ?? []).map((line) => `    ${printable(line)}`);
  if (!place) return [head, ...detail, ...(hint ? [`  ${hint}`] : []), `  ${fix}`].join("\n");

  const number = String(place.line);
  const margin = " ".repeat(number.length);
  const where = `${shownFile(place.file, base)}:${place.line}:${place.column}`;
  const frame = codeFrame(place, sources(place.file));
  const lines = [head, ...detail, `${margin} ${paint("2", "-->")} ${where}`];
  if (frame) {
    const caret = `${frame.indent}${paint(color, frame.carets)}${hint ? ` ${hint}` : ""}`;
    lines.push(`${margin} ${paint("2", "|")}`, `${paint("2", `${number} |`)} ${frame.text}`);
    lines.push(`${margin} ${paint("2", "|")} ${caret}`);
  } else if (hint) lines.push(`${margin} ${paint("2", "=")} ${hint}`);
  lines.push(`${margin} ${paint("2", "=")} ${fix}`);
  return lines.join("\n");
}

function shownFile(file: string, base: string | undefined): string {
  if (base === undefined) return printable(file);
  const way = relative(base, file);
  return printable(way === "" || way.startsWith("..") ? file : way.replaceAll("\\", "/"));
}

/** The source line of a problem and the carets below it. */
function codeFrame(place: Place, source: string | undefined) {
  const line = source?.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)[place.line - 1];
  if (line === undefined) return undefined;
  const characters = [...line].map((character) => (character === "\t" ? TAB : printable(character)));
  const start = Math.min(place.column - 1, characters.length);
  const isOneLine = place.endLine === undefined || place.endLine === place.line;
  const end = isOneLine ? (place.endColumn ?? place.column) - 1 : characters.length;
  const { from, to } = frameWindow(characters, start);
  const before = characters.slice(from, start).join("");
  const marked = characters.slice(start, Math.max(start, Math.min(end, to))).join("");
  const lead = from > 0 ? "…" : "";
  return {
    text: `${lead}${characters.slice(from, to).join("")}${to < characters.length ? "…" : ""}`.trimEnd(),
    indent: " ".repeat(displayWidth(lead + before)),
    carets: "^".repeat(Math.max(1, displayWidth(marked))),
  };
}

/** The part of a long line that is shown: characters around `start`, as many as fit. */
function frameWindow(characters: readonly string[], start: number): { from: number; to: number } {
  const widths = characters.map(displayWidth);
  const isShort = widths.reduce((sum, width) => sum + width, 0) <= FRAME_WIDTH;
  if (isShort) return { from: 0, to: characters.length };
  let from = start;
  let cells = 0;
  while (from > 0 && cells + (widths[from - 1] ?? 0) <= FRAME_WIDTH / 2) cells += widths[--from] ?? 0;
  let to = start;
  while (to < widths.length && cells + (widths[to] ?? 0) <= FRAME_WIDTH) cells += widths[to++] ?? 0;
  return { from, to };
}
