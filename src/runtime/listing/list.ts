/**
 * The sorted items of an answer. Items are rendered when a page shows them, except where sorting needs them rendered.
 */
import type { DialectPlan } from "../../abi/plan.js";
import { canonicalText, type Json, type JsonObject } from "../../base/json.js";
import { compareKeys, compareText, mapInTurns, sortInTurns } from "../../base/order.js";
import type { Turns } from "../../base/timing.js";
import { itemKey } from "../../protocol/item-order.js";
import type { ShapeFacts } from "../../protocol/shapes.js";
import type { Places } from "../answer/places.js";
import { type FileItems, type ItemKind, itemCount, type RenderContext, sortFile } from "./collect.js";

/** A sorted list without duplicates. */
export interface List {
  readonly length: number;
  /** The absolute paths of its files; undefined when only the items name them. */
  readonly paths?: readonly string[];
  /** The items from one index up to another, rendered. */
  render(from: number, to: number, context: RenderContext): Promise<Json[]>;
  /** A list of the first items only. */
  first(length: number, context: RenderContext): Promise<List>;
  /** The size of the list for the bound on kept listings: its texts, and a little for each item and file. */
  bytes(turns: Turns): Promise<number>;
}

/** Items that are rendered already. */
export class RenderedList implements List {
  constructor(private readonly items: Json[]) {}

  get length(): number {
    return this.items.length;
  }

  async render(from: number, to: number): Promise<Json[]> {
    return this.items.slice(from, to);
  }

  async first(length: number): Promise<List> {
    return new RenderedList(this.items.slice(0, length));
  }

  async bytes(): Promise<number> {
    return Buffer.byteLength(JSON.stringify(this.items));
  }
}

/** Rendered items without exact duplicates, in the shape's order; the canonical text decides between equal keys. */
export async function sortRendered(
  items: readonly Json[],
  facts: ShapeFacts,
  dialect: DialectPlan,
  turns: Turns,
): Promise<List> {
  const unique = new Map<string, Json>();
  for (const item of items) {
    const text = canonicalText(item);
    if (!unique.has(text)) unique.set(text, item);
    if (turns.isDue) await turns.yield();
  }
  if (facts.order.length === 0) return new RenderedList([...unique.values()]);
  const keyed = await mapInTurns(
    [...unique],
    ([text, item]) => ({ text, item, key: itemKey(facts, item, dialect) }),
    turns,
  );
  const sorted = await sortInTurns(
    keyed,
    (a, b) => compareKeys(a.key, b.key) || compareText(a.text, b.text),
    turns,
  );
  return new RenderedList(sorted.map(({ item }) => item));
}

/** A list with one entry per item of a file. */
export class ItemList<T> implements List {
  readonly length: number;

  constructor(
    private readonly kind: ItemKind<T>,
    private readonly files: readonly FileItems<T>[],
  ) {
    this.length = itemCount(files);
  }

  get paths(): string[] {
    return pathsOf(this.files);
  }

  async render(from: number, to: number, context: RenderContext): Promise<Json[]> {
    const rendered: Json[] = [];
    let before = 0;
    for (const file of this.files) {
      if (before >= to) break;
      const first = Math.max(0, from - before);
      const last = Math.min(file.items.length, to - before);
      if (first < last)
        for (const item of await renderItems(this.kind, file, first, last, context)) rendered.push(item);
      before += file.items.length;
    }
    return rendered;
  }

  async first(length: number, context: RenderContext): Promise<List> {
    const files: FileItems<T>[] = [];
    let left = length;
    for (const file of this.files) {
      if (left <= 0) break;
      if (file.items.length > left) await sortFile(this.kind, file, context);
      files.push({ ...file, items: file.items.slice(0, left) });
      left -= file.items.length;
    }
    return new ItemList(this.kind, files);
  }

  bytes(turns: Turns): Promise<number> {
    return bytesOf(this.kind, this.files, turns);
  }
}

/** A list with one entry per file: `entry` makes it of the file, the number of its items, and the first of them. */
export class FileList<T> implements List {
  constructor(
    private readonly kind: ItemKind<T>,
    private readonly files: readonly FileItems<T>[],
    private readonly maxItems: number,
    private readonly entry: (file: FileItems<T>, first: Json[], places: Places) => JsonObject,
  ) {}

  get length(): number {
    return this.files.length;
  }

  get paths(): string[] {
    return pathsOf(this.files);
  }

  async render(from: number, to: number, context: RenderContext): Promise<Json[]> {
    const rendered: Json[] = [];
    for (const file of this.files.slice(from, to)) {
      const last = Math.min(file.items.length, this.maxItems);
      const first = await renderItems(this.kind, file, 0, last, context);
      rendered.push(this.entry(file, first, context.places));
    }
    return rendered;
  }

  async first(length: number): Promise<List> {
    return new FileList(this.kind, this.files.slice(0, length), this.maxItems, this.entry);
  }

  bytes(turns: Turns): Promise<number> {
    return bytesOf(this.kind, this.files, turns);
  }
}

function pathsOf(files: readonly FileItems<unknown>[]): string[] {
  return files.map(({ admitted }) => admitted.path);
}

async function renderItems<T>(
  kind: ItemKind<T>,
  file: FileItems<T>,
  from: number,
  to: number,
  context: RenderContext,
): Promise<Json[]> {
  const { places, turns } = context;
  await sortFile(kind, file, context);
  const [first] = file.items;
  const lines = first && (await places.lines(first.server, file.admitted.uri));
  const rendered: Json[] = [];
  for (const item of file.items.slice(from, to)) {
    rendered.push(kind.render(item, file.admitted, places, lines));
    if (turns.isDue) await turns.yield();
  }
  return rendered;
}

/** Bytes counted for each item and file besides the texts. V8's overhead is left out: the items are bounded too. */
const BYTES_PER_ITEM = 20;
const BYTES_PER_FILE = 400;

async function bytesOf<T>(kind: ItemKind<T>, files: readonly FileItems<T>[], turns: Turns): Promise<number> {
  let bytes = 0;
  for (const { items } of files) {
    bytes += BYTES_PER_FILE + items.length * BYTES_PER_ITEM;
    for (const { details } of items) {
      bytes += kind.bytes(details);
      if (turns.isDue) await turns.yield();
    }
  }
  return bytes;
}
