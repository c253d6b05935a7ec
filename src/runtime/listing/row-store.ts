/**
 * Where the rows of a listing are: few as they were told, while they are shown; very many, and those that are kept for further
 * pages, as numbers side by side. What is kept as it was told, some hundred tables a listing, is copied by every collection
 * of garbage until it is old.
 */
import type { LanguageServer } from "../../lsp/types.js";
import type { Turns } from "../turns.js";
import { areSameWords, type Row, type RowKind } from "./row.js";
import { Spans } from "./spans.js";

/** Rows by their place in a row of rows. */
export interface RowStore<T> {
  /** About what a row, and its second place, take beside what it says. */
  readonly bytesPerRow: number;
  readonly bytesPerInner: number;
  /** One row, of the file with this URI. */
  row(at: number, uri: string): Row<T>;
  /** What a row says besides its place. */
  what(at: number): T;
  /** The same, but maybe for its second place. */
  said(at: number): T;
  /** Puts those of so many rows that are at these indexes first, in this order. */
  put(from: number, length: number, order: ArrayLike<number>): void;
  /** The first of them alone. */
  first(length: number): RowStore<T>;
}

/** Rows as they were told. */
export class PlainRows<T> implements RowStore<T> {
  readonly bytesPerRow = 180;
  readonly bytesPerInner = 120;

  constructor(private readonly rows: Row<T>[]) {}

  row(at: number): Row<T> {
    const row = this.rows[at];
    if (row === undefined) throw new RangeError("there is no such row");
    return row;
  }

  what(at: number): T {
    return this.row(at).what;
  }

  said(at: number): T {
    return this.what(at);
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

/** Rows, column by column. */
interface Columns<T> {
  places: Spans;
  /** The second places, where rows may have one. */
  inner: Spans | undefined;
  /** What else they say. */
  said: T[];
  /** Which of the servers told each. */
  tellers: Uint16Array;
}

/** Rows as numbers, and what else they say. */
export class PackedRows<T> implements RowStore<T> {
  readonly bytesPerRow = 18;
  readonly bytesPerInner = 16;

  private constructor(
    private readonly kind: RowKind<T>,
    private readonly columns: Columns<T>,
    private readonly servers: LanguageServer[],
  ) {}

  /** Room for so many. */
  static of<T>(kind: RowKind<T>, length: number): PackedRows<T> {
    const inner = kind.inner === undefined ? undefined : Spans.of(length);
    const columns = { places: Spans.of(length), inner, said: [], tellers: new Uint16Array(length) };
    return new PackedRows<T>(kind, columns, []);
  }

  /** Puts a row behind the others, and gives where; its place is to be put there too. */
  add(server: LanguageServer, what: T): number {
    const { said, tellers, inner } = this.columns;
    const known = this.servers.indexOf(server);
    tellers[said.length] = known < 0 ? this.servers.push(server) - 1 : known;
    if (inner === undefined) return said.push(what) - 1;
    inner.put(said.length, this.kind.inner?.of(what));
    return said.push(this.kind.inner?.with(what, undefined) ?? what) - 1;
  }

  get length(): number {
    return this.columns.said.length;
  }

  get places(): Spans {
    return this.columns.places;
  }

  row(at: number, uri: string): Row<T> {
    const server = this.#server(at);
    if (server === undefined || at >= this.length) throw new RangeError("there is no such row");
    return { server, uri, range: this.places.at(at), what: this.what(at) };
  }

  #server(at: number): LanguageServer | undefined {
    return this.servers[this.columns.tellers[at] ?? 0];
  }

  what(at: number): T {
    const said = this.said(at);
    const inner = this.columns.inner?.at(at);
    return inner === undefined ? said : (this.kind.inner?.with(said, inner) ?? said);
  }

  said(at: number): T {
    return this.columns.said[at] as T;
  }

  put(from: number, length: number, order: ArrayLike<number>): void {
    const { places, inner, said, tellers } = this.columns;
    const before = part(this.columns, from, from + length);
    for (let index = 0; index < order.length; index++) {
      const row = order[index] ?? 0;
      places.copy(from + index, before.places, row);
      if (before.inner !== undefined) inner?.copy(from + index, before.inner, row);
      said[from + index] = before.said[row] as T;
      tellers[from + index] = before.tellers[row] ?? 0;
    }
  }

  first(length: number): PackedRows<T> {
    return new PackedRows(this.kind, part(this.columns, 0, length), this.servers);
  }

  /** Whether others are the same, one by one: each call knows a server by a handle of its own. */
  async equals(other: PackedRows<T>, turns: Turns): Promise<boolean> {
    const [own, its] = [this.columns, other.columns];
    if (this.length !== other.length || !own.places.equals(its.places)) return false;
    if (own.inner !== undefined && !own.inner.equals(its.inner ?? Spans.of(0))) return false;
    for (let at = 0; at < this.length; at++) {
      if (this.#server(at)?.encoding !== other.#server(at)?.encoding) return false;
      if (!areSameWords(this.kind, own.said[at] as T, its.said[at] as T)) return false;
      if (turns.isOver) await turns.pass();
    }
    return true;
  }
}

function part<T>({ places, inner, said, tellers }: Columns<T>, from: number, to: number): Columns<T> {
  return {
    places: places.slice(from, to),
    inner: inner?.slice(from, to),
    said: said.slice(from, to),
    tellers: tellers.slice(from, to),
  };
}
