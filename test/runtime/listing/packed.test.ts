/** Rows that are kept as numbers are the rows that were told: in any order, in part, of several files and servers. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PositionEncoding } from "../../../src/base/text.js";
import { documentSymbolsFacts } from "../../../src/protocol/shapes/symbols.js";
import { Pages, type Snapshot } from "../../../src/runtime/answer/page.js";
import {
  compareRanges,
  none,
  type RowFile,
  type RowKind,
  startNumber,
} from "../../../src/runtime/listing/row.js";
import { RowList } from "../../../src/runtime/listing/row-list.js";
import { PackedRows, PlainRows } from "../../../src/runtime/listing/row-store.js";
import { Rows } from "../../../src/runtime/listing/rows.js";
import type { LspRange } from "../../../src/runtime/lsp-values.js";
import { containerOf } from "../../../src/runtime/point/symbol-names.js";
import type { FoundSymbol, SymbolWords } from "../../../src/runtime/point/symbols.js";
import { symbolKind } from "../../../src/runtime/shapes/symbol-rows.js";
import { Turns } from "../../../src/runtime/turns.js";
import { callState, serverOf } from "../doubles.js";

const kind = symbolKind(documentSymbolsFacts, callState().plan.dialect, { isNamed: false });
const turns = new Turns(new AbortController().signal);
const encodings: PositionEncoding[] = ["utf-8", "utf-16", "utf-32"];
const servers = encodings.map((encoding) => serverOf({}, { id: encoding, encoding }));

function range(line: number, from: number, to: number): LspRange {
  return { start: { line, character: from }, end: { line, character: to } };
}

interface Told {
  teller: number;
  place: LspRange | undefined;
  selection: LspRange | undefined;
  name: string;
  outer: string | undefined;
}

const number = fc.nat(9);
const place = fc.option(
  fc.tuple(number, number, number).map(([line, from, to]) => range(line, from, to)),
  { nil: undefined },
);
const word = fc.string({ maxLength: 2 });
const symbols: fc.Arbitrary<Told[]> = fc.array(
  fc.record({
    ...{ teller: fc.nat(2), place, selection: place },
    ...{ name: word, outer: fc.option(word, { nil: undefined }) },
  }),
  { minLength: 1, maxLength: 12 },
);

function plainOf(told: readonly Told[], uri = ""): FoundSymbol[] {
  return told.map(({ teller, place, selection, name, outer }) => ({
    server: servers[teller] ?? serverOf({}),
    uri,
    range: place,
    what: { name, kind: "class", container: outer === undefined ? undefined : containerOf(outer), selection },
  }));
}

function fileOf(name: string, start: number, length: number): RowFile {
  const admitted = { path: `/w/${name}`, uri: `file:///w/${name}`, shown: name, writable: true };
  return { admitted, start, length, isOrdered: true };
}

/** The rows of one file. */
function rowsOf(told: readonly Told[], file = "a"): Rows<SymbolWords> {
  return new Rows(kind, new PlainRows(plainOf(told)), [fileOf(file, 0, told.length)]);
}

async function packedOf(told: readonly Told[]): Promise<PackedRows<SymbolWords>> {
  return (await rowsOf(told).packed(turns)).store;
}

/** Rows that are packed, those of several files, with what was left out of each file behind it. */
function withGaps(files: readonly { name: string; rows: readonly Told[]; gap: readonly Told[] }[]) {
  const store = PackedRows.of(kind, 1);
  const listed = files.map(({ name, rows, gap }) => {
    const start = store.length;
    for (const row of plainOf([...rows, ...gap])) store.add(row);
    return fileOf(name, start, rows.length);
  });
  return new Rows(kind, store, listed);
}

/** All rows, file by file. */
function told(rows: Rows<SymbolWords>): FoundSymbol[][] {
  return rows.files.map((file) => Array.from({ length: file.length }, (_, index) => rows.row(file, index)));
}

const uri = "file:///w/a";

describe("packed rows", () => {
  it("are the rows of each file, without what stood between these", async () => {
    await fc.assert(
      fc.asyncProperty(symbols, symbols, symbols, fc.boolean(), async (first, gap, second, isPlain) => {
        const files = [
          { name: "a", rows: first, gap },
          { name: "b", rows: second, gap },
        ];
        const packed = withGaps(files);
        const all = plainOf([...first, ...gap, ...second, ...gap]);
        const rows = isPlain ? new Rows(kind, new PlainRows(all), packed.files) : packed;
        const { store, ...kept } = await rows.packed(turns);
        expect(told(new Rows(kind, store, kept.files))).toEqual([
          plainOf(first, uri),
          plainOf(second, "file:///w/b"),
        ]);
        expect(store.length).toBe(first.length + second.length);
        expect(await rows.equals(withGaps(files.map((file) => ({ ...file, gap: [] }))), turns)).toBe(true);
      }),
    );
  });

  it("are not taken for others whose files only begin elsewhere", async () => {
    const at = (line: number): Told => ({
      ...{ teller: 1, place: range(line, 0, 1), selection: undefined, name: "a", outer: undefined },
    });
    const [one, two, three] = [at(1), at(2), at(3)];
    const some = withGaps([
      { name: "a", rows: [one], gap: [two] },
      { name: "b", rows: [three], gap: [] },
    ]);
    const others = withGaps([
      { name: "a", rows: [one], gap: [] },
      { name: "b", rows: [two], gap: [three] },
    ]);
    expect(await some.equals(others, turns)).toBe(false);
  });

  it("are put in order, and taken in part, as those are that were told", async () => {
    const numbers = fc.array(fc.nat(11), { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(symbols, numbers, fc.nat(12), async (all, wanted, count) => {
        const order = [...new Set(wanted)].filter((at) => at < all.length);
        const most = Math.min(count, all.length);
        const [plain, packed] = [new PlainRows(plainOf(all, uri)), await packedOf(all)];
        plain.put(0, all.length, order);
        packed.put(0, all.length, order);
        const [firstPlain, firstPacked] = [plain.first(most), packed.first(most)];
        for (let at = 0; at < all.length; at++) expect(packed.row(at, uri)).toEqual(plain.row(at));
        for (let at = 0; at < most; at++) expect(firstPacked.row(at, uri)).toEqual(firstPlain.row(at));
        expect(() => firstPacked.row(most, uri)).toThrow("no such row");
      }),
    );
  });

  it("are the same as others only where every part of every row is", async () => {
    const one: Told = { teller: 1, place: range(1, 2, 3), selection: range(1, 2, 3), name: "a", outer: "b" };
    const same = rowsOf([one, one]);
    expect(await same.equals(rowsOf([one, { ...one }]), turns)).toBe(true);
    expect(await (await same.packed(turns)).equals(rowsOf([one, one]), turns)).toBe(true);
    const others = {
      "another place": rowsOf([one, { ...one, place: range(1, 2, 4) }]),
      "another place of the name": rowsOf([one, { ...one, selection: range(1, 2, 4) }]),
      "no place of the name": rowsOf([one, { ...one, selection: undefined }]),
      "another name": rowsOf([one, { ...one, name: "b" }]),
      "in nothing": rowsOf([one, { ...one, outer: undefined }]),
      "of a server that counts otherwise": rowsOf([one, { ...one, teller: 2 }]),
      "one less": rowsOf([one]),
      "one more": rowsOf([one, one, one]),
      "another file": rowsOf([one, one], "b"),
    };
    for (const [what, other] of Object.entries(others))
      expect(await same.equals(other, turns), what).toBe(false);
    const split = (first: number) => {
      const files = [fileOf("a", 0, first), fileOf("b", first, 3 - first)];
      return new Rows(kind, new PlainRows(plainOf([one, one, one])), files);
    };
    expect(await split(1).equals(split(1), turns)).toBe(true);
    expect(await split(1).equals(split(2), turns)).toBe(false);
  });

  it("are told from others that are not packed as if these were, whatever stands between", async () => {
    // Few numbers, so that many are the same, and some that are kept as the last one.
    const number = fc.constantFrom(0, 1, none - 1, none, 2 ** 40);
    const point = fc.record({ line: number, character: number });
    const place = fc.option(fc.record({ start: point, end: point }), { nil: undefined });
    const row = fc.record({
      ...{ teller: fc.nat(1), place, selection: place },
      ...{ name: fc.constantFrom("a", "b"), outer: fc.constantFrom(undefined, "c") },
    });
    const list = fc.array(row, { minLength: 1, maxLength: 3 });
    /** The same servers by other handles, as each call has them. */
    const anew = (rows: FoundSymbol[]) =>
      rows.map((row) => ({ ...row, server: serverOf({}, { encoding: row.server.encoding }) }));
    const seen = { same: 0, other: 0 };
    await fc.assert(
      fc.asyncProperty(
        list,
        list,
        list,
        fc.nat(3),
        fc.boolean(),
        async (first, second, gap, change, isNamed) => {
          const own = isNamed
            ? symbolKind(documentSymbolsFacts, callState().plan.dialect, { isNamed })
            : kind;
          const rows = (one: Told[], two: Told[], behind: Told[]) => {
            const all = anew(plainOf([...one, ...behind, ...two]));
            const files = [fileOf("a", 0, one.length), fileOf("b", one.length + behind.length, two.length)];
            return new Rows(own, new PlainRows(all), files);
          };
          const other =
            change === 0 ? second : second.map((row, at) => (at === 0 ? { ...row, ...gap[0] } : row));
          const [one, two] = [rows(first, second, []), rows(first, other, gap)];
          const isSame = await (await one.packed(turns)).store.equals((await two.packed(turns)).store, turns);
          expect(await (await one.packed(turns)).equals(two, turns)).toBe(isSame);
          seen[isSame ? "same" : "other"]++;
        },
      ),
      { numRuns: 500, seed: 1 },
    );
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(50);
    const one: Told = { teller: 1, place: range(1, 2, 3), selection: range(1, 2, 3), name: "a", outer: "b" };
    const packed = await rowsOf([one]).packed(turns);
    const places = {
      "another line": { start: { line: 0, character: 2 }, end: { line: 1, character: 3 } },
      "another column": range(1, 1, 3),
      "another last line": { start: { line: 1, character: 2 }, end: { line: 2, character: 3 } },
      "another last column": range(1, 2, 4),
      none: undefined,
    };
    for (const [what, place] of Object.entries(places)) {
      expect(await packed.equals(rowsOf([{ ...one, place }]), turns), what).toBe(false);
      expect(await packed.equals(rowsOf([{ ...one, selection: place }]), turns), what).toBe(false);
    }
  });

  it("begin in the order of their numbers, where these tell them apart", () => {
    const number = fc.oneof(fc.nat(3), fc.constantFrom(2 ** 16 - 1, 2 ** 16, 2 ** 26 - 1, 2 ** 26, 2 ** 53));
    const point = fc.record({ line: number, character: number });
    const place = fc.option(fc.record({ start: point, end: point }), { nil: undefined });
    fc.assert(
      fc.property(place, place, (a, b) => {
        if (compareRanges(a, b) < 0) expect(startNumber(a)).toBeLessThanOrEqual(startNumber(b));
      }),
      { numRuns: 2000, seed: 1 },
    );
    expect(startNumber(range(7, 8, 9))).toBeLessThan(startNumber(range(7, 9, 9)));
    expect(startNumber(range(7, 2 ** 20, 9))).toBeLessThan(startNumber(range(8, 0, 0)));
  });

  it("without a text are in the order of what is kept of their numbers", async () => {
    const at = (line: number, character: number) => ({ line, character });
    const told = [
      { start: at(1, none - 1), end: at(none, 3) },
      { start: at(1, none), end: at(none - 2, 4) },
    ].map((place): Told => ({ teller: 1, place, selection: undefined, name: "a", outer: undefined }));
    const places: RowKind<SymbolWords> = { ...kind, range: ({ range }) => range };
    const file = { ...fileOf("a", 0, told.length), isOrdered: false };
    const rows = new Rows(places, new PlainRows(plainOf(told)), [file]);
    await rows.order(file, { places: callState().places, turns });
    expect(told.map((_, index) => rows.row(file, index).range?.end.line)).toEqual([none - 2, none]);
  });

  it("have no number that stands for none", async () => {
    const far = { start: { line: none, character: 2 ** 40 }, end: { line: 2 ** 32, character: none + 1 } };
    const packed = await packedOf([{ teller: 0, place: far, selection: far, name: "", outer: "" }]);
    const last = { line: none - 1, character: none - 1 };
    expect(packed.row(0, uri)).toMatchObject({
      range: { start: last, end: last },
      what: { selection: { start: last, end: last } },
    });
  });

  it("are what is kept for further pages", async () => {
    const count = 500;
    const told = Array.from({ length: count }, (_, line) => ({
      ...{ teller: 1, place: range(line, 0, 9), selection: range(line, 4, 9), name: `n${line}`, outer: "in" },
    }));
    const list = new RowList(rowsOf(told));
    const pages = new Pages();
    const head = {} as Snapshot["head"];
    const beside = { beside: {}, isBounded: false, files: new Map(), sources: undefined };
    const binding = "0".repeat(16);
    const wayOn = await pages.keep(binding, { head, list, total: count, ...beside }, turns);
    const cursor = wayOn.cursor(1, []);
    wayOn.give(cursor);
    const { snapshot } = await pages.open(cursor, binding, turns);
    expect(snapshot.list).not.toBe(list);
    expect(await snapshot.list.packed(turns)).toBe(snapshot.list);
    // Measured: 163 bytes each, beside some kilobytes for the listing.
    expect(pages.held.bytes).toBeLessThan(200 * count);
    expect(await list.weigh(turns)).toBeGreaterThan(110 * count);
  });
});
