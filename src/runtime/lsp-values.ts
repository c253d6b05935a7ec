/** Type guards and readers for raw LSP values: a malformed reply becomes a clear refusal. */
import { isTable } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import type { LanguageServer } from "../lsp/types.js";
import { symbolKinds, wordOf } from "../protocol/kinds.js";

/** A position in a server's own columns. */
export interface LspPosition {
  line: number;
  character: number;
}

/** A range in a server's own columns. */
export interface LspRange {
  start: LspPosition;
  end: LspPosition;
}

/** Whether a value is a position. */
export function isPosition(value: unknown): value is LspPosition {
  return isTable(value) && isCount(value.line) && isCount(value.character);
}

/** Whether a value is a range. */
export function isRange(value: unknown): value is LspRange {
  return isTable(value) && isPosition(value.start) && isPosition(value.end);
}

/** Whether a value is a non-negative integer. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** The items of a reply: a list as it is, null as none, anything else as the only item. */
export function listOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** A text, plain or in markup; undefined when it is empty. */
export function markupText(value: unknown): string | undefined {
  const text = isTable(value) ? value.value : value;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
}

/** LSP's symbol kind as a word. */
export function kindWord(kind: unknown): string {
  return wordOf(symbolKinds, kind) ?? "unknown";
}

/** The refusal of a reply that is not what the protocol says. */
export function garbled(server: LanguageServer | undefined, what: string): Refusal {
  const who = server === undefined ? "A step" : `The server ${server.plan.id}`;
  return new Refusal("lsp/garbled", `${who} answered with something that is not ${what}.`);
}
