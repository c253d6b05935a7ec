/**
 * Groups the items of a reply by file: each file is checked against the roots once, items outside are counted and
 * dropped, duplicates are removed. The order of items depends on the text of their file. Texts are read at once if the
 * listing fits a page, otherwise when their file is first shown.
 */
import type { Position, Range } from "vscode-languageserver-protocol";
import type { JsonObject } from "../../base/json.js";
import { compareKeys, compareText, type KeyPart, sortBy, sortInTurns } from "../../base/order.js";
import { ColumnWalk, type Lines, type PositionEncoding } from "../../base/text.js";
import { Turns } from "../../base/timing.js";
import type { LanguageServer } from "../../lsp/types.js";
import { documentKey } from "../../protocol/dialect-format.js";
import { itemKey } from "../../protocol/item-order.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { Admitted } from "../../workspace/gate-types.js";
import { pageSize } from "../answer/fit-answer.js";
import type { Places } from "../answer/places.js";
import type { CallState } from "../call-state.js";

interface CollectOptions {
  /** Whether a file inside the roots belongs to the listing; items of other files are dropped. */
  isHere?(admitted: Admitted): boolean;
  /** The unit that is counted as dropped: items by default. */
  dropped?: "files";
}

/** The items that name one file. */
interface Group<T> {
  /** Undefined when the file is outside the roots. */
  admitted: Admitted | undefined;
  uri: string;
  items: RawItem<T>[];
  /** Whether items come from several servers, so that duplicates show only after their columns are converted. */
  isMixed: boolean;
}

/** The items of a reply by file, files in the order in which they are shown. */
export async function collect<T>(
  call: CallState,
  kind: ItemKind<T>,
  source: Iterable<RawItem<T>>,
  { isHere, dropped }: CollectOptions = {},
): Promise<FileItems<T>[]> {
  const turns = new Turns(call.signal);
  const groups = await groupByFile(call, kind, source, isHere, turns);
  const key = documentKey(call.plan.dialect) === "uri" ? "uri" : "shown";
  const files: FileItems<T>[] = [];
  const mixed = new Set<FileItems<T>>();
  let outside = 0;
  for (const { admitted, items: all, isMixed } of sortBy(groups, (group) => [group.admitted?.[key]])) {
    const items = await uniqueItems(kind, all, turns);
    if (admitted === undefined) outside += dropped === "files" ? 1 : items.length;
    else {
      const file = { admitted, items, isSorted: false };
      files.push(file);
      if (isMixed) mixed.add(file);
    }
    if (turns.isDue) await turns.yield();
  }
  call.evidence.dropMany(outside);
  // Items that render equally are removed only here, because that needs all texts.
  const isWhole = files.length === 1 || itemCount(files) <= pageSize(call);
  for (const file of files)
    if (isWhole || mixed.has(file)) await sortUnique(kind, file, { places: call.places, turns });
  return files;
}

/** How many items files have together. */
export function itemCount(files: readonly FileItems<unknown>[]): number {
  return files.reduce((sum, { items }) => sum + items.length, 0);
}

async function groupByFile<T>(
  { places }: CallState,
  kind: ItemKind<T>,
  source: Iterable<RawItem<T>>,
  isHere: CollectOptions["isHere"],
  turns: Turns,
): Promise<Group<T>[]> {
  const byUri = new Map<string, Group<T>>();
  const byPath = new Map<string, Group<T>>();
  const groupOf = (uri: string): Group<T> => {
    const shown = places.show(uri);
    const admitted = shown !== undefined && (isHere?.(shown) ?? true) ? shown : undefined;
    const known = admitted && byPath.get(admitted.path);
    const group = known ?? { admitted, uri: admitted?.uri ?? uri, items: [], isMixed: false };
    byUri.set(uri, group);
    if (admitted !== undefined) byPath.set(admitted.path, group);
    return group;
  };
  for (const { server, uri, range, details } of source) {
    const group = byUri.get(uri) ?? groupOf(uri);
    const first = group.items[0]?.server ?? server;
    group.isMixed ||= server !== first && (kind.range !== undefined || server.encoding !== first.encoding);
    // One URI string per file: the reply's own strings can then be freed.
    group.items.push({ server, uri: group.uri, range, details });
    if (turns.isDue) await turns.yield();
  }
  return [...new Set(byUri.values())];
}

/** One item of a server's reply. */
export interface RawItem<T> {
  server: LanguageServer;
  uri: string;
  /** In the server's own columns; undefined when the server named only the file. */
  range: Range | undefined;
  /** Everything that the item says besides its place. */
  details: T;
}

/** How a shape compares and renders its items. It is kept for later pages, so it must not reference the reply. */
export interface ItemKind<T> {
  facts: ShapeFacts;
  /** Compares everything besides the range: items with the same range that compare as equal are duplicates. */
  compare(a: T, b: T): number;
  /** The size of everything besides the range, for the bound on kept listings. */
  bytes(details: T): number;
  /** The sort key of items with the same range, where it can be had without rendering them. */
  key?(details: T, places: Places): KeyPart[];
  /** The range to show, where it depends on the file's text; without this the item's own. */
  range?(item: RawItem<T>, lines: Lines | undefined): Range | undefined;
  render(item: RawItem<T>, admitted: Admitted, places: Places, lines: Lines | undefined): JsonObject;
}

/** How items are compared that are little besides one text. */
export function comparedAsText<T>(text: (details: T) => string): Pick<ItemKind<T>, "compare" | "bytes"> {
  return { compare: (a, b) => compareText(text(a), text(b)), bytes: (details) => bytesOfText(text(details)) };
}

/** V8's overhead per string. */
const BYTES_PER_TEXT = 64;

export function bytesOfText({ length }: string): number {
  return length === 0 ? 0 : BYTES_PER_TEXT + 2 * length;
}

/** The items of one file. Their order depends on the file's text, so a file is sorted when it is first shown. */
export interface FileItems<T> {
  admitted: Admitted;
  items: RawItem<T>[];
  isSorted: boolean;
}

/** The context for rendering the items of a call. */
export interface RenderContext {
  places: Places;
  turns: Turns;
}

/** Orders ranges by their four numbers; a missing range comes last. */
export function compareRanges(a: Range | undefined, b: Range | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  return (
    a.start.line - b.start.line ||
    a.start.character - b.start.character ||
    a.end.line - b.end.line ||
    a.end.character - b.end.character
  );
}

/** The items of one file in the servers' own order of ranges, without duplicates. */
async function uniqueItems<T>(kind: ItemKind<T>, items: RawItem<T>[], turns: Turns): Promise<RawItem<T>[]> {
  const compare = (a: RawItem<T>, b: RawItem<T>) =>
    compareRanges(a.range, b.range) ||
    kind.compare(a.details, b.details) ||
    compareText(a.server.encoding, b.server.encoding);
  const sorted = await sortInTurns(items, compare, turns);
  const unique: RawItem<T>[] = [];
  for (const item of sorted) {
    const before = unique.at(-1);
    if (before === undefined || compare(before, item) !== 0) unique.push(item);
    if (turns.isDue) await turns.yield();
  }
  return unique;
}

/** Brings the items of a file into the order in which they are shown. */
export async function sortFile<T>(
  kind: ItemKind<T>,
  file: FileItems<T>,
  context: RenderContext,
): Promise<void> {
  if (file.isSorted) return;
  const { sorted } = await shownOrder(kind, file, context);
  file.items = sorted.map(({ item }) => item);
  file.isSorted = true;
}

/** The same, and drops items that differ in the reply but not when they are shown. */
async function sortUnique<T>(kind: ItemKind<T>, file: FileItems<T>, context: RenderContext): Promise<void> {
  const { sorted, isTie, lines } = await shownOrder(kind, file, context);
  const text = (item: RawItem<T>) => JSON.stringify(kind.render(item, file.admitted, context.places, lines));
  const kept: Shown<T>[] = [];
  for (const shown of sorted) {
    const last = kept.at(-1);
    if (last === undefined || !isTie(last, shown) || text(last.item) !== text(shown.item)) kept.push(shown);
    if (context.turns.isDue) await context.turns.yield();
  }
  file.items = kept.map(({ item }) => item);
  file.isSorted = true;
}

/** An item with its range as it is shown, and the key that orders items of one range. */
interface Shown<T> {
  item: RawItem<T>;
  range: Range | undefined;
  key?: KeyPart[];
}

async function shownOrder<T>(
  kind: ItemKind<T>,
  { items, admitted }: FileItems<T>,
  { places, turns }: RenderContext,
) {
  const [first] = items;
  const lines = first && (await places.lines(first.server, admitted.uri));
  const shownRange = columnConverter(lines, places.dialect.position.unit);
  const shown: Shown<T>[] = [];
  for (const item of items) {
    const range = kind.range === undefined ? item.range : kind.range(item, lines);
    shown.push({ item, range: range && shownRange(range, item.server.encoding) });
    if (turns.isDue) await turns.yield();
  }
  const keyOf = (entry: Shown<T>): KeyPart[] => {
    entry.key ??=
      kind.key?.(entry.item.details, places) ??
      itemKey(kind.facts, kind.render(entry.item, admitted, places, lines), places.dialect);
    return entry.key;
  };
  const compareShown = (a: Shown<T>, b: Shown<T>) =>
    compareRanges(a.range, b.range) || compareKeys(keyOf(a), keyOf(b));
  const compare = (a: Shown<T>, b: Shown<T>) =>
    compareShown(a, b) || kind.compare(a.item.details, b.item.details);
  const sorted = await sortInTurns(shown, compare, turns);
  return { sorted, lines, isTie: (a: Shown<T>, b: Shown<T>) => compareShown(a, b) === 0 };
}

/** Converts ranges of one file to the columns that are shown. Ranges in ascending order cost one pass along a line. */
function columnConverter(lines: Lines | undefined, unit: PositionEncoding) {
  const walks = new Map<PositionEncoding, [ColumnWalk, ColumnWalk]>();
  return (range: Range, from: PositionEncoding): Range => {
    if (lines === undefined) return range;
    const walk = () => new ColumnWalk(lines, from, unit);
    const [start, end] = walks.get(from) ?? [walk(), walk()];
    walks.set(from, [start, end]);
    return { start: point(lines, start, range.start), end: point(lines, end, range.end) };
  };
}

/** A position past the last line is shown at the end of the text. */
function point(lines: Lines, walk: ColumnWalk, { line, character }: Position): Position {
  const last = lines.count - 1;
  if (line > last) return { line: last, character: walk.convert(last, Number.POSITIVE_INFINITY) };
  return { line, character: walk.convert(line, character) };
}
