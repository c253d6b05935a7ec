/**
 * The document and position that a call points at, open in the first available server, and request parameters for it.
 */
import type {
  DocumentFormattingParams,
  Position,
  Range,
  SelectionRangeParams,
  TextDocumentPositionParams,
} from "vscode-languageserver-protocol";
import { define, isTable, type Json, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { Lines } from "../../base/text.js";
import type { OpenDocument } from "../../lsp/types.js";
import type { Point } from "../../protocol/dialect-format.js";
import type { Admitted } from "../../workspace/gate-types.js";
import { toPoint, toSpan } from "../answer/places.js";
import { askCandidates } from "../ask/ask.js";
import { type Attached, type CandidateServers, candidatesForDocument, isRange } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import { indentationOf } from "./indentation.js";
import { withMeantFile } from "./meant-file.js";
import { isBefore } from "./symbols.js";

/** A position in a text: zero-based line, column in UTF-16 units. */
export type Place = Position;

/** A document and the position in it that a call points at. */
export interface Target {
  admitted: Admitted;
  candidates: CandidateServers;
  document: OpenDocument;
  /** The line and character as the agent counted them. */
  counted: Point | undefined;
  place: Place | undefined;
  range: { start: Place; end: Place } | undefined;
}

/** Opens the document of a path or URI in the first available server. */
export async function openTarget(call: CallState, name: string): Promise<Target> {
  const admitted = await call.gate.admitFile(name).catch(async (error: unknown) => {
    throw await withMeantFile(call, name, error);
  });
  const candidates = await candidatesForDocument(call, admitted);
  // Nothing is asked: attaching the server has opened the document.
  const [first] = await askCandidates(call, candidates, "first", async ({ document }) => document);
  if (first === undefined) throw new Refusal("route/no-server", `No server could open ${admitted.shown}.`);
  const document = first.answer;
  call.evidence.document = { admitted, hash: document.hash };
  call.places.asksAbout(document.uri, admitted, document.lines);
  return { admitted, candidates, document, counted: undefined, place: undefined, range: undefined };
}

/** Converts a line and character as the agent counts them into a position in the text. */
export function placeOf(call: CallState, lines: Lines, line: number, character: number): Place {
  const { lineBase, characterBase, unit } = call.plan.dialect.position;
  const at = line - lineBase;
  if (at < 0 || at >= lines.count || character < characterBase)
    throw new Refusal(
      "point/out-of-range",
      `Lines go from ${lineBase} to ${lastLine(lines, lineBase)}; characters are counted from ${characterBase}.`,
    );
  return { line: at, character: lines.column(at, character - characterBase, unit, "utf-16") };
}

/**
 * The last line that may be named. Editors show the empty text after the last line end as a line; counts leave it out.
 */
function lastLine(lines: Lines, lineBase: number): string {
  const isAfterEnd = lines.count > 1 && lines.line(lines.count - 1) === "";
  return `${lines.count - 1 + lineBase}${isAfterEnd ? ", which is the empty one after the last line end" : ""}`;
}

/** A line and a character as the agent counted them; either may be missing. */
export interface Numbers {
  line: number | undefined;
  character: number | undefined;
}

/** The range between two places as the agent counted them. */
export function rangeBetween(
  call: CallState,
  lines: Lines,
  start: Numbers,
  end: Numbers,
): { start: Place; end: Place } {
  const { lineBase, characterBase } = call.plan.dialect.position;
  const first = start.line ?? lineBase;
  const range = {
    start: placeOf(call, lines, first, start.character ?? characterBase),
    end: rangeEnd(call, lines, first, start, end),
  };
  if (isBefore(range.end, range.start))
    throw new Refusal("point/out-of-range", "The range ends before it begins.");
  return range;
}

/** A range's end, clamped to the document: by default its start, or the end of the line when the line is whole. */
function rangeEnd(call: CallState, lines: Lines, first: number, start: Numbers, end: Numbers): Place {
  const { lineBase } = call.plan.dialect.position;
  if (end.line === undefined && end.character === undefined && start.character !== undefined)
    return placeOf(call, lines, first, start.character);
  const line = (end.line ?? first) - lineBase;
  if (line >= lines.count) return { line: lines.count - 1, character: lines.line(lines.count - 1).length };
  if (end.character === undefined) return { line, character: lines.line(line).length };
  return placeOf(call, lines, line + lineBase, end.character);
}

/** Warns when a character that the agent counted lies past the end of its line. */
export function warnPastLineEnd(call: CallState, lines: Lines, { line, character }: Point): void {
  const { lineBase, characterBase, unit } = call.plan.dialect.position;
  const end = lines.columns(line - lineBase, unit) + characterBase;
  if (character <= end) return;
  if (call.tool.effect === "edit")
    throw new Refusal("point/out-of-range", `The line ends at character ${end}.`);
  call.evidence.warn(
    "answer/fuzzed-position",
    "The character is past the end of its line; the end was used.",
    { line, character: end },
  );
}

/** An argument that is a number; the schema was checked before. */
export function numberIn(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

export type DocumentParams = Pick<TextDocumentPositionParams, "textDocument">;

interface RangeParams extends DocumentParams {
  range: Range;
}

/** `{ textDocument }`. */
export function documentBase(target: Target): DocumentParams {
  return { textDocument: { uri: target.document.uri } };
}

/** `{ textDocument, options }`: the file's own indentation, four spaces when it has none. */
export function formattingBase(target: Target): DocumentFormattingParams {
  return { ...documentBase(target), options: indentationOf(target.document.lines) };
}

/** `{ textDocument, position }`, in the columns of the server that gets it. */
export function positionBase(target: Target, { server }: Attached): TextDocumentPositionParams {
  if (target.place === undefined)
    throw new Refusal("point/incomplete", "This tool needs a position in the file.");
  const position = toPoint(target.document.lines, target.place, "utf-16", server.encoding);
  return { ...documentBase(target), position };
}

/** `{ textDocument, positions }`, for methods that take several positions. */
export function positionsBase(target: Target, attached: Attached): SelectionRangeParams {
  const { position, ...rest } = positionBase(target, attached);
  return { ...rest, positions: [position] };
}

/** `{ textDocument, range }`: the call's range, else its position, else the whole document. */
export function rangeBase(target: Target, { server }: Attached): RangeParams {
  const { lines } = target.document;
  const last = lines.count - 1;
  const chosen = target.range ?? {
    start: target.place ?? { line: 0, character: 0 },
    end: target.place ?? { line: last, character: lines.line(last).length },
  };
  return { ...documentBase(target), range: toSpan(lines, chosen, "utf-16", server.encoding) };
}

/** `{ textDocument, range, context }` with the diagnostics that touch the range, as the server reported them. */
export function rangeDiagnosticsBase(
  target: Target,
  attached: Attached,
  found: readonly Json[],
): RangeParams & { context: { diagnostics: Json[] } } {
  const base = rangeBase(target, attached);
  const { range } = base;
  const touching = found.filter((entry) => isTable(entry) && touches(entry.range, range));
  return { ...base, context: { diagnostics: touching } };
}

function touches(a: unknown, b: unknown): boolean {
  return isRange(a) && isRange(b) && !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}

/** Merges one table over another, recursively; undefined members are left out. A base has only JSON values. */
export function overlay(base: object, set: JsonObject = {}): JsonObject {
  const out: JsonObject = { ...base };
  for (const [key, value] of Object.entries(set)) {
    if (value === undefined) continue;
    const below: Json | undefined = Object.hasOwn(out, key) ? out[key] : undefined;
    const merged =
      isTable(value) && isTable(below) ? overlay(below as JsonObject, value as JsonObject) : value;
    define(out, key, merged);
  }
  return out;
}
