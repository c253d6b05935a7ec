/**
 * Where the rows of a listing are: few as they were told, while they are shown; very many, and those that are kept for further
 * pages, as numbers side by side. What is kept as it was told, some hundred tables a listing, is copied by every collection
 * of garbage until it is old.
 */
import { Fault } from "../../base/problem.js";
import type { LanguageServer } from "../../lsp/types.js";
import type { Turns } from "../turns.js";
import { areSameWords, compareWords, type Row, type RowKind } from "./row.js";
import { Spans } from "./spans.js";

/** Rows by their place in a row of rows. */
export interface RowStore<T> {
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
  constructor(private readonly rows: Row<T>[]) {}

  row(at: number): Row<T> {
    const row = this.rows[at];
    if (row === undefined) throw new Fault("there is no such row");
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
  private constructor(
    private readonly kind: RowKind<T>,
    private columns: Columns<T>,
    private readonly servers: LanguageServer[],
  ) {}

  /** Room for so many, until there are more. */
  static of<T>(kind: RowKind<T>, room: number): PackedRows<T> {
    return new PackedRows(kind, roomFor(kind, room), []);
  }

  get length(): number {
    return this.columns.said.length;
  }

  /** Puts a row behind the others. */
  add({ server, range, what }: Row<T>): void {
    const at = this.length;
    if (at === this.columns.tellers.length) this.columns = larger(this.columns);
    const { places, inner, said, tellers } = this.columns;
    places.put(at, range);
    tellers[at] = this.#teller(server);
    const second = inner === undefined ? undefined : this.kind.inner?.of(what);
    inner?.put(at, second);
    said.push(second === undefined ? what : (this.kind.inner?.with(what, undefined) ?? what));
  }

  #teller(server: LanguageServer): number {
    const { servers } = this;
    for (let at = 0; at < servers.length; at++) if (servers[at] === server) return at;
    return servers.push(server) - 1;
  }

  /** Those with these numbers, in this order. */
  async picked(numbers: Uint32Array, turns: Turns): Promise<PackedRows<T>> {
    if (numbers.every((number, at) => number === at)) return this.first(numbers.length);
    const columns = roomFor(this.kind, numbers.length);
    for (const row of numbers) {
      copyRow(columns, columns.said.length, this.columns, row);
      if (turns.isOver) await turns.pass();
    }
    return new PackedRows(this.kind, columns, this.servers);
  }

  row(at: number, uri: string): Row<T> {
    const server = this.#server(at);
    if (server === undefined || at >= this.length) throw new Fault("there is no such row");
    return { server, uri, range: this.columns.places.at(at), what: this.what(at) };
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
    const before = part(this.columns, from, from + length);
    for (let index = 0; index < order.length; index++)
      copyRow(this.columns, from + index, before, order[index] ?? 0);
  }

  first(length: number): PackedRows<T> {
    return new PackedRows(this.kind, part(this.columns, 0, length), this.servers);
  }

  /** By all that rows say: first by their places. */
  compare(a: number, b: number): number {
    const { places, inner } = this.columns;
    return (
      places.compare(a, b) ||
      (inner?.compare(a, b) ?? 0) ||
      compareWords(this.kind, this.said(a), this.said(b))
    );
  }

  /** Whether a row is the one at a place: each call knows a server by a handle of its own. */
  isAt(at: number, { server, range, what }: Row<T>): boolean {
    const { places, inner } = this.columns;
    return (
      places.isAt(at, range) &&
      (inner?.isAt(at, this.kind.inner?.of(what)) ?? true) &&
      this.#server(at)?.encoding === server.encoding &&
      areSameWords(this.kind, this.said(at), what)
    );
  }

  /** Whether others are the same, one by one. */
  async equals(other: PackedRows<T>, turns: Turns): Promise<boolean> {
    const { length } = this;
    const [own, its] = [this.columns, other.columns];
    if (length !== other.length || !own.places.equals(its.places, length)) return false;
    if (own.inner !== undefined && its.inner !== undefined && !own.inner.equals(its.inner, length))
      return false;
    for (let at = 0; at < length; at++) {
      if (this.#server(at)?.encoding !== other.#server(at)?.encoding) return false;
      if (!areSameWords(this.kind, this.said(at), other.said(at))) return false;
      if (turns.isOver) await turns.pass();
    }
    return true;
  }
}

function roomFor<T>({ inner }: RowKind<T>, room: number): Columns<T> {
  return {
    places: Spans.of(room),
    inner: inner === undefined ? undefined : Spans.of(room),
    said: [],
    tellers: new Uint16Array(room),
  };
}

function larger<T>({ places, inner, said, tellers }: Columns<T>): Columns<T> {
  const room = 2 * tellers.length;
  const more = new Uint16Array(room);
  more.set(tellers);
  return { places: places.grown(room), inner: inner?.grown(room), said, tellers: more };
}

function part<T>({ places, inner, said, tellers }: Columns<T>, from: number, to: number): Columns<T> {
  return {
    places: places.slice(from, to),
    inner: inner?.slice(from, to),
    said: said.slice(from, to),
    tellers: tellers.slice(from, to),
  };
}

/** Puts a row of others at a place among these. */
function copyRow<T>(to: Columns<T>, at: number, from: Columns<T>, row: number): void {
  to.places.copy(at, from.places, row);
  if (from.inner !== undefined) to.inner?.copy(at, from.inner, row);
  to.said[at] = from.said[row] as T;
  to.tellers[at] = from.tellers[row] ?? 0;
}
