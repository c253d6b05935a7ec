/** Lists of rows: one item a row, or one item a file. */
import type { Json, JsonObject } from "../../base/json.js";
import { oneByOne, type Soon, whenThere } from "../../base/soon.js";
import type { Places } from "../answer/convert.js";
import type { Turns } from "../turns.js";
import type { List, Speller } from "./list.js";
import type { RowFile } from "./row.js";
import { Rows } from "./rows.js";

/** What a row takes as numbers, and its second place; what else it says, and a file, beside their characters. */
const bytesPerRow = 18;
const bytesPerInner = 16;
const bytesPerText = 64;
const bytesPerFile = 400;
/** And a list, be it ever so short. */
const bytesPerList = 2500;

abstract class ListOfRows<T> implements List {
  constructor(
    protected readonly rows: Rows<T>,
    protected bytes?: number,
  ) {}

  abstract readonly length: number;
  abstract items(speller: Speller, from: number, to: number): Soon<Json[]>;
  abstract first(speller: Speller, length: number): Promise<List>;
  abstract packed(turns: Turns): Promise<List>;

  /** Weighed once, packed or not: the order within a file may be found later, and does not change what the rows take. */
  async weigh(turns: Turns): Promise<number> {
    this.bytes ??= await weigh(this.rows, turns);
    return this.bytes;
  }

  async equals(other: List, turns: Turns): Promise<boolean> {
    return other instanceof ListOfRows && (await this.rows.equals(other.rows, turns));
  }
}

/** Each row is an item. */
export class RowList<T> extends ListOfRows<T> {
  readonly length = this.rows.length;

  async packed(turns: Turns): Promise<List> {
    const rows = await this.rows.packed(turns);
    return rows === this.rows ? this : new RowList(rows, this.bytes);
  }

  items(speller: Speller, from: number, to: number): Soon<Json[]> {
    const items: Json[] = [];
    const spelling = oneByOne(this.#parts(from, to), ({ file, first, last }) =>
      this.rows.spell(items, file, first, last, speller),
    );
    return whenThere(spelling, () => items);
  }

  /** The files that the items from one index up to another are in, and which of the rows of each these are. */
  *#parts(from: number, to: number) {
    let before = 0;
    for (const file of this.rows.files) {
      const [first, last] = [Math.max(0, from - before), Math.min(file.length, to - before)];
      if (first < last) yield { file, first, last };
      before += file.length;
      if (before >= to) return;
    }
  }

  async first(speller: Speller, length: number): Promise<List> {
    const files: RowFile[] = [];
    let left = length;
    for (const file of this.rows.files) {
      if (left <= 0) break;
      if (file.length > left) await this.rows.order(file, speller);
      files.push({ ...file, length: Math.min(file.length, left) });
      left -= file.length;
    }
    return new RowList(shortened(this.rows, files));
  }
}

/** Each file is an item: what `item` makes of its name, the number of its rows, and the first of them. */
export class FileList<T> extends ListOfRows<T> {
  readonly length = this.rows.files.length;

  constructor(
    rows: Rows<T>,
    private readonly most: number,
    private readonly item: (file: RowFile, first: Json[], places: Places) => JsonObject,
    bytes?: number,
  ) {
    super(rows, bytes);
  }

  async packed(turns: Turns): Promise<List> {
    const rows = await this.rows.packed(turns);
    return rows === this.rows ? this : new FileList(rows, this.most, this.item, this.bytes);
  }

  items(speller: Speller, from: number, to: number): Soon<Json[]> {
    const items: Json[] = [];
    const spelling = oneByOne(this.rows.files.slice(from, to).values(), (file) => {
      const first: Json[] = [];
      const spelt = this.rows.spell(first, file, 0, Math.min(file.length, this.most), speller);
      return whenThere(spelt, () => items.push(this.item(file, first, speller.places)));
    });
    return whenThere(spelling, () => items);
  }

  async first(_speller: Speller, length: number): Promise<List> {
    return new FileList(shortened(this.rows, this.rows.files.slice(0, length)), this.most, this.item);
  }
}

/** The rows of these files only, the first ones of those that there are. */
function shortened<T>({ kind, store }: Rows<T>, files: readonly RowFile[]): Rows<T> {
  const last = files.at(-1);
  const end = last === undefined ? 0 : last.start + last.length;
  return new Rows(kind, store.first(end), files);
}

async function weigh<T>({ kind, store, files }: Rows<T>, turns: Turns): Promise<number> {
  let bytes = bytesPerList;
  for (const { start, length } of files) {
    const own = bytesPerRow + (kind.inner === undefined ? 0 : bytesPerInner);
    bytes += bytesPerFile + length * own;
    for (let at = start; at < start + length; at++) {
      const what = store.said(at);
      const words = kind.characters?.(what) ?? kind.words(what).length;
      const characters = words + (kind.within?.(what).length ?? 0);
      if (characters > 0) bytes += bytesPerText + 2 * characters;
      if (turns.isOver) await turns.pass();
    }
  }
  return bytes;
}
