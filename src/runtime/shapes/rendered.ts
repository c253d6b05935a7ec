/** Reads rendered items back for the text form: files, positions and ranges in short. */
import type { DialectPlan } from "../../abi/plan.js";
import { isTable, type Json, type JsonObject } from "../../base/json.js";
import { documentKey, spanNames } from "../../protocol/dialect-format.js";

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
