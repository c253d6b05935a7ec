/** The digest of a listing, which its cursors are made of: the same for the same rows, another one for any others. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { documentSymbolsFacts } from "../../../src/protocol/shapes/document-symbols.js";
import type { Row } from "../../../src/runtime/listing/row.js";
import { RowList } from "../../../src/runtime/listing/row-list.js";
import { PlainRows } from "../../../src/runtime/listing/row-store.js";
import { Rows } from "../../../src/runtime/listing/rows.js";
import { type SymbolWords, symbolKind } from "../../../src/runtime/shapes/symbol-rows.js";
import { Turns } from "../../../src/runtime/turns.js";
import { callState, serverOf } from "../doubles.js";

const uri = "file:///w/a.fake";
const server = serverOf({});
const call = callState();
const kind = symbolKind(documentSymbolsFacts, call.plan.dialect, { isNamed: false });
const admitted = { path: "/w/a.fake", uri, shown: "a.fake", writable: true };

/** What a symbol says, and nothing about where: short texts, so that many lists have the same texts one behind the other. */
const words = fc.tuple(
  fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 2 }),
  fc.option(fc.string({ unit: fc.constantFrom("a", "b", "/"), maxLength: 2 }), { nil: undefined }),
);

async function weigh(told: [string, string | undefined][]) {
  const rows = told.map(([name, container], line): Row<SymbolWords> => {
    const range = { start: { line, character: 0 }, end: { line, character: 1 } };
    return { server, uri, range, what: { name, kind: "class", container, selection: range } };
  });
  const file = { admitted, start: 0, length: rows.length, isOrdered: true };
  const list = new RowList(new Rows(kind, new PlainRows(rows), [file]));
  return list.weigh(new Turns(new AbortController().signal));
}

it("is one for each list of names and of what they stand in", async () => {
  const seen = new Map<string, string>();
  await fc.assert(
    fc.asyncProperty(fc.array(words, { maxLength: 3 }), async (told) => {
      // A symbol that stands in nothing, and one that stands in something without a name, are told alike.
      const list = JSON.stringify(told.map(([name, container]) => [name, container ?? ""]));
      const { digest } = await weigh(told);
      expect(seen.get(digest) ?? list).toBe(list);
      seen.set(digest, list);
      expect((await weigh(told)).digest).toBe(digest);
    }),
    { seed: 1, numRuns: 3000 },
  );
  expect(seen.size).toBeGreaterThan(500);
});

it("knows long texts from others, and how much they take", async () => {
  const name = (last: string) => `${"n".repeat(40_000)}${last}`;
  const [a, b] = [
    await weigh([[name("a"), undefined]]),
    await weigh([
      [name("b"), undefined],
      ["short", "within"],
    ]),
  ];
  expect(a.digest).not.toBe(b.digest);
  expect(a.digest).not.toBe((await weigh([[name("c"), undefined]])).digest);
  expect(a.bytes).toBeGreaterThan(80_000);
  expect(b.bytes).toBeGreaterThan(a.bytes);
});
