/** What a listing takes to be kept, and whether it is the same as another. */
import fc from "fast-check";
import { expect, it } from "vitest";
import type { PositionEncoding } from "../../../src/base/text.js";
import { documentSymbolsFacts } from "../../../src/protocol/shapes/symbols.js";
import { RowList } from "../../../src/runtime/listing/row-list.js";
import { PlainRows } from "../../../src/runtime/listing/row-store.js";
import { Rows } from "../../../src/runtime/listing/rows.js";
import { containerOf } from "../../../src/runtime/point/symbol-names.js";
import { documentSymbols, type FoundSymbol, workspaceSymbols } from "../../../src/runtime/point/symbols.js";
import { symbolKind } from "../../../src/runtime/shapes/symbol-rows.js";
import { Turns } from "../../../src/runtime/turns.js";
import { callState, serverOf } from "../doubles.js";

const uri = "file:///w/a.fake";
const call = callState();
const kind = symbolKind(documentSymbolsFacts, call.plan.dialect, { isNamed: false });
const admitted = { path: "/w/a.fake", uri, shown: "a.fake", writable: true };

/** What a symbol says, and nothing about where: short texts, so that many lists have the same texts one behind the other. */
const words = fc.tuple(
  fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 2 }),
  fc.option(fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 2 }), { nil: undefined }),
);

function listOf(told: [string, string | undefined][], character = 0, encoding: PositionEncoding = "utf-16") {
  // A server is another object in each call.
  const server = serverOf({}, { encoding });
  const rows = told.map(([name, container], line): FoundSymbol => {
    const range = { start: { line, character }, end: { line, character: 9 } };
    const outer = container === undefined ? undefined : containerOf(container);
    return { server, uri, range, what: { name, kind: "class", container: outer, selection: range } };
  });
  const file = { admitted, start: 0, length: rows.length, isOrdered: true };
  return new RowList(new Rows(kind, new PlainRows(rows), [file]));
}

const turns = new Turns(new AbortController().signal);

it("is the same as one with the same names in the same places, and as no other", async () => {
  const lists = fc.array(words, { maxLength: 2 });
  const same = { yes: 0, no: 0 };
  await fc.assert(
    fc.asyncProperty(lists, lists, fc.integer({ min: 0, max: 1 }), async (one, other, character) => {
      // A symbol that stands in nothing, and one that stands in something without a name, are told alike.
      const text = (told: typeof one) => JSON.stringify(told.map(([name, within]) => [name, within ?? ""]));
      const isMoved = character > 0 && other.length > 0;
      const isSame = text(one) === text(other) && !isMoved;
      expect(await listOf(one).equals(listOf(other, character), turns)).toBe(isSame);
      same[isSame ? "yes" : "no"]++;
    }),
    { seed: 1, numRuns: 3000 },
  );
  expect(Math.min(same.yes, same.no)).toBeGreaterThan(100);
});

it("is another one where a server counts columns otherwise", async () => {
  const told: [string, undefined] = ["a", undefined];
  expect(await listOf([told]).equals(listOf([told], 0, "utf-8"), turns)).toBe(false);
  expect(await listOf([told], 0, "utf-8").equals(listOf([told], 0, "utf-8"), turns)).toBe(true);
});

it("takes as much as its texts are long", async () => {
  const long = "n".repeat(40_000);
  const one = await listOf([[long, undefined]]).weigh(turns);
  const two = await listOf([
    [long, undefined],
    ["short", "within"],
  ]).weigh(turns);
  expect(one).toBeGreaterThan(80_000);
  // Many short ones must not take the room that they are not weighed for.
  expect(await listOf([["a", undefined]]).weigh(turns)).toBeGreaterThan(2000);
  expect(two).toBeGreaterThan(one);
});

it("counts the characters of a symbol's words without making them", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (name, word) => {
      const what = { name, kind: word, container: undefined, selection: undefined };
      expect(kind.characters?.(what)).toBe(kind.words(what).length);
    }),
  );
});

it("has what symbols stand in once, however many do", () => {
  const location = { uri, range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } } };
  const value = ["in", "in", "out"].map((containerName) => ({ name: "n", kind: 5, containerName, location }));
  for (const found of [
    [...documentSymbols(serverOf({}), uri, value)],
    [...workspaceSymbols(serverOf({}), value)],
  ]) {
    const [one, two, three] = found.map(({ what }) => what.container);
    expect(one).toBe(two);
    expect(three).toEqual({ name: "out", outer: undefined, path: "out" });
  }
});
