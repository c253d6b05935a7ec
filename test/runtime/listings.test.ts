/**
 * Listings as a whole, with made-up replies: whatever the order, the duplicates and the servers, and however large each page
 * is, the pages laid together are the same items, none left out and none told twice.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ShapeName } from "../../src/abi/plan.js";
import { canonicalText, type Json } from "../../src/base/json.js";
import { shapeNames, shapes } from "../../src/protocol/shapes.js";
import { buildAnswer, pageAnswer } from "../../src/runtime/answer/answer.js";
import { Pages } from "../../src/runtime/answer/pages.js";
import type { ReplyData } from "../../src/runtime/ask/candidates.js";
import type { CallState } from "../../src/runtime/call-state.js";
import { fakePlan } from "../fake-server/index.js";
import { callState, serverOf } from "./doubles.js";
import { range } from "./test-workspace.js";

const files = ["a", "b", "c"].map((name) => `file:///w/${name}.fake`);
const text = `${"a line of some words and 👋 ".repeat(3)}\n`.repeat(30);
const servers = ["one", "two"].map((id) =>
  serverOf(Object.fromEntries(files.map((uri) => [uri, text])), { id }),
);

const line = fc.nat(28);
const place = fc.tuple(line, fc.nat(20)).map(([at, from]) => range(at, from, from + 3));
const uri = fc.constantFrom(...files);
const name = fc.constantFrom("alpha", "beta", "γ", "alpha");
const kind = fc.constantFrom(5, 6, 12);

/** One raw item of each shape that lists what servers tell item by item. */
const items: { [shape in ShapeName]?: fc.Arbitrary<Json> } = {
  locations: fc.record({ uri, range: place }),
  document_symbols: fc.record({ name, kind, range: place }),
  workspace_symbols: fc.record({ name, kind, location: fc.record({ uri, range: place }) }),
  calls: fc.record({ from: fc.record({ name, kind, uri, range: place }), fromRanges: fc.array(place) }),
  types: fc.record({ name, kind, uri, range: place }),
  diagnostics: fc.record({ range: place, message: name, severity: fc.constantFrom(1, 2, 3, 4) }),
  workspace_diagnostics: fc.record({ uri, items: fc.array(fc.record({ range: place, message: name })) }),
  completions: fc.record({ label: name, kind, sortText: fc.constantFrom("1", "2") }),
  code_actions: fc.record({ title: name, kind: fc.constantFrom("quickfix", "refactor") }),
  inlay_hints: fc.record({ position: place.map(({ start }) => start as Json), label: name }),
  folding_ranges: line.map((startLine) => ({ startLine, endLine: startLine + 1 })),
  links: fc.record({ range: place, target: fc.constantFrom("https://a/", "https://b/") }),
  highlights: fc.record({ range: place, kind: fc.constantFrom(1, 2, 3) }),
  code_lenses: fc.record({ range: place, command: fc.record({ title: name, command: name }) }),
  monikers: fc.record({ scheme: name, identifier: name, unique: fc.constantFrom("global", "scheme") }),
};

/** Those whose replies are one value, whose order is the value's own, that no server tells of, or that are edits. */
const others: readonly string[] = [
  "selection_ranges",
  "signatures",
  "semantic_tokens",
  "batch",
  "server_status",
  "workspace_edit",
  "text_edits",
  "source",
  "items",
];

it("are all here", () => {
  const counted = shapeNames.filter((shape) => shapes[shape]?.counted);
  expect(counted.filter((shape) => items[shape] === undefined && !others.includes(shape))).toEqual([]);
});

/** A call of a tool with pages of this size at the most, and so much room for each. */
function pagedCall(shape: ShapeName, pages: Pages, size: number, room: number): CallState {
  const plan = fakePlan([]);
  const limits = { ...plan.limits, maxPageChars: room, maxTotalChars: 2 * room };
  const state = callState({ plan: { ...plan, limits }, pages, input: { page_size: size } });
  const output = { ...state.tool.output, shape };
  return { ...state, tool: { ...state.tool, output, page: { defaultSize: 100, maxSize: 200 } } };
}

/** All pages of a listing, each with the size that comes next, and their items laid together. */
async function laid(shape: ShapeName, reply: ReplyData, sizes: number[], room: number): Promise<Json[]> {
  const list = shapes[shape]?.list ?? "";
  const pages = new Pages();
  const sizeOf = (page: number) => sizes[page % sizes.length] ?? 1;
  let page = await buildAnswer(pagedCall(shape, pages, sizeOf(0), room), shape, reply, {});
  const found = [...(page.structured[list] as Json[])];
  for (let count = 1; typeof page.structured.next_cursor === "string"; count++) {
    const call = pagedCall(shape, pages, sizeOf(count), room);
    page = await pageAnswer(call, shape, page.structured.next_cursor);
    expect((page.structured[list] as Json[]).length).toBeGreaterThan(0);
    found.push(...(page.structured[list] as Json[]));
  }
  expect(page.structured.total).toBe(found.length);
  return found;
}

describe.each(Object.entries(items) as [ShapeName, fc.Arbitrary<Json>][])("%s", (shape, item) => {
  it("are the same items however the server orders them and however they are paged", async () => {
    const told = fc.array(item, { maxLength: 40 }).chain((raw) =>
      fc.record({
        raw: fc.constant(raw),
        // A search keeps the order in which the server ranks its results.
        shuffled:
          shape === "workspace_symbols"
            ? fc.constant(raw)
            : fc.shuffledSubarray(raw, { minLength: raw.length }),
        again: fc.subarray(raw),
        cut: shape === "workspace_symbols" ? fc.constant(0) : fc.nat(raw.length),
      }),
    );
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(told, sizes, fc.constantFrom(3_000, 20_000), async (given, each, room) => {
        const [server] = servers;
        const whole = await laid(
          shape,
          { parts: [{ server, value: given.raw }], perItem: false },
          [200],
          400_000,
        );
        const mixed = [...given.shuffled, ...given.again];
        // The id of an action is made of its server too.
        const other = shape === "code_actions" ? server : servers[1];
        const parts = [
          { server, value: mixed.slice(0, given.cut) },
          { server: other, value: mixed.slice(given.cut) },
        ];
        const paged = await laid(shape, { parts, perItem: false }, each, room);
        expect(canonicalText(paged)).toBe(canonicalText(whole));
        expect(new Set(paged.map(canonicalText)).size).toBe(paged.length);
      }),
      { numRuns: 20, seed: 11 },
    );
  });
});

describe("semantic tokens", () => {
  it("are the same however they are paged", async () => {
    const data = Array.from({ length: 28 }, () => [1, 2, 4, 0, 0]).flat();
    const reply: ReplyData = { parts: [{ server: servers[0], value: { data } }], perItem: false };
    const whole = await laid("semantic_tokens", reply, [200], 400_000);
    expect(whole).toHaveLength(28);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }), async (sizes) => {
        expect(await laid("semantic_tokens", reply, sizes, 3_000)).toEqual(whole);
      }),
      { numRuns: 20, seed: 11 },
    );
  });
});
