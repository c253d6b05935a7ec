/** The places in a structured answer, in the names of the dialect: files with a range, at any depth. */
import type { DialectPlan } from "../abi/plan.js";
import { isTable, type Json, type JsonObject } from "../base/json.js";
import { pathOfUri } from "../base/paths.js";
import { documentKey, spanNames } from "../protocol/dialect-format.js";
import type { FileRange } from "./api.js";

const MAX_PLACES = 2_000;

/** The places of an answer. One without a file of its own is in that of the table around it, or in `asked`. */
export function placesIn(answer: JsonObject, dialect: DialectPlan, asked: string | undefined): FileRange[] {
  const places: FileRange[] = [];
  const documents = isTable(answer.document) ? fileIn(answer.document, dialect) : undefined;
  const walk = (value: Json | undefined, around: string | undefined): void => {
    if (Array.isArray(value)) {
      for (const item of value) walk(item, around);
    }
    if (!isTable(value) || places.length >= MAX_PLACES) return;
    const path = fileIn(value, dialect) ?? around;
    const range = rangeIn(value, dialect);
    if (path !== undefined && range !== undefined) places.push({ path, ...range });
    for (const [name, inner] of Object.entries(value)) {
      if (name !== "document") walk(inner, path);
    }
  };
  walk(answer, documents ?? asked);
  return places;
}

function fileIn(value: JsonObject, dialect: DialectPlan): string | undefined {
  const key = documentKey(dialect);
  const name = value[dialect.members[key] ?? key];
  if (typeof name !== "string") return undefined;
  return key === "uri" ? pathOfUri(name) : name;
}

/** The range of an item: flat, or a table with a start and an end. */
function rangeIn(value: JsonObject, dialect: DialectPlan): Omit<FileRange, "path"> | undefined {
  const { lineBase, characterBase, answers } = dialect.position;
  const { line, character, endLine, endCharacter } = spanNames(dialect);
  const { range } = value;
  const [start, end] = answers === "flat" || !isTable(range) ? [value, value] : [range.start, range.end];
  if (!isTable(start) || !isTable(end)) return undefined;
  const isFlat = start === value;
  const numbers = [
    start[line],
    start[character],
    end[isFlat ? endLine : line],
    end[isFlat ? endCharacter : character],
  ];
  const [first, column, last, endColumn] = numbers;
  if (typeof first !== "number" || typeof column !== "number") return undefined;
  if (typeof last !== "number" || typeof endColumn !== "number") return undefined;
  return {
    line: first + 1 - lineBase,
    column: column + 1 - characterBase,
    endLine: last + 1 - lineBase,
    endColumn: endColumn + 1 - characterBase,
  };
}
