/**
 * The one total order of this program: by UTF-16 code unit, never by locale.
 * No other file sorts on its own; a test holds that.
 */

/** Compares two texts by code unit. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A part of a sort key. `undefined` sorts after everything else. */
export type KeyPart = string | number | boolean | undefined;

/** Compares two key parts; a missing part comes last. Parts of different types order by type name. */
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
  if (items.length < 2) return [...items];
  return items
    .map((item) => ({ item, key: key(item) }))
    .sort((a, b) => compareKeys(a.key, b.key))
    .map((entry) => entry.item);
}

/** A sorted copy by a comparison of several things in turn; equal items keep their order. */
export function sortWith<T>(items: readonly T[], compare: (a: T, b: T) => number): T[] {
  return [...items].sort(compare);
}

/** A number below the one and a count below the other are one number together, exactly. */
const mostNumbers = 2 ** 43;
const mostItems = 2 ** 10;

/**
 * The same, where a number tells most of it: a whole one, never negative and never less for an item that comes later. Numbers are
 * sorted without calling a comparison, the quicker the fewer are the same; only items with the same number are compared.
 */
export function sortWithNumber<T>(
  items: readonly T[],
  number: (item: T) => number,
  compare: (a: T, b: T) => number,
): T[] {
  const { length } = items;
  if (length > mostItems) return sortWith(items, compare);
  const keys = new Float64Array(length);
  for (let index = 0; index < length; index++)
    keys[index] = Math.min(number(items[index] as T), mostNumbers - 1) * mostItems + index;
  keys.sort();
  const sorted = new Array<T>(length);
  let first = 0;
  let common = -1;
  for (let at = 0; at <= length; at++) {
    const key = keys[at] ?? -1;
    const own = Math.floor(key / mostItems);
    if (own !== common) {
      if (at - first > 1) sortPart(sorted, first, at, compare);
      [first, common] = [at, own];
    }
    if (at < length) sorted[at] = items[key - own * mostItems] as T;
  }
  return sorted;
}

function sortPart<T>(items: T[], from: number, to: number, compare: (a: T, b: T) => number): void {
  const part = items.slice(from, to).sort(compare);
  for (const [index, item] of part.entries()) items[from + index] = item;
}

const sliceLength = 1024;

/** Sorts numbers slice by slice, `between` awaited in between; what is in order already costs one look. Equal ones keep their order. */
export async function sortSlices(
  items: Uint32Array,
  compare: (a: number, b: number) => number,
  between: () => Promise<void>,
): Promise<Uint32Array> {
  let from = items;
  for (let start = 0; start < from.length; start += sliceLength) {
    const slice = from.subarray(start, start + sliceLength);
    if (!isAscending(slice, compare)) slice.sort(compare);
    if (from.length > sliceLength) await between();
  }
  let to = from.length > sliceLength ? new Uint32Array(from.length) : from;
  for (let width = sliceLength; width < from.length; width *= 2) {
    for (let start = 0; start < from.length; start += 2 * width)
      await merge(from, to, { start, middle: start + width, end: start + 2 * width }, compare, between);
    [from, to] = [to, from];
  }
  return from;
}

function isAscending(items: Uint32Array, compare: (a: number, b: number) => number): boolean {
  for (let index = 1; index < items.length; index++)
    if (compare(items[index - 1] ?? 0, items[index] ?? 0) > 0) return false;
  return true;
}

/** Two sorted neighbours as one. */
async function merge(
  from: Uint32Array,
  to: Uint32Array,
  { start, middle, end }: { start: number; middle: number; end: number },
  compare: (a: number, b: number) => number,
  between: () => Promise<void>,
): Promise<void> {
  const last = Math.min(end, from.length);
  let [left, right] = [start, middle];
  if (middle >= last || compare(from[middle - 1] ?? 0, from[middle] ?? 0) <= 0) {
    to.set(from.subarray(start, last), start);
    return;
  }
  for (let out = start; out < last; out++) {
    const isLeft = right >= last || (left < middle && compare(from[left] ?? 0, from[right] ?? 0) <= 0);
    to[out] = (isLeft ? from[left++] : from[right++]) ?? 0;
    if ((out - start) % sliceLength === sliceLength - 1) await between();
  }
}

/** A sorted copy of texts without duplicates: how sets are written down. */
export function sortedSet(items: Iterable<string>): string[] {
  if (Array.isArray(items) && items.length < 2) return items.slice();
  return [...new Set(items)].sort(compareText);
}

/** The keys of a table in order; those that were written in order already, as most are, are not sorted again. */
export function sortedKeys(table: object): string[] {
  const keys = Object.keys(table);
  for (let index = 1; index < keys.length; index++) {
    // Texts without a comparison of their own are sorted by code unit, and quicker.
    if ((keys[index - 1] ?? "") > (keys[index] ?? "")) return keys.sort();
  }
  return keys;
}

/** A copy without later items whose identity was seen before. */
export function uniqueBy<T>(items: readonly T[], identity: (item: T) => string): T[] {
  if (items.length < 2) return [...items];
  const seen = new Set<string>();
  return items.filter((item) => {
    const id = identity(item);
    if (seen.has(id)) return false;
    seen.add(id);
    return true;
  });
}
