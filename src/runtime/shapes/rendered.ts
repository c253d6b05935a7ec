/** Helpers for rendered items: files, positions and ranges as short text, and the snippets beside places. */
import type { AnswerOptions } from "../../abi/handler.js";
import type { DialectPlan } from "../../abi/plan.js";
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { documentKey, spanNames } from "../../protocol/spelling.js";
import { withMoreCharacters } from "../answer/next-steps.js";
import type { SnippetBounds } from "../answer/places.js";
import type { Lighter } from "./shape.js";

/** An item as a table; anything else as an empty table. */
export function table(item: Json | undefined): JsonObject {
  return isTable(item) ? (item as JsonObject) : {};
}

/** A text member, or the empty text. */
export function textOf(item: Json | undefined): string {
  return typeof item === "string" ? item : "";
}

/** The file of an item. */
export function fileOf(item: Json, dialect: DialectPlan): string {
  return textOf(table(item)[documentKey(dialect)]);
}

/** `line:character` of a position. */
export function placeText(item: Json, dialect: DialectPlan): string {
  const members = table(item);
  return pair(dialect.position.answers === "object" ? members.position : members, dialect);
}

/** `line:character-line:character` of a range, or an empty text when the item has none. */
export function rangeText(item: Json, dialect: DialectPlan): string {
  const members = table(item);
  if (dialect.position.answers === "object") {
    const range = table(members.range);
    return members.range === undefined ? "" : `${pair(range.start, dialect)}-${pair(range.end, dialect)}`;
  }
  const names = spanNames(dialect);
  if (members[names.line] === undefined) return "";
  return `${members[names.line]}:${members[names.character]}-${members[names.endLine]}:${members[names.endCharacter]}`;
}

/** Lines under one heading per file; the items are sorted by file. */
export function byFile(items: Json[], dialect: DialectPlan, line: (item: Json) => string[]): string[] {
  const lines: string[] = [];
  let current: string | undefined;
  for (const item of items) {
    const file = fileOf(item, dialect);
    if (file !== current) lines.push(file);
    current = file;
    lines.push(...line(item).map((text) => `  ${text}`));
  }
  return lines;
}

function pair(point: Json | undefined, dialect: DialectPlan): string {
  const members = table(point);
  return `${members[dialect.position.line]}:${members[dialect.position.character]}`;
}

/** What a tool or a call asks for, within the allowed bounds; undefined for no snippets. */
export function snippetBounds(asked: AnswerOptions["snippet"]): SnippetBounds | undefined {
  if (asked?.show === false) return undefined;
  const within = (value: Json | undefined, low: number, high: number, otherwise: number) =>
    typeof value === "number" ? Math.min(high, Math.max(low, Math.floor(value))) : otherwise;
  return {
    contextLines: within(asked?.contextLines, 0, 10, 0),
    maxChars: within(asked?.maxChars, 40, 4000, 400),
  };
}

/** Drops the snippets of items. */
export const withoutSnippets: Lighter = {
  levels: (items) => (items.some(hasText) ? 1 : 0),
  lighten: (items, level) => (level === 0 ? items : items.map(withoutText)),
  describe: (items, _level, call) => ({
    warning: {
      code: "answer/snippets-dropped",
      message: "The snippets were left out, so that more places fit.",
      data: { count: items.filter(hasText).length },
    },
    steps: withMoreCharacters(call),
    isCut: false,
  }),
};

function hasText(item: Json): boolean {
  return table(item).text !== undefined;
}

function withoutText(item: Json): Json {
  const { text: _, ...place } = table(item);
  return place;
}
