/**
 * Processes the list of a step: takes it out of the reply, flattens trees, filters, picks members, sorts and limits.
 * The items are foreign data of any size: each part is linear and pauses, and the result does not depend on the
 * server's order.
 */
import type { Condition, ListOptions } from "../../abi/handler.js";
import { getAt, isTable, type Json } from "../../base/json.js";
import { comparePart, type KeyPart, mapInTurns, sortInTurns } from "../../base/order.js";
import { Turns } from "../../base/timing.js";
import type { CallState } from "../call-state.js";
import { listOf, type ReplyData, type ReplyPart } from "./candidates.js";
import { countOf } from "./counts.js";
import { inOrder } from "./each.js";
import { pickMembers } from "./pick.js";

/** The reply with the items of its list as its parts. */
export async function applyList(call: CallState, reply: ReplyData, options: ListOptions): Promise<ReplyData> {
  const turns = new Turns(call.signal);
  let items = await itemsIn(reply, options, turns);
  // The items of an `each`, a list or a tool are in order already.
  if (!reply.perItem) items = await ordered(items, options.flatten, turns);
  const { where, pick, sort, limit } = options;
  if (where !== undefined) {
    const kept = await mapInTurns(items, ({ value }) => where.every((one) => holds(call, value, one)), turns);
    items = items.filter((_, index) => kept[index]);
  }
  if (pick !== undefined) {
    const picked: ReplyPart[] = [];
    for (const part of items) {
      const value = await pickMembers(call, part, pick);
      if (value !== undefined) picked.push({ ...part, value });
      if (turns.isDue) await turns.yield();
    }
    items = picked;
  }
  if (sort !== undefined) items = await sorted(items, sort, turns);
  if (typeof limit === "number" && items.length > limit) {
    call.evidence.truncated(`Only ${limit} of ${items.length} items are kept.`);
    items = items.slice(0, Math.max(0, Math.floor(limit)));
  }
  const { skipped, isAbsent } = reply;
  return { parts: items, perItem: true, ...(skipped && { skipped }), ...(isAbsent && { isAbsent }) };
}

/** The items of all parts, each before its children. */
async function itemsIn(
  { parts }: ReplyData,
  { items = [], flatten }: ListOptions,
  turns: Turns,
): Promise<ReplyPart[]> {
  const found: ReplyPart[] = [];
  for (const { value, ...part } of parts) {
    // A stack, so that a deep tree is no deep recursion.
    const waiting = listOf(getAt(value, items)).toReversed();
    while (waiting.length > 0) {
      const item = waiting.pop();
      found.push({ ...part, value: item });
      if (flatten !== undefined) {
        const children = listOf(getAt(item, flatten));
        for (let index = children.length - 1; index >= 0; index--) waiting.push(children[index]);
      }
      if (turns.isDue) await turns.yield();
    }
  }
  return found;
}

/** A server's items by place, then by content without the children; the answers of tools are in order. */
async function ordered(
  items: ReplyPart[],
  [children]: readonly string[] = [],
  turns: Turns,
): Promise<ReplyPart[]> {
  // With its descendants, the text of each level of a deep tree would be as long as the whole tree.
  const withoutChildren = (item: unknown) => (isTable(item) ? { ...item, [children ?? ""]: null } : item);
  const entries = items.flatMap(({ server, value }) =>
    server === undefined ? [] : [{ server, item: value }],
  );
  if (entries.length < items.length) return items;
  const sorted = await inOrder(entries, turns, children === undefined ? undefined : withoutChildren);
  return sorted.map(({ server, item }) => ({ server, value: item }));
}

/** By the values at these paths; items that are equal there stay in their order. A missing value comes last. */
function sorted(
  items: ReplyPart[],
  keys: NonNullable<ListOptions["sort"]>,
  turns: Turns,
): Promise<ReplyPart[]> {
  const compare = (a: ReplyPart, b: ReplyPart): number => {
    for (const { at, descending } of keys) {
      const one = keyAt(a.value, at);
      const other = keyAt(b.value, at);
      const isMissing = one === undefined || other === undefined;
      const order = comparePart(one, other) * (descending && !isMissing ? -1 : 1);
      if (order !== 0) return order;
    }
    return 0;
  };
  return sortInTurns(items, compare, turns);
}

function keyAt(item: unknown, at: string[]): KeyPart {
  const value = getAt(item, at);
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean"
    ? value
    : undefined;
}

/** Whether a condition holds. A value that comes from an argument which the call does not give is no condition. */
function holds(call: CallState, item: unknown, { at, outside, ...wanted }: Condition): boolean {
  const value = getAt(item, at) as Json | undefined;
  if (wanted.exists !== undefined && ((value ?? null) !== null) !== wanted.exists) return false;
  if (wanted.is !== undefined && value !== wanted.is) return false;
  if (wanted.in !== undefined && !listOf(wanted.in).includes(value)) return false;
  const { moreThan, lessThan } = wanted;
  if (typeof moreThan !== "number" && typeof lessThan !== "number") return true;
  const count = countOf(call, item, value, outside);
  if (count === undefined) return false;
  return (
    (typeof moreThan !== "number" || count > moreThan) && (typeof lessThan !== "number" || count < lessThan)
  );
}
