/** Few rows of a reply: kept as they were told, grouped by file, each once. */
import { sortWithNumber } from "../../base/order.js";
import type { CallState } from "../call-state.js";
import { type Collecting, fileOrder, type Named } from "./named-files.js";
import { compareRanges, compareWhat, type Row, type RowFile, type RowKind, startNumber } from "./row.js";
import { PlainRows } from "./row-store.js";
import { Rows } from "./rows.js";

/** Rows in the order in which they were told, each with the number of its file. */
export interface Few<T> {
  rows: Row<T>[];
  fileOf: number[];
}

/** Few rows, those of a file together, each once. */
export function plain<T>(
  call: CallState,
  kind: RowKind<T>,
  { rows, fileOf }: Few<T>,
  named: readonly Named[],
  dropped: Collecting["dropped"],
): Rows<T> {
  const groups = named.length === 1 ? [rows] : named.map((): Row<T>[] => []);
  if (named.length > 1) for (const [at, row] of rows.entries()) groups[fileOf[at] ?? 0]?.push(row);
  const files: RowFile[] = [];
  const kept: Row<T>[] = [];
  let outside = 0;
  for (const index of fileOrder(call, named)) {
    const [file, group] = [named[index], groups[index]];
    if (file === undefined || group === undefined) continue;
    const unique = eachOnce(group, kind);
    if (file.admitted === undefined) outside += dropped === "files" ? 1 : unique.length;
    else {
      files.push({ admitted: file.admitted, start: kept.length, length: unique.length, isOrdered: false });
      for (const row of unique) kept.push(row);
    }
  }
  call.evidence.dropMany(outside);
  return new Rows(kind, new PlainRows(kept), files);
}

/** The rows of a file, sorted by place, each once; those that stand so already are not sorted. */
function eachOnce<T>(rows: Row<T>[], kind: RowKind<T>): Row<T>[] {
  if (rows.every((row, at) => at === 0 || compareRanges(rows[at - 1]?.range, row.range) < 0)) return rows;
  const compare = (a: Row<T>, b: Row<T>) =>
    compareRanges(a.range, b.range) || compareWhat(kind, a.what, b.what);
  const sorted = sortWithNumber(rows, ({ range }) => startNumber(range), compare);
  return sorted.filter((row, at) => {
    const before = sorted[at - 1];
    return before === undefined || compare(before, row) !== 0;
  });
}
