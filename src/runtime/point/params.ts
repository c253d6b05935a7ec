/** The parameters of a request: a base filled from the call's target, overlaid with what the tool sets. */
import { define, isTable, type Json, type JsonObject } from "../../base/json.js";
import { Refusal } from "../../base/problem.js";
import type { Attached } from "../ask/reply.js";
import { isRange } from "../lsp-values.js";
import { indentationOf } from "./indentation.js";
import { isBefore } from "./symbols.js";
import { placeFor, type Target, wholeRange } from "./target.js";

/** `{ textDocument }`. */
export function documentBase(target: Target): JsonObject {
  return { textDocument: { uri: target.document.uri } };
}

/** `{ textDocument, options }`: the file's own indentation, four spaces when it has none. */
export function formattingBase(target: Target): JsonObject {
  return { ...documentBase(target), options: { ...indentationOf(target.document.lines) } };
}

/** `{ textDocument, position }`, in the columns of the server that gets it. */
export function positionBase(target: Target, { server }: Attached): JsonObject {
  if (target.place === undefined)
    throw new Refusal("point/incomplete", "This tool needs a position in the file.");
  const { line, character } = placeFor(target.document.lines, target.place, server.encoding);
  return { textDocument: { uri: target.document.uri }, position: { line, character } };
}

/** `{ textDocument, positions }`, for methods that take several positions. */
export function positionsBase(target: Target, attached: Attached): JsonObject {
  const { position, ...rest } = positionBase(target, attached);
  return { ...rest, positions: position === undefined ? [] : [position] };
}

/** `{ textDocument, range }`: the call's range, else its position, else the whole document. */
export function rangeBase(target: Target, { server }: Attached): JsonObject {
  const { lines } = target.document;
  const at = (place: { line: number; character: number }): JsonObject => {
    const { line, character } = placeFor(lines, place, server.encoding);
    return { line, character };
  };
  const chosen = target.range ?? (target.place && { start: target.place, end: target.place });
  if (chosen !== undefined)
    return { ...documentBase(target), range: { start: at(chosen.start), end: at(chosen.end) } };
  const whole = wholeRange(lines, server.encoding);
  return { ...documentBase(target), range: { start: { ...whole.start }, end: { ...whole.end } } };
}

/** `{ textDocument, range, context }` with the diagnostics that touch the range. */
export function rangeDiagnosticsBase(target: Target, attached: Attached, found: readonly Json[]): JsonObject {
  const base = rangeBase(target, attached);
  const { range } = base;
  const touching = found.filter((entry) => isTable(entry) && touches(entry.range, range));
  return { ...base, context: { diagnostics: touching } };
}

function touches(a: unknown, b: unknown): boolean {
  return isRange(a) && isRange(b) && !isBefore(a.end, b.start) && !isBefore(b.end, a.start);
}

/** Merges one table over another, recursively; undefined members are left out. */
export function overlay(base: JsonObject, set: JsonObject | undefined): JsonObject {
  if (set === undefined) return base;
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
