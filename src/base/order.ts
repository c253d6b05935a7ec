/**
 * All sorting of this program: texts by UTF-16 code unit, never by locale; keys part by part; missing parts last.
 * No other file sorts on its own; a test checks that.
 */

/** Compares two texts by code unit. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A part of a sort key. `undefined` sorts after everything else. */
export type KeyPart = string | number | boolean | undefined;

/** Compares two key parts; a missing part comes last. Parts of different types are ordered by type name. */
export function comparePart(a: KeyPart, b: KeyPart): number {
  if (a === b) return 0;
  if (a === undefined) return 1;
  if (b === undefined) return -1;
  if (typeof a !== typeof b) return compareText(typeof a, typeof b);
  if (typeof a === "string") return compareText(a, b as string);
  return Number(a) - Number(b);
}

/** Compares two keys part by part. */
export function compareKeys(a: readonly KeyPart[], b: readonly KeyPart[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = comparePart(a[i], b[i]);
    if (order !== 0) return order;
  }
  return 0;
}

/** A sorted copy; each item's key is computed once. */
export function sortBy<T>(items: readonly T[], key: (item: T) => readonly KeyPart[]): T[] {
  return items
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map((entry) => entry.item);
}

/** A sorted copy by a comparison; equal items keep their order. */
function sortWith<T>(items: readonly T[], compare: (a: T, b: T) => number): T[] {
  return [...items].sort(compare);
}

/** Items that are sorted in one turn: few, because a comparison of two symbols may take some microseconds. */
const RUN_LENGTH = 512;
/** Steps between two looks at the clock. */
const STEPS_PER_LOOK = 64;

/** The part of `Turns` that is used here. The page of the dashboard uses this file, and has no types of Node. */
interface Turns {
  readonly isDue: boolean;
  yield(): Promise<void>;
}

/** The results of a function for the items of a list of any length, in turns. */
export async function mapInTurns<T, U>(items: readonly T[], map: (item: T) => U, turns: Turns): Promise<U[]> {
  const mapped: U[] = [];
  for (const item of items) {
    mapped.push(map(item));
    if (mapped.length % STEPS_PER_LOOK === 0 && turns.isDue) await turns.yield();
  }
  return mapped;
}

/** The same as `sortBy`, in turns. */
export async function sortByInTurns<T>(
  items: readonly T[],
  key: (item: T) => readonly KeyPart[],
  turns: Turns,
): Promise<T[]> {
  const keyed = await mapInTurns(items, (item) => ({ item, key: key(item) }), turns);
  const sorted = await sortInTurns(keyed, (a, b) => compareKeys(a.key, b.key), turns);
  return sorted.map(({ item }) => item);
}

/** The same as `uniqueBy`, in turns. */
export async function uniqueByInTurns<T>(
  items: readonly T[],
  identity: (item: T) => string,
  turns: Turns,
): Promise<T[]> {
  const seen = new Set<string>();
  const isNew = await mapInTurns(items, (item) => seen.size < seen.add(identity(item)).size, turns);
  return items.filter((_, index) => isNew[index]);
}

/** The same as `sortWith` for lists of any length: a merge sort that lets other work run between its parts. */
export async function sortInTurns<T>(
  items: readonly T[],
  compare: (a: T, b: T) => number,
  turns: Turns,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let start = 0; start < items.length; start += RUN_LENGTH) {
    runs.push(sortWith(items.slice(start, start + RUN_LENGTH), compare));
    if (turns.isDue) await turns.yield();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let index = 0; index < runs.length; index += 2)
      merged.push(await merge(runs[index] ?? [], runs[index + 1] ?? [], compare, turns));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
  turns: Turns,
): Promise<T[]> {
  const merged: T[] = [];
  let [at, next] = [0, 0];
  while (at < left.length && next < right.length) {
    const isRight = compare(right[next] as T, left[at] as T) < 0;
    merged.push((isRight ? right[next++] : left[at++]) as T);
    if (merged.length % STEPS_PER_LOOK === 0 && turns.isDue) await turns.yield();
  }
  return merged.concat(left.slice(at), right.slice(next));
}

/** A sorted copy without duplicates. */
export function sortedSet(items: Iterable<string>): string[] {
  return [...new Set(items)].sort(compareText);
}

/** The keys of a table by code unit, which is the default order of `sort`. */
export function sortedKeys(table: object): string[] {
  return Object.keys(table).sort();
}

/** A copy without later items whose identity was seen before. */
export function uniqueBy<T>(items: readonly T[], identity: (item: T) => string): T[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const id = identity(item);
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}
