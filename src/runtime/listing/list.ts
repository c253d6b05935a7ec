/** The items of an answer in their order, each spelt when it is shown; what is kept for further pages is not the spelt items. */
import type { DialectPlan } from "../../abi/plan.js";
import { canonicalText, type Json } from "../../base/json.js";
import { compareKeys, compareText, sortSlices } from "../../base/order.js";
import type { Soon } from "../../base/soon.js";
import { itemKey } from "../../protocol/item-order.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { Places } from "../answer/convert.js";
import type { Turns } from "../turns.js";
import { upTo } from "./numbers.js";

/** What spelling the items of a call needs. */
export interface Speller {
  places: Places;
  turns: Turns;
}

/** A list of items, sorted and without duplicates. */
export interface List {
  readonly length: number;
  /** The items from one index up to another. */
  items(speller: Speller, from: number, to: number): Soon<Json[]>;
  /** The list of the first of them; what the others took is free then. */
  first(speller: Speller, length: number): Promise<List>;
  /** The same list in as little room as it can have, to be kept. */
  packed(turns: Turns): Promise<List>;
  /** Bytes that it takes to keep it, packed, about. */
  weigh(turns: Turns): Promise<number>;
  /** Whether another list, of the same question, has the same items. */
  equals(other: List, turns: Turns): Promise<boolean>;
}

/** Items that were spelt to be sorted. */
export class SpeltList implements List {
  constructor(private readonly spelt: Json[]) {}

  get length(): number {
    return this.spelt.length;
  }

  items(_speller: Speller, from: number, to: number): Json[] {
    return this.spelt.slice(from, to);
  }

  async first(_speller: Speller, length: number): Promise<List> {
    return new SpeltList(this.spelt.slice(0, length));
  }

  async packed(): Promise<List> {
    return this;
  }

  async weigh(): Promise<number> {
    return Buffer.byteLength(canonicalText(this.spelt));
  }

  async equals(other: List): Promise<boolean> {
    return other instanceof SpeltList && canonicalText(other.spelt) === canonicalText(this.spelt);
  }
}

/** Spelt items without exact duplicates, in the shape's order; what its keys leave open the canonical text decides. */
export async function arranged(
  items: readonly Json[],
  facts: ShapeFacts,
  dialect: DialectPlan,
  turns: Turns,
): Promise<SpeltList> {
  const unique = new Map<string, Json>();
  for (const item of items) {
    const text = canonicalText(item);
    if (!unique.has(text)) unique.set(text, item);
    if (turns.isOver) await turns.pass();
  }
  const kept = [...unique.values()];
  if (facts.order.length === 0) return new SpeltList(kept);
  const texts = [...unique.keys()];
  const keys = kept.map((item) => itemKey(facts, item, dialect));
  const compare = (a: number, b: number) =>
    compareKeys(keys[a] ?? [], keys[b] ?? []) || compareText(texts[a] ?? "", texts[b] ?? "");
  const order = await sortSlices(upTo(kept.length), compare, () => turns.rest());
  return new SpeltList(Array.from(order, (index) => kept[index] ?? null));
}
