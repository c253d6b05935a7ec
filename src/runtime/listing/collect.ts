/**
 * From the items of a reply to items grouped by file: each file is checked against the roots once, items outside are
 * counted and dropped, duplicates are removed. File texts are read only where a duplicate cannot be found without.
 */
import { sortBy } from "../../base/order.js";
import { documentKey } from "../../protocol/dialect-format.js";
import type { Admitted } from "../../workspace/types.js";
import { pageSize } from "../answer/size-limits.js";
import type { CallState } from "../call-state.js";
import { Turns } from "../turns.js";
import { type FileItems, type ItemKind, type RawItem, sortUnique, uniqueItems } from "./items.js";

/** How items are collected. */
export interface CollectOptions {
  /** Whether a file inside the roots belongs to the listing; items of other files are dropped. */
  isHere?(admitted: Admitted): boolean;
  /** What is counted as dropped: items, or files. */
  dropped: "items" | "files";
}

/** The items that name one file. */
interface Group<T> {
  /** Undefined when the file is outside the roots. */
  admitted: Admitted | undefined;
  uri: string;
  items: RawItem<T>[];
  /** Whether several servers named items here whose duplicates only the text can tell. */
  isMixed: boolean;
}

/** The items of a reply by file, files in the order in which they are shown. */
export async function collect<T>(
  call: CallState,
  kind: ItemKind<T>,
  source: Iterable<RawItem<T>>,
  { isHere, dropped }: CollectOptions,
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
    if (turns.isOver) await turns.pass();
  }
  call.evidence.dropMany(outside);
  // A listing that is shown whole is compared as it is shown: all of its files are read anyway.
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
  for (const { server, uri, range, what } of source) {
    const group = byUri.get(uri) ?? groupOf(uri);
    const first = group.items[0]?.server ?? server;
    group.isMixed ||= server !== first && (kind.range !== undefined || server.encoding !== first.encoding);
    // One URI string per file: the reply's own strings can then be freed.
    group.items.push({ server, uri: group.uri, range, what });
    if (turns.isOver) await turns.pass();
  }
  return [...new Set(byUri.values())];
}
