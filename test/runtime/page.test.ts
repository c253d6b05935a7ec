import { utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import type { Head } from "../../src/runtime/answer/head.js";
import { Pages, type Snapshot } from "../../src/runtime/answer/page.js";
import { stampOf } from "../../src/runtime/answer/stamps.js";
import { SpeltList } from "../../src/runtime/listing/list.js";
import { Turns } from "../../src/runtime/turns.js";
import { callState } from "./doubles.js";
import { openWorkshop, range, type Workshop } from "./workshop.js";

const a = "file:///work/a.fake";
const many = Array.from({ length: 450 }, (_, index) => ({ uri: a, range: range(index, 0, 4) })).reverse();

describe("pages of a call", () => {
  let workshop: Workshop;
  beforeAll(async () => {
    workshop = await openWorkshop({
      files: { "a.fake": "long line ".repeat(12).concat("\n").repeat(460), "b.fake": "x\n" },
      servers: {
        fake: {
          scenario: {
            capabilities: { referencesProvider: true, definitionProvider: true },
            replies: { "textDocument/references": many, "textDocument/definition": many },
          },
        },
      },
      config: {
        tools: [
          {
            name: "capped",
            input: "position",
            output: "locations",
            request: { method: "textDocument/definition", params: "text_document_position" },
          },
        ],
      },
    });
  });
  afterAll(() => workshop.close());

  const at = { file_path: "a.fake", line: 1, character: 1 };

  async function all(pageSize: number): Promise<{ items: JsonObject[]; pages: number }> {
    const items: JsonObject[] = [];
    let cursor: unknown;
    for (let pages = 1; ; pages++) {
      const args = { ...at, page_size: pageSize, ...(typeof cursor === "string" ? { cursor } : {}) };
      const { structured, text } = await workshop.call("find_references", args);
      expect(structured.ok).toBe(true);
      const shown = structured.locations as JsonObject[];
      expect(structured).toMatchObject({ total: 450, shown: shown.length });
      expect(shown.length).toBeLessThanOrEqual(pageSize);
      expect(JSON.stringify(structured).length).toBeLessThanOrEqual(40_000);
      expect(text.length).toBeLessThanOrEqual(40_000);
      items.push(...shown);
      cursor = structured.next_cursor;
      expect(structured.truncated).toBe(cursor !== undefined);
      if (cursor === undefined) return { items, pages };
      expect(text).toContain(`Next page: call again with cursor "${cursor}".`);
    }
  }

  it.each([200, 100, 7])("laid together equal the whole, with %d a page", async (size) => {
    const { items, pages } = await all(size);
    expect(items.map(({ line }) => line)).toEqual(Array.from({ length: 450 }, (_, index) => index + 1));
    expect(pages).toBeGreaterThanOrEqual(Math.ceil(450 / size));
  });

  it("have the same cursors for the same question", async () => {
    const first = await workshop.call("find_references", at);
    const again = await workshop.call("find_references", at);
    expect(first.structured.shown).toBe(100);
    expect(again).toEqual(first);
  });

  it("are bound to the tool's arguments", async () => {
    const { structured } = await workshop.call("find_references", at);
    const cursor = structured.next_cursor as string;
    for (const args of [
      { ...at, character: 2, cursor },
      { ...at, include_declaration: false, cursor },
      { ...at, cursor: `${cursor}x` },
      { ...at, cursor: "nonsense" },
    ]) {
      const refused = await workshop.call("find_references", args);
      expect(refused.structured).toMatchObject({ error: { code: "page/cursor-invalid" } });
    }
    const explicit = await workshop.call("find_references", { ...at, include_declaration: true, cursor });
    expect(explicit.structured).toMatchObject({ ok: true, shown: 100 });
  });

  it("are stale when a file of the listing changed", async () => {
    const { structured } = await workshop.call("find_references", at);
    utimesSync(join(workshop.folder, "a.fake"), new Date(0), new Date(0));
    const cursor = structured.next_cursor as string;
    const refused = await workshop.call("find_references", { ...at, cursor });
    expect(refused.structured).toMatchObject({ error: { code: "page/cursor-stale" } });
  });

  it("belong to their session", async () => {
    const { structured } = await workshop.call("find_references", at);
    const other = workshop.runtime.openSession();
    const args = { ...at, cursor: structured.next_cursor };
    const refused = await other.call("find_references", args, { signal: new AbortController().signal });
    expect(refused.structured).toMatchObject({ error: { code: "page/cursor-expired" } });
  });

  it("are stale when a file that the listing does not name came into being", async () => {
    const { structured } = await workshop.call("find_references", at);
    const cursor = structured.next_cursor as string;
    expect((await workshop.call("find_references", { ...at, cursor })).isError).toBe(false);
    writeFileSync(join(workshop.folder, "notes.txt"), "no server is for it\n");
    expect((await workshop.call("find_references", { ...at, cursor })).isError).toBe(false);
    writeFileSync(join(workshop.folder, "new.fake"), "one more use\n");
    const refused = await workshop.call("find_references", { ...at, cursor });
    expect(refused.structured).toMatchObject({ error: { code: "page/cursor-stale" } });
    expect((await workshop.call("find_references", at)).isError).toBe(false);
  });

  it("are not there for a tool without them: it is cut, visibly, and says how to go on", async () => {
    const { structured, text } = await workshop.call("capped", at);
    expect(structured).toMatchObject({
      total: 450,
      truncated: true,
      warnings: [{ code: "answer/snippets-dropped" }, { code: "answer/truncated" }],
    });
    expect(structured.shown).toBe(200);
    expect((structured.locations as JsonObject[])[0]).toMatchObject({ line: 1 });
    expect(text).toContain(`capped: 1-${structured.shown} of 450 locations`);
    const few = await workshop.call("capped", { ...at, max_results: 3 });
    expect(few.structured).toMatchObject({
      total: 450,
      shown: 3,
      truncated: true,
      next_steps: [{ kind: "tool", tool: "capped", arguments: { ...at, max_results: 200 } }],
    });
    expect(few.text).toContain('Next: call capped with {"file_path":"a.fake"');
  });
});

describe("kept listings", () => {
  const head: Head = {
    tool: "t",
    serverId: null,
    readiness: "ready",
    dropped: 0,
    isCut: false,
    document: undefined,
    echo: {},
    symbol: undefined,
    question: undefined,
    warnings: [],
  };
  const turns = new Turns(new AbortController().signal);
  const speller = { places: callState().places, turns };
  const listing = (items: string[]): Snapshot => ({
    head,
    beside: {},
    list: new SpeltList(items),
    total: items.length,
    isBounded: false,
    files: new Map(),
    sources: undefined,
  });

  /** The cursor behind the first item of a listing that is kept. */
  const cursorOf = async (pages: Pages, binding: string, snapshot: Snapshot) =>
    (await pages.keep(binding, snapshot, turns))(1, await snapshot.list.items(speller, 0, 1));

  it("expire", async () => {
    let now = 0;
    const pages = new Pages({ lifeMs: 300_000, bytes: 1e6, snapshotBytes: 1e6 }, () => now);
    const cursor = await cursorOf(pages, "0123456789abcdef", listing(["a", "b"]));
    now = 299_999;
    const { snapshot } = await pages.open(cursor, "0123456789abcdef", turns);
    expect(await snapshot.list.items(speller, 0, 2)).toEqual(["a", "b"]);
    now += 300_001;
    await expect(pages.open(cursor, "0123456789abcdef", turns)).rejects.toMatchObject({
      code: "page/cursor-expired",
    });
  });

  it("are the same ones when the same is found again in the same files, and others when something changed", async () => {
    const pages = new Pages();
    const binding = "0123456789abcdef";
    const file = fileURLToPath(import.meta.url);
    const at = (sources: string | undefined, stamp = stampOf(file)): Snapshot => ({
      ...{ ...listing(["a", "b"]), sources, files: new Map([[file, stamp]]) },
    });
    const kept = async (asked: Snapshot) => {
      const cursor = await cursorOf(pages, binding, asked);
      await nextTurn();
      return (await pages.open(cursor, binding, turns, asked.sources)).snapshot.list;
    };
    const first = at("1");
    expect(await kept(first)).toBe(first.list);
    expect(await kept(at("1"))).toBe(first.list);
    await cursorOf(pages, binding, at("2", { text: "before", changedAt: 0 }));
    for (const other of [at("2"), at("3"), at(undefined), at(undefined)])
      expect(await kept(other)).toBe(other.list);
  });

  it("make room for newer ones, the least recently used first", async () => {
    const pages = new Pages({ lifeMs: 1e6, bytes: 1500, snapshotBytes: 2000 });
    const binding = "0123456789abcdef";
    const first = await cursorOf(pages, binding, listing(["x".repeat(900), "1"]));
    const second = await cursorOf(pages, binding, listing(["y".repeat(900), "2"]));
    await pages.open(first, binding, turns);
    await cursorOf(pages, binding, listing(["z".repeat(900), "3"]));
    await expect(pages.open(second, binding, turns)).rejects.toMatchObject({ code: "page/cursor-expired" });
    expect((await pages.open(first, binding, turns)).offset).toBe(1);
    await expect(pages.keep(binding, listing(["w".repeat(3000)]), turns)).rejects.toMatchObject({
      code: "page/snapshot-too-large",
    });
  });

  it("leave the largest in its place: neither does it take the room of the others, nor they its", async () => {
    const pages = new Pages({ lifeMs: 1e6, bytes: 3500, snapshotBytes: 1e6 });
    const large = await cursorOf(pages, "0123456789abcdef", listing(["x".repeat(50_000), "1"]));
    const others = [];
    for (let n = 0; n < 6; n++) {
      const binding = `${n}`.repeat(16);
      others.push(await cursorOf(pages, binding, listing([`${n}`.repeat(500), "1"])));
    }
    expect(pages.holds(large)).toBe(true);
    expect(others.map((cursor) => pages.holds(cursor))).toEqual([false, false, true, true, true, true]);
    // A larger one takes its place.
    const larger = await cursorOf(pages, "fedcba9876543210", listing(["y".repeat(60_000), "1"]));
    expect([large, larger, ...others].map((cursor) => pages.holds(cursor))).toEqual([
      ...[false, true],
      ...[false, false, true, true, true, true],
    ]);
    // A new one stays, also if it has no room beside the largest: nobody has seen its second page.
    const middle = await cursorOf(pages, "fedcba9876543211", listing(["z".repeat(20_000), "1"]));
    expect([larger, middle].map((cursor) => pages.holds(cursor))).toEqual([false, true]);
  });

  it("are let go when the same is asked after a change, and their cursors told to be stale", async () => {
    const pages = new Pages({ lifeMs: 1e6, bytes: 1700, snapshotBytes: 2000 });
    const binding = "0123456789abcdef";
    const at = (sources: string, first: string) => ({ ...listing([first.repeat(900), "1"]), sources });
    const old = await cursorOf(pages, binding, at("1", "x"));
    const other = await cursorOf(pages, "fedcba9876543210", at("1", "y"));
    const cursors = [];
    for (const sources of ["2", "3", "4"]) cursors.push(await cursorOf(pages, binding, at(sources, sources)));
    for (const cursor of [old, ...cursors.slice(0, 2)]) {
      expect(pages.holds(cursor)).toBe(false);
      await expect(pages.open(cursor, binding, turns, "4")).rejects.toMatchObject({
        code: "page/cursor-stale",
      });
    }
    expect((await pages.open(cursors[2] ?? "", binding, turns, "4")).offset).toBe(1);
    // What is let go takes little room from other listings.
    expect(pages.holds(other)).toBe(true);
  });

  it("go on from all that was shown: in a newer listing that began alike, and nowhere where it did not", async () => {
    const pages = new Pages();
    const binding = "0123456789abcdef";
    const at = (sources: string | undefined, items: string[]) => ({ ...listing(items), sources });
    const before = at("1", ["a", "b", "c"]);
    const first = await cursorOf(pages, binding, before);
    const second = (await pages.open(first, binding, turns, "1")).cursor(2, ["b"]);
    expect((await pages.open(second, binding, turns, "1")).offset).toBe(2);
    // The second item is another one now. Who has seen the first alone has seen nothing that is not so any more.
    const after = at("2", ["a", "x", "c"]);
    expect(await cursorOf(pages, binding, after)).toBe(first);
    expect((await pages.open(first, binding, turns, "2")).snapshot.list).toBe(after.list);
    await expect(pages.open(second, binding, turns, "2")).rejects.toMatchObject({
      code: "page/cursor-stale",
    });
    expect((await pages.open(first, binding, turns, "2")).cursor(2, ["x"])).not.toBe(second);
    // As many as there are is shown as well.
    expect(await cursorOf(pages, binding, at("2", ["a", "x"]))).not.toBe(first);
    // Where nobody knows what changed both go on, each in its own.
    const unknown = [at(undefined, ["a", "b", "d"]), at(undefined, ["a", "e", "d"])] as const;
    const [one, other] = [await cursorOf(pages, binding, unknown[0]), unknown[1]];
    const further = (await pages.open(one, binding, turns)).cursor(2, ["b"]);
    expect(await cursorOf(pages, binding, other)).toBe(one);
    expect((await pages.open(one, binding, turns)).snapshot.list).toBe(other.list);
    expect((await pages.open(further, binding, turns)).snapshot.list).toBe(unknown[0].list);
  });

  it("are found to be one, with the cursors of both, also by who is at a page of the older", async () => {
    const pages = new Pages();
    const binding = "0123456789abcdef";
    const at = () => ({ ...listing(["a", "b", "c", "d"]), sources: "1" });
    const older = at();
    const one = await cursorOf(pages, binding, older);
    const opened = await pages.open(one, binding, turns, "1");
    const newer = at();
    const two = (await pages.keep(binding, newer, turns))(2, ["a", "b"]);
    expect(pages.held.listings).toBe(2);
    await nextTurn();
    expect(pages.held.listings).toBe(1);
    const further = opened.cursor(3, ["b", "c"]);
    expect(pages.held.listings).toBe(1);
    for (const cursor of [one, two, further]) {
      expect(pages.holds(cursor)).toBe(true);
      expect((await pages.open(cursor, binding, turns, "1")).snapshot.list).toBe(older.list);
    }
  });

  it("are there for the next page of one who was at a page when they had to go", async () => {
    const pages = new Pages({ lifeMs: 1e6, bytes: 0, snapshotBytes: 2000 });
    const binding = "0123456789abcdef";
    const first = await cursorOf(pages, binding, listing(["x".repeat(900), "1", "2"]));
    const opened = await pages.open(first, binding, turns);
    await cursorOf(pages, "fedcba9876543210", listing(["y".repeat(1000), "1"]));
    expect(pages.holds(first)).toBe(false);
    const next = opened.cursor(2, ["1"]);
    expect((await pages.open(next, binding, turns)).offset).toBe(2);
  });

  it("take room for each of their cursors, once", async () => {
    const pages = new Pages();
    const binding = "0123456789abcdef";
    let cursor = await cursorOf(pages, binding, listing(["a", "b", "c", "d"]));
    const sizes = [pages.held.bytes];
    for (const [end, item] of [
      [2, "b"],
      [3, "c"],
    ] as const) {
      const opened = await pages.open(cursor, binding, turns);
      cursor = opened.cursor(end, [item]);
      expect(opened.cursor(end, [item])).toBe(cursor);
      sizes.push(pages.held.bytes);
    }
    const [first = 0, second = 0, third = 0] = sizes;
    expect(second).toBeGreaterThan(first);
    expect(third - second).toBe(second - first);
    expect(pages.held.listings).toBe(1);
  });

  it("leave nothing behind: neither those that are too old, nor what they were found by", async () => {
    let now = 0;
    const pages = new Pages({ lifeMs: 1000, bytes: 1500, snapshotBytes: 2000 }, () => now);
    const other = "fedcba9876543210";
    const kept = async (binding: string, item: string, sources?: string) => {
      const cursor = await cursorOf(pages, binding, { ...listing([item.repeat(900), "1"]), sources });
      await nextTurn();
      return cursor;
    };
    const first = await kept("0123456789abcdef", "a");
    const { bytes } = pages.held;
    expect(bytes).toBeGreaterThan(900);
    await pages.open(first, "0123456789abcdef", turns);
    await kept("0123456789abcdef", "a");
    expect(pages.held).toEqual({ listings: 1, questions: 1, bytes });
    now = 500;
    await kept(other, "b", "1");
    await kept(other, "c", "2");
    // That of the first sources is stale, and takes the room of its cursor.
    expect(pages.held).toMatchObject({ listings: 3, questions: 2 });
    expect(pages.held.bytes).toBeLessThan(2.2 * bytes);
    now = 1400;
    await kept(other, "d", "2");
    expect(pages.held).toMatchObject({ listings: 3, questions: 1 });
    now = 9999;
    await kept("0123456789abcdef", "a");
    expect(pages.held).toEqual({ listings: 1, questions: 1, bytes });
  });

  it("refuse any text that is not a cursor of theirs", async () => {
    const pages = new Pages();
    const given = await cursorOf(pages, "0123456789abcdef", listing(["a", "b", "c"]));
    // One of theirs that goes on elsewhere is none of theirs either.
    const read = Buffer.from(given, "base64url").toString();
    const moved = Buffer.from(read.replace(/1$/, "2")).toString("base64url");
    expect(moved).not.toBe(given);
    await expect(pages.open(moved, "0123456789abcdef", turns)).rejects.toMatchObject({
      code: "page/cursor-invalid",
    });
    await fc.assert(
      fc.asyncProperty(fc.string(), async (text) => {
        await expect(pages.open(text, "0123456789abcdef", turns)).rejects.toMatchObject({
          code: "page/cursor-invalid",
        });
      }),
      { numRuns: 100, seed: 3 },
    );
  });
});
