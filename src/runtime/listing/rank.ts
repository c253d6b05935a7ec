/** Items in the order in which servers rank them, instead of by file: the best match of a search comes first. */
import { compareKeys, type KeyPart, sortInTurns, uniqueBy } from "../../base/order.js";
import { Turns } from "../../base/timing.js";
import type { CallState } from "../call-state.js";
import type { FileItems, RawItem } from "./collect.js";

/** An item and its rank: `key` first, then its place in its server's list. */
export interface RankedItem<T> {
  item: RawItem<T>;
  /** Everything that it says besides its place: items of one place with the same text are duplicates. */
  text: string;
  key: KeyPart[];
  index: number;
}

/** One entry per item, best first. Items of equal rank are ordered by server, so several servers take turns. */
export async function collectRanked<T>(
  call: CallState,
  source: Iterable<RankedItem<T>>,
): Promise<FileItems<T>[]> {
  const turns = new Turns(call.signal);
  const found: (RankedItem<T> & { identity: string; order: KeyPart[] })[] = [];
  for (const ranked of source) {
    const { server, uri, range } = ranked.item;
    const path = call.places.show(uri)?.path ?? uri;
    found.push({
      ...ranked,
      identity: JSON.stringify([path, range ?? null, ranked.text]),
      order: [...ranked.key, ranked.index, server.plan.id, server.root],
    });
    if (turns.isDue) await turns.yield();
  }
  const sorted = await sortInTurns(found, (a, b) => compareKeys(a.order, b.order), turns);
  const files: FileItems<T>[] = [];
  for (const { item } of uniqueBy(sorted, ({ identity }) => identity)) {
    const admitted = call.places.show(item.uri);
    if (admitted === undefined) call.evidence.dropMany(1);
    else files.push({ admitted, items: [{ ...item, uri: admitted.uri }], isSorted: true });
  }
  return files;
}
