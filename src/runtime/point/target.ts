/** The document that a call is about: admitted, a regular file, and open in the first server that can be had. */
import type { Json } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { Soon } from "../../base/soon.js";
import type { Lines } from "../../base/text.js";
import type { OpenDocument } from "../../lsp/types.js";
import type { Point, Span } from "../../protocol/spelling.js";
import type { Admitted, Followed } from "../../workspace/types.js";
import { askCircle } from "../ask/ask.js";
import { type Circle, type DocumentCircle, documentCircle } from "../ask/circle.js";
import { tellNews } from "../ask/news.js";
import type { Attempt } from "../ask/steady.js";
import type { CallState } from "../call-state.js";
import type { LspPosition } from "../lsp-values.js";
import { Belief } from "./belief.js";

/** A place in a text: a zero-based line and a column in UTF-16 units, whatever a server or an agent counts. */
export type Place = LspPosition;

/** A document and the place in it that a call points at. */
export interface Target {
  admitted: Admitted;
  circle: Circle;
  document: OpenDocument;
  /** The numbers with which the agent counted the place itself, and may have miscounted. */
  counted: Point | undefined;
  place: Place | undefined;
  range: { start: Place; end: Place } | undefined;
}

/** Opens the document that a call named: at once, where it was named before and is open. */
export function openNamed(call: CallState, name: string): Soon<Target> {
  const believed = call.attempt?.isFirst ? openBelieved(call, call.attempt, name) : undefined;
  return believed ?? openTarget(call, name);
}

/** Opens the document of a name, or the one that a symbol stands in. */
export async function openTarget(call: CallState, name: string): Promise<Target> {
  const found = call.gate.admitFile(name);
  const followed = found instanceof Promise ? await found : found;
  const { admitted } = followed;
  const circle = documentCircle(call, admitted);
  const document = openAlready(call, circle) ?? (await openFirst(call, circle));
  if (document === undefined) throw new Refusal("route/no-server", `No server could open ${admitted.shown}.`);
  return targetAt(call, followed, circle, document);
}

/** The same of a name that was followed before, where the document is open and as the file is, or is taken to be until the look at all files. */
function openBelieved(call: CallState, attempt: Attempt, name: string): Target | undefined {
  const { gate, evidence } = call;
  const followed = gate.recall(name);
  if (followed === undefined) return undefined;
  const { admitted } = followed;
  // Also what is refused is refused of a file that the name may not lead to any more.
  evidence.belief = new Belief(gate, name, admitted);
  const circle = documentCircle(call, admitted);
  const document = openAlready(call, circle);
  if (document !== undefined) {
    evidence.belief.proveSoon(() => attempt.giveUp());
    return targetAt(call, followed, circle, document);
  }
  evidence.belief = undefined;
  for (const { id } of circle.servers) evidence.awaitsNoMore(id);
  return undefined;
}

function targetAt(
  call: CallState,
  { admitted, named }: Followed,
  circle: Circle,
  document: OpenDocument,
): Target {
  call.evidence.document = { admitted, hash: document.hash };
  if (named !== admitted.path) call.evidence.named.push(named);
  call.places.asksAbout(document.uri, admitted, document.lines);
  return { admitted, circle, document, counted: undefined, place: undefined, range: undefined };
}

/** The document, where the only server of its kind has it at hand. */
function openAlready(call: CallState, { servers, atHand }: DocumentCircle): OpenDocument | undefined {
  const [only] = servers;
  const attached = only === undefined || servers.length > 1 ? undefined : atHand(only);
  if (attached !== undefined) tellNews(call, attached.server);
  return attached?.document;
}

/** The document in the first server that can be had. */
async function openFirst(call: CallState, circle: DocumentCircle): Promise<OpenDocument | undefined> {
  const [first] = await askCircle<OpenDocument>(call, circle, "first", ({ document }) => document);
  return first?.answer;
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
