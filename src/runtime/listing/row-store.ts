/** Where the rows of a listing are kept: few as they were told, very many as numbers side by side, in little room. */
import type { LanguageServer } from "../../lsp/types.js";
import type { LspRange } from "../lsp-values.js";
import { none, type Row } from "./row.js";

/** Rows by their place in a row of rows. */
export interface RowStore<T> {
  /** About what a row takes, beside what it says. */
  readonly bytesPerRow: number;
  /** One row, of the file with this URI. */
  row(at: number, uri: string): Row<T>;
  /** What a row says besides its place. */
  what(at: number): T;
  /** Puts those of so many rows that are at these indexes first, in this order. */
  put(from: number, length: number, order: ArrayLike<number>): void;
  /** The first of them alone. */
  first(length: number): RowStore<T>;
}

/** Rows as they were told. */
export class PlainRows<T> implements RowStore<T> {
  readonly bytesPerRow = 180;

  constructor(private readonly rows: Row<T>[]) {}

  row(at: number): Row<T> {
    const row = this.rows[at];
    if (row === undefined) throw new RangeError("there is no such row");
    return row;
  }

  what(at: number): T {
    return this.row(at).what;
  }

  put(from: number, length: number, order: ArrayLike<number>): void {
    const before = this.rows.slice(from, from + length);
    for (let index = 0; index < order.length; index++) {
      const row = before[order[index] ?? 0];
      if (row !== undefined) this.rows[from + index] = row;
    }
  }

  first(length: number): PlainRows<T> {
    return new PlainRows(this.rows.slice(0, length));
  }
}

/** Rows as numbers, column by column. */
export class PackedRows<T> implements RowStore<T> {
  readonly bytesPerRow = 18;

  /** Four numbers a row, and which of the servers told it. */
  constructor(
    private readonly places: Uint32Array,
    private readonly tellers: Uint16Array,
    private readonly said: T[],
    private readonly servers: readonly LanguageServer[],
  ) {}

  row(at: number, uri: string): Row<T> {
    const server = this.servers[this.tellers[at] ?? 0];
    if (server === undefined || at >= this.said.length) throw new RangeError("there is no such row");
    return { server, uri, range: this.#range(at), what: this.what(at) };
  }

  what(at: number): T {
    return this.said[at] as T;
  }

  #range(at: number): LspRange | undefined {
    const number = (part: number) => this.places[4 * at + part] ?? none;
    if (number(0) === none) return undefined;
    return {
      start: { line: number(0), character: number(1) },
      end: { line: number(2), character: number(3) },
    };
  }

  put(from: number, length: number, order: ArrayLike<number>): void {
    const { places, tellers, said } = this;
    const to = from + length;
    const before = {
      places: places.slice(4 * from, 4 * to),
      tellers: tellers.slice(from, to),
      said: said.slice(from, to),
    };
    for (let index = 0; index < order.length; index++) {
      const row = order[index] ?? 0;
      for (let part = 0; part < 4; part++)
        places[4 * (from + index) + part] = before.places[4 * row + part] ?? 0;
      tellers[from + index] = before.tellers[row] ?? 0;
      said[from + index] = before.said[row] as T;
    }
  }

  first(length: number): PackedRows<T> {
    return new PackedRows(
      this.places.slice(0, 4 * length),
      this.tellers.slice(0, length),
      this.said.slice(0, length),
      this.servers,
    );
  }
}
