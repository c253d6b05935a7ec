/**
 * Many rows in little room: places as numbers, grouped by file, files in the order in which they are shown. Within a file the
 * text decides the order (columns, names), so it is found when rows of the file are first shown, and only then is its text read.
 */
import type { JsonObject } from "../../base/json.js";
import { compareKeys, compareText, type KeyPart, sortSlices } from "../../base/order.js";
import { type ColumnUnit, ColumnWalk, type Lines } from "../../base/text.js";
import type { LanguageServer } from "../../lsp/types.js";
import { itemKey } from "../../protocol/item-order.js";
import type { LspPosition, LspRange } from "../lsp-values.js";
import type { Turns } from "../turns.js";
import type { Speller } from "./list.js";
import { upTo } from "./numbers.js";
import { none, type Row, type RowFile, type RowKind } from "./row.js";

/** The rows themselves, column by column. */
export interface RowStore<T> {
  /** Four numbers a row: line and character of the start and of the end. */
  places: Uint32Array;
  /** Which of the servers told it. */
  tellers: Uint16Array;
  what: T[];
  servers: LanguageServer[];
}

/** The rows of a reply. */
export class Rows<T> {
  constructor(
    readonly kind: RowKind<T>,
    readonly store: RowStore<T>,
    readonly files: readonly RowFile[],
  ) {}

  /** One row as it was told. */
  row(file: RowFile, index: number): Row<T> {
    const { servers, tellers, what } = this.store;
    const at = file.start + index;
    const server = servers[tellers[at] ?? 0];
    if (server === undefined || index >= file.length) throw new RangeError("there is no such row");
    return { server, uri: file.admitted.uri, range: this.#range(at), what: what[at] as T };
  }

  #range(at: number): LspRange | undefined {
    const { places } = this.store;
    const number = (part: number) => places[4 * at + part] ?? none;
    if (number(0) === none) return undefined;
    return {
      start: { line: number(0), character: number(1) },
      end: { line: number(2), character: number(3) },
    };
  }

  /** The items of a file's rows from one index up to another. */
  async spell(file: RowFile, from: number, to: number, speller: Speller): Promise<JsonObject[]> {
    await this.order(file, speller);
    const items: JsonObject[] = [];
    for (let index = from; index < to; index++) {
      items.push(await this.kind.spell(this.row(file, index), file.admitted, speller.places));
      if (speller.turns.isOver) await speller.turns.pass();
    }
    return items;
  }

  /** Brings the rows of a file into the order in which they are shown. */
  async order(file: RowFile, speller: Speller): Promise<void> {
    if (file.isOrdered) return;
    const { sorted } = await this.#arrange(file, speller);
    // Another page of the same listing may have been quicker; from here on nothing is waited for.
    if (!file.isOrdered) this.#put(file, sorted);
    file.isOrdered = true;
  }

  /** Orders a file's rows and leaves out those that are shown alike, though they were told otherwise. */
  async settle(file: RowFile, speller: Speller): Promise<void> {
    const { sorted, isTie } = await this.#arrange(file, speller);
    const kept: number[] = [];
    for (const row of sorted) {
      const last = kept.at(-1);
      if (last === undefined || !isTie(last, row) || !(await this.#areAlike(file, last, row, speller)))
        kept.push(row);
    }
    this.#put(file, kept);
    file.length = kept.length;
    file.isOrdered = true;
  }

  async #areAlike(file: RowFile, a: number, b: number, { places }: Speller): Promise<boolean> {
    const text = async (index: number) =>
      JSON.stringify(await this.kind.spell(this.row(file, index), file.admitted, places));
    return (await text(a)) === (await text(b));
  }

  /** The rows of a file in order, and which of them only their words tell apart. */
  async #arrange(file: RowFile, { places, turns }: Speller) {
    if (file.length < 2) return { sorted: upTo(file.length), isTie: () => false };
    const lines = await places.lines(this.row(file, 0).server, file.admitted.uri);
    const shown = await this.#shown(file, lines, places.dialect.position.unit, turns);
    const { kind, store } = this;
    const keys = new Map<number, KeyPart[]>();
    const keyOf = (index: number) => {
      const members = () => kind.members(store.what[file.start + index] as T, places);
      const key = keys.get(index) ?? itemKey(kind.facts, members(), places.dialect);
      keys.set(index, key);
      return key;
    };
    const wordsOf = (index: number) => kind.words(store.what[file.start + index] as T);
    const compareShown = (a: number, b: number) =>
      comparePlaces(shown, a, b) || compareKeys(keyOf(a), keyOf(b));
    const compare = (a: number, b: number) => compareShown(a, b) || compareText(wordsOf(a), wordsOf(b));
    const sorted = await sortSlices(upTo(file.length), compare, () => turns.rest());
    return { sorted, isTie: (a: number, b: number) => compareShown(a, b) === 0 };
  }

  /** Four numbers a row, as they are shown. */
  async #shown(
    file: RowFile,
    lines: Lines | undefined,
    unit: ColumnUnit,
    turns: Turns,
  ): Promise<Uint32Array> {
    const shown = new Uint32Array(4 * file.length).fill(none);
    const walks = new Map<ColumnUnit, readonly [ColumnWalk, ColumnWalk]>();
    const walksOf = (lines: Lines, from: ColumnUnit) => {
      const known = walks.get(from) ?? [new ColumnWalk(lines, from, unit), new ColumnWalk(lines, from, unit)];
      walks.set(from, known);
      return known;
    };
    for (let index = 0; index < file.length; index++) {
      const row = this.row(file, index);
      const range = this.kind.range === undefined ? row.range : this.kind.range(row, lines);
      if (range !== undefined) {
        const [start, end] = lines === undefined ? [] : walksOf(lines, row.server.encoding);
        put(shown, 4 * index, range.start, lines, start);
        put(shown, 4 * index + 2, range.end, lines, end);
      }
      if (turns.isOver) await turns.pass();
    }
    return shown;
  }

  /** Puts the rows of a file at these indexes first, in this order. */
  #put(file: RowFile, order: Uint32Array | readonly number[]): void {
    if (order.every((row, index) => row === index)) return;
    const { places, tellers, what } = this.store;
    const [from, to] = [file.start, file.start + file.length];
    const before = {
      places: places.slice(4 * from, 4 * to),
      tellers: tellers.slice(from, to),
      what: what.slice(from, to),
    };
    for (let index = 0; index < order.length; index++) {
      const row = order[index] ?? 0;
      for (let part = 0; part < 4; part++)
        places[4 * (from + index) + part] = before.places[4 * row + part] ?? 0;
      tellers[from + index] = before.tellers[row] ?? 0;
      what[from + index] = before.what[row] as T;
    }
  }
}

/** Compares two rows by their four numbers. */
export function comparePlaces(places: Uint32Array, a: number, b: number): number {
  for (let part = 0; part < 4; part++) {
    const order = (places[4 * a + part] ?? 0) - (places[4 * b + part] ?? 0);
    if (order !== 0) return order;
  }
  return 0;
}

/** Puts down a position as it is shown, clamped to the text. Without the text the column stays as it is. */
function put(
  shown: Uint32Array,
  at: number,
  { line, character }: LspPosition,
  lines: Lines | undefined,
  walk: ColumnWalk | undefined,
): void {
  const last = lines === undefined ? line : Math.min(line, lines.count - 1);
  shown[at] = last;
  shown[at + 1] =
    walk === undefined ? character : walk.convert(last, last === line ? character : Number.POSITIVE_INFINITY);
}
