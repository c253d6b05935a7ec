/** Lists of rows: one item a row, or one item a file. */
import { createHash, type Hash } from "node:crypto";
import type { Json, JsonObject } from "../../base/json.js";
import type { Places } from "../answer/convert.js";
import type { LspRange } from "../lsp-values.js";
import type { Turns } from "../turns.js";
import type { List, Speller, Weight } from "./list.js";
import { putRange, type RowFile } from "./row.js";
import type { RowStore } from "./row-store.js";
import { Rows } from "./rows.js";

/** What the memory of a row, a text and a file takes beside its own characters. */
const bytesPerRow = 18;
const bytesPerText = 64;
const bytesPerInner = 96;
const bytesPerFile = 400;
const pieceLength = 16_384;

abstract class ListOfRows<T> implements List {
  #weight: Weight | undefined;

  constructor(protected readonly rows: Rows<T>) {}

  abstract readonly length: number;
  abstract items(speller: Speller, from: number, to: number): Promise<Json[]>;
  abstract first(speller: Speller, length: number): Promise<List>;

  /** Weighed once: the order within a file may be found later, and changes neither what is listed nor what that takes. */
  async weigh(turns: Turns): Promise<Weight> {
    this.#weight ??= await weigh(this.rows, turns);
    return this.#weight;
  }
}

/** Each row is an item. */
export class RowList<T> extends ListOfRows<T> {
  readonly length = this.rows.files.reduce((sum, file) => sum + file.length, 0);

  async items(speller: Speller, from: number, to: number): Promise<Json[]> {
    const items: Json[] = [];
    let before = 0;
    for (const file of this.rows.files) {
      const [first, last] = [Math.max(0, from - before), Math.min(file.length, to - before)];
      if (first < last) await this.rows.spell(items, file, first, last, speller);
      before += file.length;
      if (before >= to) break;
    }
    return items;
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
  ) {
    super(rows);
  }

  async items(speller: Speller, from: number, to: number): Promise<Json[]> {
    const items: Json[] = [];
    for (const file of this.rows.files.slice(from, to)) {
      const first: Json[] = [];
      await this.rows.spell(first, file, 0, Math.min(file.length, this.most), speller);
      items.push(this.item(file, first, speller.places));
    }
    return items;
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

async function weigh<T>({ kind, store, files }: Rows<T>, turns: Turns): Promise<Weight> {
  const hash = createHash("sha256");
  const said = new Said(
    hash,
    files.reduce((sum, { length }) => sum + length, 0),
  );
  let bytes = 0;
  for (const { admitted, start, length } of files) {
    hash.update(`${admitted.uri}\n${length}\n`);
    hash.update(store.numbers(start, length));
    if (kind.inner !== undefined) hash.update(innerNumbers(kind.inner, store, start, length));
    bytes += bytesPerFile + length * (bytesPerRow + (kind.inner === undefined ? 0 : bytesPerInner));
    for (let at = start; at < start + length; at++) {
      const what = store.what(at);
      bytes += said.add(kind.words(what), kind.within?.(what) ?? "");
      if (turns.isOver) await turns.pass();
    }
  }
  said.end();
  return { bytes, digest: hash.digest("hex") };
}

/** What rows say, on its way into a hash: the texts in a few large pieces, and how long each of them is. */
class Said {
  readonly #hash: Hash;
  readonly #rows: number;
  /** Two numbers a row, from the first on that says something; what stands where the one before stands is not said again. */
  #lengths: Uint32Array | undefined;
  #row = 0;
  #last = "";
  #texts: string[] = [];
  #length = 0;

  constructor(hash: Hash, rows: number) {
    this.#hash = hash;
    this.#rows = rows;
  }

  /** What the next row says, and stands in; gives the bytes that it takes to keep that. */
  add(words: string, within: string): number {
    const at = 2 * this.#row++;
    const isSame = within === this.#last;
    if (words === "" && isSame) return 0;
    this.#lengths ??= new Uint32Array(2 * this.#rows);
    this.#lengths[at] = words.length;
    this.#texts.push(words);
    this.#length += words.length;
    if (!isSame) {
      this.#lengths[at + 1] = within.length + 1;
      this.#texts.push(within);
      this.#length += within.length;
      this.#last = within;
    }
    // Few large pieces are hashed in a fraction of the time of many small ones.
    if (this.#length > pieceLength) this.#flush();
    return bytesPerText + 2 * (words.length + within.length);
  }

  end(): void {
    this.#flush();
    if (this.#lengths !== undefined) this.#hash.update(this.#lengths);
  }

  #flush(): void {
    this.#hash.update(this.#texts.join(""));
    this.#texts = [];
    this.#length = 0;
  }
}

function innerNumbers<T>(
  inner: (what: T) => LspRange | undefined,
  store: RowStore<T>,
  from: number,
  length: number,
): Uint32Array {
  const numbers = new Uint32Array(4 * length);
  for (let index = 0; index < length; index++) putRange(numbers, 4 * index, inner(store.what(from + index)));
  return numbers;
}
