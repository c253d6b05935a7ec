/** Raw LSP values as they come off the wire: checked before use, so that a server's nonsense is a clear refusal. */
import { isTable } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import type { LanguageServer } from "../lsp/types.js";
import { symbolKinds } from "../protocol/shapes.js";

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

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

/** A reply's items: a list as it is, null as none, anything else as the only one. */
export function listOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** LSP's symbol kind as a word. */
export function kindWord(kind: unknown): string {
  return (typeof kind === "number" ? symbolKinds[kind - 1] : undefined) ?? "unknown";
}

/** A server said something that is not the protocol. */
export function garbled(server: LanguageServer | undefined, what: string): Refusal {
  const who = server === undefined ? "A step" : `The server ${server.plan.id}`;
  return new Refusal("lsp/garbled", `${who} answered with something that is not ${what}.`);
}
