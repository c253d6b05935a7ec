/**
 * Prints config problems: for people as code frames with carets, for programs as JSON. Control characters of a config are
 * replaced, so that a file cannot write to the terminal.
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { Json, JsonObject } from "../../base/json.js";
import type { Place, Problem } from "../../base/problem.js";
import { Lines } from "../../base/text.js";
import { type Io, printJson } from "../command.js";
import { displayWidth, plural, printable } from "./text.js";

/** Prints problems on stderr, or as one JSON document on stdout. */
export function printProblems(problems: readonly Problem[], { json, io }: { json: boolean; io: Io }): void {
  if (json) {
    printJson(io, problemsJson(problems));
    return;
  }
  const color = io.stderr.isTTY === true && !io.env.NO_COLOR;
  io.stderr.write(renderProblems(problems, { sources: readSource, color, base: io.cwd }));
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
  sources: ReadonlyMap<string, string> | ((file: string) => string | undefined);
  color: boolean;
  /** Files inside this folder are shown relative to it. */
  base?: string | undefined;
}

const TAB = "    ";
/** Longer source lines are cut around the caret. */
const FRAME_WIDTH = 100;

/** Every problem with its code frame, suggestion and fix, and a count at the end. */
export function renderProblems(problems: readonly Problem[], options: ReportOptions): string {
  if (problems.length === 0) return "";
  const paint = options.color ? colors : plain;
  const texts = new Map<string, Lines | undefined>();
  const linesOf = (file: string) => {
    if (!texts.has(file)) {
      const text = typeof options.sources === "function" ? options.sources(file) : options.sources.get(file);
      texts.set(file, text === undefined ? undefined : new Lines(text.replace(/^\uFEFF/, "")));
    }
    return texts.get(file);
  };
  const blocks = problems.map((problem) => renderProblem(problem, options, linesOf, paint));
  return `${blocks.join("\n\n")}\n\n${summary(problems)}\n`;
}

/** The problems as JSON data. */
export function problemsJson(problems: readonly Problem[]): JsonObject {
  const count = (severity: Problem["severity"]) =>
    problems.filter((problem) => problem.severity === severity).length;
  return { errors: count("error"), warnings: count("warning"), problems: problems.map(problemJson) };
}

function problemJson(problem: Problem): Json {
  const { code, severity, message, pointer, place, suggestion, fix, detail } = problem;
  const at = place ? placeJson(place) : {};
  const hint: JsonObject = suggestion === undefined ? {} : { suggestion };
  const more: JsonObject = detail === undefined ? {} : { detail };
  return { code, severity, message, pointer, ...at, ...hint, fix, ...more };
}

function placeJson({ file, line, column, endLine, endColumn }: Place): JsonObject {
  const start: JsonObject = { file, line, column };
  if (endLine === undefined || endColumn === undefined) return start;
  return { ...start, end_line: endLine, end_column: endColumn };
}

interface Paint {
  error(text: string): string;
  warning(text: string): string;
  dim(text: string): string;
  bold(text: string): string;
}

const wrap = (on: number, off: number) => (text: string) => `\u001b[${on}m${text}\u001b[${off}m`;
const colors: Paint = { error: wrap(31, 39), warning: wrap(33, 39), dim: wrap(2, 22), bold: wrap(1, 22) };
const same = (text: string) => text;
const plain: Paint = { error: same, warning: same, dim: same, bold: same };

function renderProblem(
  problem: Problem,
  options: ReportOptions,
  linesOf: (file: string) => Lines | undefined,
  paint: Paint,
): string {
  const { place, severity } = problem;
  const head = `${paint[severity](`${severity}[${problem.code}]`)} ${paint.bold(printable(problem.message))}`;
  const hint = problem.suggestion === undefined ? "" : `did you mean \`${printable(problem.suggestion)}\`?`;
  const fix = `fix: ${printable(problem.fix)}`;
  const detail = (problem.detail ?? []).map((line) => `    ${printable(line)}`);
  if (!place) return [head, ...detail, ...(hint ? [`  ${hint}`] : []), `  ${fix}`].join("\n");

  const number = String(place.line);
  const margin = " ".repeat(number.length);
  const where = `${shownFile(place.file, options.base)}:${place.line}:${place.column}`;
  const frame = codeFrame(place, linesOf(place.file));
  const lines = [head, ...detail, `${margin} ${paint.dim("-->")} ${where}`];
  if (frame) {
    const caret = `${frame.indent}${paint[severity](frame.carets)}${hint ? ` ${hint}` : ""}`;
    lines.push(`${margin} ${paint.dim("|")}`, `${paint.dim(`${number} |`)} ${frame.text}`);
    lines.push(`${margin} ${paint.dim("|")} ${caret}`);
  } else if (hint) lines.push(`${margin} ${paint.dim("=")} ${hint}`);
  lines.push(`${margin} ${paint.dim("=")} ${fix}`);
  return lines.join("\n");
}

function shownFile(file: string, base: string | undefined): string {
  if (base === undefined) return printable(file);
  const way = relative(base, file);
  return printable(way === "" || way.startsWith("..") ? file : way.replaceAll("\\", "/"));
}

interface Frame {
  text: string;
  indent: string;
  carets: string;
}

function codeFrame(place: Place, lines: Lines | undefined): Frame | undefined {
  if (!lines || place.line > lines.count) return undefined;
  const characters = [...lines.line(place.line - 1)].map((character) =>
    character === "\t" ? TAB : printable(character),
  );
  const start = Math.min(place.column - 1, characters.length);
  const isOneLine = place.endLine === undefined || place.endLine === place.line;
  const end = isOneLine
    ? Math.min((place.endColumn ?? place.column) - 1, characters.length)
    : characters.length;
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
  let from = start;
  let cells = 0;
  const leading = displayWidth(characters.join("")) <= FRAME_WIDTH ? FRAME_WIDTH : FRAME_WIDTH / 2;
  while (from > 0 && cells + displayWidth(characters[from - 1] ?? "") <= leading)
    cells += displayWidth(characters[--from] ?? "");
  let to = start;
  while (to < characters.length && cells + displayWidth(characters[to] ?? "") <= FRAME_WIDTH)
    cells += displayWidth(characters[to++] ?? "");
  return { from, to };
}

function summary(problems: readonly Problem[]): string {
  const errors = problems.filter((problem) => problem.severity === "error").length;
  const warnings = problems.length - errors;
  const counts = [
    errors > 0 ? plural(errors, "problem") : "",
    warnings > 0 ? plural(warnings, "warning") : "",
  ];
  return counts.filter(Boolean).join(", ");
}
