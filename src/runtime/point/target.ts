/** The document that a call is about: admitted, a regular file, and open in the first server that can be had. */
import type { Json } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { Lines } from "../../base/text.js";
import type { OpenDocument } from "../../lsp/types.js";
import type { Point, Span } from "../../protocol/spelling.js";
import type { Admitted } from "../../workspace/types.js";
import { askCandidates } from "../ask/ask.js";
import { type CandidateServers, candidatesForDocument } from "../ask/candidates.js";
import type { CallState } from "../call-state.js";
import type { LspPosition } from "../lsp-values.js";

/** A place in a text: a zero-based line and a column in UTF-16 units, whatever a server or an agent counts. */
export type Place = LspPosition;

/** A document and the place in it that a call points at. */
export interface Target {
  admitted: Admitted;
  candidates: CandidateServers;
  document: OpenDocument;
  /** The numbers with which the agent counted the place itself, and may have miscounted. */
  counted: Point | undefined;
  place: Place | undefined;
  range: { start: Place; end: Place } | undefined;
}

/** Opens the document of a name, or the one that a symbol is declared in. */
export async function openTarget(call: CallState, name: string): Promise<Target> {
  const admitted = await call.gate.admitFile(name);
  const candidates = candidatesForDocument(call, admitted);
  const [first] = await askCandidates(call, candidates, "first", async ({ document }) => document);
  if (first === undefined) throw new Refusal("route/no-server", `No server could open ${admitted.shown}.`);
  const document = first.answer;
  call.evidence.document = { admitted, hash: document.hash };
  call.places.asksAbout(document.uri, admitted, document.lines);
  return { admitted, candidates, document, counted: undefined, place: undefined, range: undefined };
}

/** A line and character as the agent counts them, as a place in the text. */
export function placeOf(call: CallState, lines: Lines, line: number, character: number): Place {
  const { lineBase, characterBase, unit } = call.plan.dialect.position;
  const at = line - lineBase;
  if (at < 0 || at >= lines.count || character < characterBase)
    throw new Refusal(
      "point/out-of-range",
      `The file has ${lines.count} lines, counted from ${lineBase}; characters are counted from ${characterBase}.`,
    );
  return { line: at, character: lines.column(at, character - characterBase, unit, "utf-16") };
}

/** Warns when a character that the agent counted lies past the end of its line. */
export function tellPastEnd(call: CallState, lines: Lines, { line, character }: Point): void {
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

/** A place in the columns of a server. */
export function placeFor(lines: Lines, place: Place, encoding: "utf-8" | "utf-16" | "utf-32"): LspPosition {
  return {
    line: place.line,
    character: lines.column(place.line, place.character, "utf-16", encoding),
  };
}

/** The whole text as a range, in the columns of a server. */
export function wholeRange(lines: Lines, encoding: "utf-8" | "utf-16" | "utf-32"): Span {
  const last = lines.count - 1;
  return {
    start: { line: 0, character: 0 },
    end: { line: last, character: lines.columns(last, encoding) },
  };
}

/** An argument that must be a whole number; the schema has made sure of it. */
export function numberIn(value: Json | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}
