/** Counts for conditions and picked members: the items of a list, or the locations in it that are outside a range. */
import type { Range } from "vscode-languageserver-protocol";
import { getAt, isTable } from "../../base/json.js";
import { pathOfUri } from "../../base/paths.js";
import type { CallState } from "../call-state.js";
import { isBefore } from "../point/symbols.js";
import { isRange, locationIn } from "./candidates.js";

/** The length of a list, a number itself, zero for nothing; undefined for anything else. */
export function countOf(
  call: CallState,
  item: unknown,
  value: unknown,
  outside: string[] | undefined,
): number | undefined {
  if (value === null || value === undefined) return 0;
  if (typeof value === "number") return value;
  if (!Array.isArray(value)) return undefined;
  const place = outside && locationOf(call, getAt(item, outside));
  return place === undefined ? value.length : value.filter((entry) => isOutside(entry, place)).length;
}

interface FileRange {
  path: string | undefined;
  range: Range;
}

/** A range of the call's own document, or a location. */
function locationOf({ evidence }: CallState, value: unknown): FileRange | undefined {
  if (isRange(value)) return { path: evidence.document?.admitted.path, range: value };
  const location = locationIn(isTable(value) && isTable(value.location) ? value.location : value);
  return location && { path: pathOfUri(location.uri), range: location.range };
}

/** Whether a value is outside a range. A value that is not a location counts as outside. */
function isOutside(entry: unknown, { path, range }: FileRange): boolean {
  const location = locationIn(entry);
  if (location === undefined || pathOfUri(location.uri) !== path) return true;
  return isBefore(location.range.start, range.start) || isBefore(range.end, location.range.end);
}
