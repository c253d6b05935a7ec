/**
 * From raw items to rows: each file judged once, whatever lies outside counted and left out, duplicates found by their
 * numbers. No text is read but where servers that count differently, or know a name's place differently, tell of one file.
 */
import { sortSlices } from "../../base/order.js";
import { oneByOne, type Soon, whenThere } from "../../base/soon.js";
import { pageSize } from "../answer/limits.js";
import type { CallState } from "../call-state.js";
import { Turns } from "../turns.js";
import { type Few, plain } from "./few.js";
import type { Speller } from "./list.js";
import { type Collecting, fileOrder, type Named, NamedFiles } from "./named-files.js";
import { Numbers } from "./numbers.js";
import type { Row, RowFile, RowKind } from "./row.js";
import { PackedRows } from "./row-store.js";
import { fewRows, Rows } from "./rows.js";

/** Rows as they come, and the number of the file of each. */
interface Gathered<T> {
  rows: PackedRows<T>;
  fileOf: Numbers;
}

/** Few rows, for more to come. */
function gatheredFrom<T>(kind: RowKind<T>, { rows, fileOf }: Few<T>): Gathered<T> {
  const gathered = { rows: PackedRows.of(kind, 2 * rows.length), fileOf: new Numbers() };
  for (const row of rows) gathered.rows.add(row);
  for (const file of fileOf) gathered.fileOf.push(file);
  return gathered;
}

/** The rows of a reply, duplicates left out, what lies outside counted as dropped. */
export function collect<T>(
  call: CallState,
  kind: RowKind<T>,
  source: Iterable<Row<T>>,
  { isHere, dropped }: Collecting,
): Soon<Rows<T>> {
  const turns = new Turns(call.signal);
  const files = new NamedFiles(call.places, kind, isHere);
  const few: Few<T> = { rows: [], fileOf: [] };
  let many: Gathered<T> | undefined;
  const gathering = oneByOne(source[Symbol.iterator](), (row) => {
    const before = files.named.length;
    const file = files.of(row);
    if (few.rows.length === fewRows) many ??= gatheredFrom(kind, few);
    if (many === undefined) few.rows.push(row);
    else many.rows.add(row);
    (many ?? few).fileOf.push(file);
    // A file is looked at, which a disk may take its time for.
    return (files.named.length > before ? turns.isLate : turns.isOver) ? turns.pass() : undefined;
  });
  const { named } = files;
  const found = whenThere(gathering, () =>
    many === undefined
      ? plain(call, kind, few, named, dropped)
      : packed(call, kind, many, named, dropped, turns),
  );
  return whenThere(found, (rows) => settled(call, rows, { places: call.places, turns }, named));
}

/** Rows side by side, those of a file together, each once. */
async function packed<T>(
  call: CallState,
  kind: RowKind<T>,
  gathered: Gathered<T>,
  named: readonly Named[],
  dropped: Collecting["dropped"],
  turns: Turns,
): Promise<Rows<T>> {
  const compare = (a: number, b: number) => gathered.rows.compare(a, b);
  const grouped = groups(named, gathered.fileOf.data);
  const files: RowFile[] = [];
  const unique = new Numbers();
  let outside = 0;
  for (const index of fileOrder(call, named)) {
    const [file, group] = [named[index], grouped[index]];
    if (file === undefined || group === undefined) continue;
    const own = group.length > 1 ? await withoutRepeats(group, compare, turns) : group;
    if (file.admitted === undefined) outside += dropped === "files" ? 1 : own.length;
    else {
      files.push({ admitted: file.admitted, start: unique.length, length: own.length, isOrdered: false });
      for (const row of own) unique.push(row);
    }
    if (turns.isOver) await turns.pass();
  }
  call.evidence.dropMany(outside);
  return new Rows(kind, await gathered.rows.picked(unique.data, turns), files);
}

/** The rows of a file, sorted by place, each once. */
async function withoutRepeats(
  group: Uint32Array,
  compare: (a: number, b: number) => number,
  turns: Turns,
): Promise<Uint32Array> {
  const sorted = await sortSlices(group, compare, () => turns.rest());
  let length = 0;
  for (let at = 0; at < sorted.length; at++) {
    const row = sorted[at] ?? 0;
    if (length === 0 || compare(sorted[length - 1] ?? 0, row) !== 0) sorted[length++] = row;
  }
  return sorted.subarray(0, length);
}

/** The numbers of each file's rows, in the order in which they were told. */
function groups(named: readonly Named[], fileOf: Uint32Array): Uint32Array[] {
  const groups = named.map(({ length }) => new Uint32Array(length));
  const filled = new Uint32Array(named.length);
  for (let row = 0; row < fileOf.length; row++) {
    const file = fileOf[row] ?? 0;
    const at = filled[file] ?? 0;
    const group = groups[file];
    if (group !== undefined) group[at] = row;
    filled[file] = at + 1;
  }
  return groups;
}

/** Files whose text is needed to know what is the same are read at once; so are all of a list that is shown whole. */
function settled<T>(
  call: CallState,
  rows: Rows<T>,
  speller: Speller,
  named: readonly Named[],
): Soon<Rows<T>> {
  const isWhole = rows.length <= pageSize(call) || rows.files.length === 1;
  const mixed = isWhole ? undefined : new Set(named.flatMap((file) => (file.isMixed ? [file.admitted] : [])));
  const settling = oneByOne(rows.files.values(), (file) => {
    if (mixed?.has(file.admitted) === false) return undefined;
    if (file.length > 1) return rows.settle(file, speller);
    file.isOrdered = true;
  });
  return whenThere(settling, () => rows);
}
