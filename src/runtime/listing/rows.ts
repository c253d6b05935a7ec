/**
 * Rows grouped by file, files in the order in which they are shown. Within a file the text decides the order (columns, names),
 * so it is found when rows of the file are first shown, and only then is its text read.
 */
import type { Json, JsonObject } from "../../base/json.js";
import { compareKeys, type KeyPart, sortSlices } from "../../base/order.js";
import { Fault } from "../../base/problem.js";
import { type Soon, whenThere } from "../../base/soon.js";
import { type ColumnUnit, ColumnWalk, type Lines } from "../../base/text.js";
import { itemKey } from "../../protocol/item-order.js";
import type { Places } from "../answer/convert.js";
import type { LspPosition, LspRange } from "../lsp-values.js";
import type { Turns } from "../turns.js";
import type { Speller } from "./list.js";
import { Numbers, upTo } from "./numbers.js";
import { compareWhat, none, type Row, type RowFile, type RowKind } from "./row.js";
import { PackedRows, type RowStore } from "./row-store.js";
import { Spans } from "./spans.js";

/** So few rows are looked through in one go. */
export const fewRows = 1024;

/** The rows of a reply. */
export class Rows<T, Store extends RowStore<T> = RowStore<T>> {
  constructor(
    readonly kind: RowKind<T>,
    readonly store: Store,
    readonly files: readonly RowFile[],
  ) {}

  get length(): number {
    return this.files.reduce((sum, file) => sum + file.length, 0);
  }

  /** One row as it was told. */
  row(file: RowFile, index: number): Row<T> {
    if (index >= file.length) throw new Fault("there is no such row");
    return this.store.row(file.start + index, file.admitted.uri);
  }

  /** The same rows in little room, to be kept: without those that were left out of a file, which still stand behind it. */
  async packed(turns: Turns): Promise<Rows<T, PackedRows<T>>> {
    if (this.#isPacked() && this.store.length === this.length) return this;
    const { kind, length } = this;
    const numbers = new Numbers();
    const files: RowFile[] = [];
    for (const file of this.files) {
      files.push({ ...file, start: numbers.length });
      for (let index = 0; index < file.length; index++) numbers.push(file.start + index);
    }
    if (this.#isPacked()) return new Rows(kind, await this.store.picked(numbers.data, turns), files);
    const store = PackedRows.of(kind, length);
    for (const row of numbers.data) store.add(this.store.row(row, ""));
    return new Rows(kind, store, files);
  }

  #isPacked(): this is Rows<T, PackedRows<T>> {
    return this.store instanceof PackedRows;
  }

  /** Whether other rows are the same, in the same order. */
  async equals(other: Rows<T>, turns: Turns): Promise<boolean> {
    const isOf = ({ admitted, length }: RowFile, file: RowFile | undefined) =>
      file?.admitted.uri === admitted.uri && file.length === length;
    if (other.files.length !== this.files.length) return false;
    if (!this.files.every((file, index) => isOf(file, other.files[index]))) return false;
    const own = await this.packed(turns);
    if (!other.#isPacked()) return own.#areTold(other);
    return own.store.equals((await other.packed(turns)).store, turns);
  }

  /** Whether few rows, as they were told, are these, which stand side by side. */
  #areTold(this: Rows<T, PackedRows<T>>, others: Rows<T>): boolean {
    let at = 0;
    for (const file of others.files)
      for (let index = 0; index < file.length; index++)
        if (!this.store.isAt(at++, others.row(file, index))) return false;
    return true;
  }

  /** The items of a file's rows from one index up to another, behind those that are there. */
  spell(items: Json[], file: RowFile, from: number, to: number, speller: Speller): Soon<void> {
    const { places, turns } = speller;
    const spellFrom = (first: number, lines: Lines | undefined): Soon<void> => {
      for (let index = first; index < to; index++) {
        items.push(this.#item(file, index, places, lines));
        if (turns.isOver) return turns.pass().then(() => spellFrom(index + 1, lines));
      }
    };
    const ordered = file.isOrdered ? undefined : this.order(file, speller);
    return whenThere(ordered, () => whenThere(this.#lines(file, places), (lines) => spellFrom(from, lines)));
  }

  #item(file: RowFile, index: number, places: Places, lines: Lines | undefined): JsonObject {
    return this.kind.spell(this.row(file, index), file.admitted, places, lines);
  }

  #lines(file: RowFile, places: Places): Soon<Lines | undefined> {
    return places.lines(this.row(file, 0).server, file.admitted.uri);
  }

  /** Brings the rows of a file into the order in which they are shown. */
  order(file: RowFile, speller: Speller): Soon<void> {
    if (file.isOrdered) return;
    return whenThere(this.#arrange(file, speller), (arranged) => {
      // Another page of the same listing may have been quicker; from here on nothing is waited for.
      if (!file.isOrdered && arranged !== undefined) this.#put(file, arranged.sorted);
      file.isOrdered = true;
    });
  }

  /** Orders a file's rows and leaves out those that are shown alike, though they were told otherwise. */
  settle(file: RowFile, speller: Speller): Soon<void> {
    return whenThere(this.#arrange(file, speller), (arranged) => {
      if (arranged !== undefined) this.#keepEach(file, arranged, speller.places);
      file.isOrdered = true;
    });
  }

  #keepEach(file: RowFile, { sorted, isTie, lines }: Arranged, places: Places): void {
    const text = (index: number) => JSON.stringify(this.#item(file, index, places, lines));
    const kept: number[] = [];
    for (const row of sorted) {
      const last = kept.at(-1);
      if (last === undefined || !isTie(last, row) || text(last) !== text(row)) kept.push(row);
    }
    this.#put(file, kept);
    file.length = kept.length;
  }

  /** The rows of a file in order; undefined when nothing is to be done. */
  #arrange(file: RowFile, speller: Speller): Soon<Arranged | undefined> {
    if (file.length < 2) return undefined;
    const { places } = speller;
    return whenThere(this.#lines(file, places), (lines) => {
      const walks = new Walks(lines, places.dialect.position.unit);
      if (file.length <= fewRows && this.#isAscending(file, walks)) return undefined;
      return this.#sort(file, walks, speller);
    });
  }

  async #sort(file: RowFile, walks: Walks, { places, turns }: Speller): Promise<Arranged> {
    const { lines } = walks;
    const shown = await this.#shown(file, walks, turns);
    const { kind, store } = this;
    const what = (index: number) => store.what(file.start + index);
    const keys = new Map<number, KeyPart[]>();
    const keyOf = (index: number) => {
      const members = () => kind.members(what(index), places);
      const key = keys.get(index) ?? itemKey(kind.facts, members(), places.dialect);
      keys.set(index, key);
      return key;
    };
    const compareShown = (a: number, b: number) => shown.compare(a, b) || compareKeys(keyOf(a), keyOf(b));
    const compare = (a: number, b: number) => compareShown(a, b) || compareWhat(kind, what(a), what(b));
    const sorted = await sortSlices(upTo(file.length), compare, () => turns.rest());
    return { sorted, isTie: (a: number, b: number) => compareShown(a, b) === 0, lines };
  }

  /** Whether the rows of a file stand in their order already, each at a place of its own; columns are looked for where nothing else tells. */
  #isAscending(file: RowFile, walks: Walks): boolean {
    let shown: Spans | undefined;
    let before = this.#shownStart(file, 0, walks);
    for (let index = 1; index < file.length; index++) {
      const start = this.#shownStart(file, index, walks);
      if (!isPlainlyBefore(before, start, walks)) {
        shown ??= Spans.of(2);
        this.#show(file, index - 1, walks, shown, 0);
        this.#show(file, index, walks, shown, 1);
        if (shown.compare(0, 1) >= 0) return false;
      }
      before = start;
    }
    return true;
  }

  /** Where a row begins, as the server counts. */
  #shownStart(file: RowFile, index: number, { lines }: Walks): LspPosition | undefined {
    return this.#range(this.row(file, index), lines)?.start;
  }

  #range(row: Row<T>, lines: Lines | undefined): LspRange | undefined {
    return this.kind.range === undefined ? row.range : this.kind.range(row, lines);
  }

  /** Four numbers a row, as they are shown. */
  async #shown(file: RowFile, walks: Walks, turns: Turns): Promise<Spans> {
    const shown = Spans.of(file.length);
    for (let index = 0; index < file.length; index++) {
      this.#show(file, index, walks, shown, index);
      if (turns.isOver) await turns.pass();
    }
    return shown;
  }

  /** Puts down the four numbers of a row, as they are shown. */
  #show(file: RowFile, index: number, walks: Walks, shown: Spans, at: number): void {
    const row = this.row(file, index);
    const range = this.#range(row, walks.lines);
    if (range === undefined) {
      shown.put(at, undefined);
      return;
    }
    const { start, end } = range;
    const { lastLine } = walks;
    const [startWalk, endWalk] = walks.from(row.server.encoding);
    const [first, last] = [Math.min(start.line, lastLine), Math.min(end.line, lastLine)];
    shown.set(at, first, columnOn(first, start, startWalk), last, columnOn(last, end, endWalk));
  }

  /** Puts the rows of a file at these indexes first, in this order. */
  #put(file: RowFile, order: Uint32Array | readonly number[]): void {
    if (order.every((row, index) => row === index)) return;
    this.store.put(file.start, file.length, order);
  }
}

/** The rows of a file in the order in which they are shown, and which of them only their words tell apart. */
interface Arranged {
  sorted: Uint32Array;
  isTie(a: number, b: number): boolean;
  lines: Lines | undefined;
}

/** Columns of one text as they are shown, of servers that may count differently. */
class Walks {
  #known: Map<ColumnUnit, readonly [ColumnWalk, ColumnWalk]> | undefined;

  constructor(
    readonly lines: Lines | undefined,
    private readonly unit: ColumnUnit,
  ) {}

  /** The last line of the text; without it, any line may be. */
  get lastLine(): number {
    return this.lines === undefined ? none - 1 : this.lines.count - 1;
  }

  /** For starts and for ends; nothing to walk along without the text. */
  from(unit: ColumnUnit): readonly [ColumnWalk, ColumnWalk] | readonly [] {
    const { lines } = this;
    const known = this.#known?.get(unit);
    if (known !== undefined || lines === undefined) return known ?? [];
    const walks = [new ColumnWalk(lines, unit, this.unit), new ColumnWalk(lines, unit, this.unit)] as const;
    this.#known ??= new Map();
    this.#known.set(unit, walks);
    return walks;
  }
}

/** Whether one place is shown before another, where that is seen without a column of the text: on other lines, or on an ASCII one. */
function isPlainlyBefore(
  a: LspPosition | undefined,
  b: LspPosition | undefined,
  { lines, lastLine }: Walks,
): boolean {
  if (a === undefined || b === undefined || b.line > lastLine) return false;
  if (a.line !== b.line) return a.line < b.line;
  if (a.character >= b.character) return false;
  // As large as a number can be kept, all of them are the same.
  if (lines === undefined) return a.character < none - 1;
  // Columns past the end of a line are all shown as its end.
  return lines.isPlain(a.line) && a.character < lines.columns(a.line, "utf-16");
}

/** The column of a position as it is shown, on its line or on the last of the text. Without the text it stays as it is. */
function columnOn(shown: number, { line, character }: LspPosition, walk: ColumnWalk | undefined): number {
  if (walk === undefined) return character;
  return walk.convert(shown, shown === line ? character : Number.POSITIVE_INFINITY);
}
