import { mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import { Refusal } from "../../src/base/problem.js";
import { Turns } from "../../src/base/timing.js";
import type { Header } from "../../src/runtime/answer/envelope.js";
import { type NextPage, Pages, type Snapshot } from "../../src/runtime/answer/pages.js";
import { stampsOf } from "../../src/runtime/ask/retry-on-change.js";
import { RenderedList } from "../../src/runtime/listing/list.js";
import { callState } from "./doubles.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

const a = "file:///work/a.fake";
const many = Array.from({ length: 450 }, (_, index) => ({ uri: a, range: range(index, 0, 4) })).reverse();

describe("pages of a call", () => {
  let work: TestWorkspace;
  beforeAll(async () => {
    work = await openTestWorkspace({
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
  afterAll(() => work.close());

  const at = { file_path: "a.fake", line: 1, character: 1 };

  async function all(pageSize: number): Promise<{ items: JsonObject[]; pages: number }> {
    const items: JsonObject[] = [];
    let cursor: unknown;
    for (let pages = 1; ; pages++) {
      const args = { ...at, page_size: pageSize, ...(typeof cursor === "string" ? { cursor } : {}) };
      const { structured, text } = await work.call("find_references", args);
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
      expect(text).toContain(`Next page: call again with the same arguments and cursor "${cursor}".`);
    }
  }

  it.each([200, 100, 7])("laid together equal the whole, with %d a page", async (size) => {
    const { items, pages } = await all(size);
    expect(items.map(({ line }) => line)).toEqual(Array.from({ length: 450 }, (_, index) => index + 1));
    expect(pages).toBeGreaterThanOrEqual(Math.ceil(450 / size));
  });

  it("have the same cursors for the same question", async () => {
    const first = await work.call("find_references", at);
    const again = await work.call("find_references", at);
    expect(first.structured.shown).toBe(100);
    expect(again).toEqual(first);
  });

  it("are bound to the tool's arguments", async () => {
    const { structured } = await work.call("find_references", at);
    const cursor = structured.next_cursor as string;
    for (const args of [
      { ...at, character: 2, cursor },
      { ...at, include_declaration: false, cursor },
      { ...at, cursor: `${cursor}x` },
      { ...at, cursor: "nonsense" },
    ]) {
      const refused = await work.call("find_references", args);
      expect(refused.structured).toMatchObject({ error: { code: "page/cursor-invalid" } });
    }
    const explicit = await work.call("find_references", { ...at, include_declaration: true, cursor });
    expect(explicit.structured).toMatchObject({ ok: true, shown: 100 });
  });

  it("are stale when a file of the listing changed", async () => {
    const { structured } = await work.call("find_references", at);
    utimesSync(join(work.folder, "a.fake"), new Date(0), new Date(0));
    const cursor = structured.next_cursor as string;
    const refused = await work.call("find_references", { ...at, cursor });
    expect(refused.structured).toMatchObject({ error: { code: "page/cursor-stale" } });
  });

  it("belong to their session", async () => {
    const { structured } = await work.call("find_references", at);
    const other = work.runtime.openSession();
    const args = { ...at, cursor: structured.next_cursor };
    const refused = await other.call("find_references", args, { signal: new AbortController().signal });
    expect(refused.structured).toMatchObject({ error: { code: "page/cursor-expired" } });
  });

  it("are stale when a file that the listing does not name came into being", async () => {
    const { structured } = await work.call("find_references", at);
    const cursor = structured.next_cursor as string;
    expect((await work.call("find_references", { ...at, cursor })).isError).toBe(false);
    writeFileSync(join(work.folder, "notes.txt"), "no server is for it\n");
    expect((await work.call("find_references", { ...at, cursor })).isError).toBe(false);
    writeFileSync(join(work.folder, "new.fake"), "one more use\n");
    const refused = await work.call("find_references", { ...at, cursor });
    expect(refused.structured).toMatchObject({ error: { code: "page/cursor-stale" } });
    expect((await work.call("find_references", at)).isError).toBe(false);
  });

  it("are not there for a tool without them: it is cut, visibly, and says how to go on", async () => {
    const { structured, text } = await work.call("capped", at);
    expect(structured).toMatchObject({
      total: 450,
      truncated: true,
      warnings: [{ code: "answer/snippets-dropped" }, { code: "answer/truncated" }],
    });
    expect(structured.shown).toBe(200);
    expect((structured.locations as JsonObject[])[0]).toMatchObject({ line: 1 });
    expect(text).toContain(`capped: 1-${structured.shown} of 450 locations`);
    const few = await work.call("capped", { ...at, max_results: 3 });
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
  const header: Header = {
    tool: "t",
    serverId: null,
    readiness: "ready",
    dropped: 0,
    isCut: false,
    document: undefined,
    echo: {},
    symbol: undefined,
    candidates: undefined,
    warnings: [],
  };
  const turns = new Turns(new AbortController().signal);
  const context = { places: callState().places, turns };
  const listing = (items: string[]): Snapshot => ({
    header,
    beside: {},
    list: new RenderedList(items),
    total: items.length,
    isBounded: false,
    files: new Map(),
    sourcesCursor: undefined,
  });

  /** The cursor that is given behind a page. */
  const given = ({ cursor, issue }: NextPage, end: number, items: string[]) => {
    const next = cursor(end, items);
    issue(next);
    return next;
  };
  /** The cursor behind the first item of a listing that is kept. */
  const cursorOf = async (pages: Pages, binding: string, snapshot: Snapshot) => {
    const items = (await snapshot.list.render(0, 1, context)) as string[];
    return given(await pages.keep(binding, snapshot, turns), 1, items);
  };

  /** Whether the listing of a cursor is still kept. */
  const isKept = async (pages: Pages, cursor: string) => {
    const binding = Buffer.from(cursor, "base64url").toString().split(":")[1] ?? "";
    return pages.open(cursor, binding, turns).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ code: "page/cursor-expired" });
        return false;
      },
    );
  };
  const areKept = async (pages: Pages, cursors: string[]) => {
    const kept: boolean[] = [];
    for (const cursor of cursors) kept.push(await isKept(pages, cursor));
    return kept;
  };

  it("expire", async () => {
    let now = 0;
    const pages = new Pages({ lifeMs: 300_000, bytes: 1e6, snapshotBytes: 1e6 }, () => now);
    const cursor = await cursorOf(pages, "0123456789abcdef", listing(["a", "b"]));
    now = 299_999;
    const { snapshot } = await pages.open(cursor, "0123456789abcdef", turns);
    expect(await snapshot.list.render(0, 2, context)).toEqual(["a", "b"]);
    now += 300_001;
    await expect(pages.open(cursor, "0123456789abcdef", turns)).rejects.toMatchObject({
      code: "page/cursor-expired",
    });
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
    expect(await isKept(pages, large)).toBe(true);
    expect(await areKept(pages, others)).toEqual([false, false, true, true, true, true]);
    // A larger one takes its place.
    const larger = await cursorOf(pages, "fedcba9876543210", listing(["y".repeat(60_000), "1"]));
    expect(await areKept(pages, [large, larger, ...others])).toEqual([
      ...[false, true],
      ...[false, false, true, true, true, true],
    ]);
    // A new one stays, also if it has no room beside the largest: nobody has seen its second page.
    const middle = await cursorOf(pages, "fedcba9876543211", listing(["z".repeat(20_000), "1"]));
    expect(await areKept(pages, [larger, middle])).toEqual([false, true]);
  });

  it("are stale once a source changed, also when the same is asked again", async () => {
    const pages = new Pages();
    const binding = "0123456789abcdef";
    const at = (sourcesCursor: number) => ({
      ...listing([`${sourcesCursor}`.repeat(900), "1"]),
      sourcesCursor,
    });
    const cursors = [];
    for (const cursor of [1, 2, 3]) cursors.push(await cursorOf(pages, binding, at(cursor)));
    for (const cursor of cursors.slice(0, 2))
      await expect(pages.open(cursor, binding, turns, 3)).rejects.toMatchObject({
        code: "page/cursor-stale",
      });
    expect((await pages.open(cursors[2] ?? "", binding, turns, 3)).offset).toBe(1);
  });

  it("are stale once a file of another page changed, where the sources are not watched", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-page-"));
    const file = join(folder, "a.fake");
    writeFileSync(file, "one\n");
    const pages = new Pages();
    const binding = "0123456789abcdef";
    const files = await stampsOf([file], turns);
    const cursor = await cursorOf(pages, binding, { ...listing(["0", "1"]), files });
    expect((await pages.open(cursor, binding, turns)).offset).toBe(1);
    writeFileSync(file, "other\n");
    await expect(pages.open(cursor, binding, turns)).rejects.toMatchObject({ code: "page/cursor-stale" });
    rmSync(folder, { recursive: true });
  });

  it("go on from all that was shown: in a newer listing that began alike, and nowhere where it did not", async () => {
    const pages = new Pages();
    const binding = "0123456789abcdef";
    const at = (sourcesCursor: number | undefined, items: string[]) => ({ ...listing(items), sourcesCursor });
    const before = at(1, ["a", "b", "c"]);
    const first = await cursorOf(pages, binding, before);
    const second = given((await pages.open(first, binding, turns, 1)).nextPage, 2, ["b"]);
    expect((await pages.open(second, binding, turns, 1)).offset).toBe(2);
    // The second item is another one now. Who has seen the first alone has seen nothing that is not so any more.
    const after = at(2, ["a", "x", "c"]);
    expect(await cursorOf(pages, binding, after)).toBe(first);
    expect((await pages.open(first, binding, turns, 2)).snapshot.list).toBe(after.list);
    await expect(pages.open(second, binding, turns, 2)).rejects.toMatchObject({
      code: "page/cursor-stale",
    });
    expect((await pages.open(first, binding, turns, 2)).nextPage.cursor(2, ["x"])).not.toBe(second);
    // As many as there are is shown as well.
    expect(await cursorOf(pages, binding, at(2, ["a", "x"]))).not.toBe(first);
    // Where nobody knows what changed both go on, each in its own.
    const unknown = [at(undefined, ["a", "b", "d"]), at(undefined, ["a", "e", "d"])] as const;
    const [one, other] = [await cursorOf(pages, binding, unknown[0]), unknown[1]];
    const further = given((await pages.open(one, binding, turns)).nextPage, 2, ["b"]);
    expect(await cursorOf(pages, binding, other)).toBe(one);
    expect((await pages.open(one, binding, turns)).snapshot.list).toBe(other.list);
    expect((await pages.open(further, binding, turns)).snapshot.list).toBe(unknown[0].list);
  });

  it("are there for the next page of one who was at a page when they had to go", async () => {
    const pages = new Pages({ lifeMs: 1e6, bytes: 0, snapshotBytes: 2000 });
    const binding = "0123456789abcdef";
    const first = await cursorOf(pages, binding, listing(["x".repeat(900), "1", "2"]));
    const opened = await pages.open(first, binding, turns);
    const other = await cursorOf(pages, "fedcba9876543210", listing(["y".repeat(1000), "1"]));
    expect(await isKept(pages, first)).toBe(false);
    const next = given(opened.nextPage, 2, ["1"]);
    expect((await pages.open(next, binding, turns)).offset).toBe(2);
    // The bound holds for them as well, and what was over is over.
    expect(await areKept(pages, [first, other])).toEqual([false, false]);
    expect(pages.held.listings).toBe(1);
  });

  it("show each holder of a cursor what follows on what was shown, whatever else is asked and when", async () => {
    const bindings = ["0".repeat(16), "1".repeat(16)];
    const numbers = fc.array(fc.array(fc.nat(59), { minLength: 4, maxLength: 4 }), {
      minLength: 20,
      maxLength: 30,
    });
    const refusals = new Map<string, number>();
    let pagesSeen = 0;
    await fc.assert(
      fc.asyncProperty(numbers, fc.boolean(), fc.nat(2), async (steps, isTight, knowing) => {
        let now = 0;
        const limits = isTight
          ? { lifeMs: 50, bytes: 700, snapshotBytes: 5000 }
          : { lifeMs: 1e9, bytes: 1e9, snapshotBytes: 1e9 };
        const pages = new Pages(limits, () => now);
        let edition = 0;
        const letters = ["a", "b", "c", "d", "e", "f"];
        const found = new Map(bindings.map((binding) => [binding, letters]));
        const holders: { binding: string; cursor: string; shown: Json[]; since: number }[] = [];
        const underWay: (() => void)[] = [];
        for (const [what = 0, which = 0, count = 0, more = 0] of steps) {
          const binding = bindings[which % 2] ?? "";
          const isKnown = knowing === 1 || (knowing === 2 && more % 3 > 0);
          const sourcesCursor = isKnown ? edition : undefined;
          const list = found.get(binding) ?? [];
          if (what % 5 === 0) {
            found.set(
              binding,
              letters.map((letter, at) =>
                at > 0 && (more >> at) % 3 === 0 ? `${letter}${which % 3}` : letter,
              ),
            );
            edition++;
          } else if (what % 5 === 1) now += which;
          else if (what % 5 === 2) {
            const end = 1 + (count % 3);
            const nextPage = await pages.keep(binding, { ...listing(list), sourcesCursor }, turns);
            const shown = list.slice(0, end);
            holders.push({ binding, cursor: given(nextPage, end, shown), shown, since: edition });
          } else if (what % 5 === 3) underWay.splice(which % 4, 1)[0]?.();
          else {
            const holder = holders[which % Math.max(1, holders.length)];
            if (holder === undefined) continue;
            const opened = await pages
              .open(holder.cursor, holder.binding, turns, sourcesCursor)
              .catch((error: unknown) => {
                if (!(error instanceof Refusal)) throw error;
                refusals.set(error.code, (refusals.get(error.code) ?? 0) + 1);
                // With room and time for all of them only a change can be in the way.
                if (!isTight)
                  expect([error.code, holder.since < edition]).toEqual(["page/cursor-stale", true]);
              });
            if (opened === undefined) continue;
            const { offset, snapshot, nextPage } = opened;
            const items = await snapshot.list.render(0, 99, context);
            expect(items.slice(0, offset)).toEqual(holder.shown);
            pagesSeen++;
            const end = offset + 1 + (count % 2);
            const next = items.slice(offset, end) as string[];
            if (end < items.length)
              underWay.push(() => {
                const shown = [...holder.shown, ...next];
                holders.push({ ...holder, cursor: given(nextPage, end, next), shown });
              });
          }
        }
        // What is left is what one listing takes, once all others are too old.
        now += 2e9;
        await cursorOf(pages, "2".repeat(16), listing(letters));
        const fresh = new Pages();
        await cursorOf(fresh, "2".repeat(16), listing(letters));
        expect(pages.held).toEqual(fresh.held);
      }),
      { seed: 7, numRuns: 3000 },
    );
    expect(pagesSeen).toBeGreaterThan(1000);
    expect([...refusals.keys()]).toEqual(
      expect.arrayContaining(["page/cursor-expired", "page/cursor-stale"]),
    );
  });

  it("take room for each of their cursors, once", async () => {
    const pages = new Pages();
    const binding = "0123456789abcdef";
    let cursor = await cursorOf(pages, binding, listing(["a", "b", "c", "d"]));
    for (const [end, item] of [
      [2, "b"],
      [3, "c"],
    ] as const) {
      const before = pages.held.bytes;
      const { nextPage } = await pages.open(cursor, binding, turns);
      // One that is only tried is not kept.
      const tried = nextPage.cursor(end, ["other"]);
      await expect(pages.open(tried, binding, turns)).rejects.toMatchObject({ code: "page/cursor-expired" });
      expect(pages.held.bytes).toBe(before);
      cursor = given(nextPage, end, [item]);
      const { bytes } = pages.held;
      expect(bytes).toBeGreaterThan(before);
      expect(given(nextPage, end, [item])).toBe(cursor);
      expect(pages.held).toMatchObject({ listings: 1, bytes });
    }
  });

  it("have as many bytes as they and their cursors take, whichever has a cursor at last", async () => {
    const pages = new Pages();
    const binding = "0123456789abcdef";
    const one = await cursorOf(pages, binding, listing(["a", "b", "c"]));
    const { bytes } = pages.held;
    given((await pages.open(one, binding, turns)).nextPage, 2, ["b"]);
    expect(await cursorOf(pages, binding, listing(["a", "d", "c"]))).toBe(one);
    expect(pages.held).toMatchObject({ listings: 2, bytes: 2 * bytes });
  });

  it("are others where anything beside them differs", async () => {
    const pages = new Pages();
    const binding = "0123456789abcdef";
    const at = (beside: JsonObject) => ({ ...listing(["a", "b"]), sourcesCursor: 1, beside });
    const [one, other] = [at({ note: 1 }), at({ note: 2 })];
    const cursors = [await cursorOf(pages, binding, one), await cursorOf(pages, binding, other)];
    expect(cursors[0]).not.toBe(cursors[1]);
    for (const [index, { list }] of [one, other].entries())
      expect((await pages.open(cursors[index] ?? "", binding, turns, 1)).snapshot.list).toBe(list);
  });

  it("are dropped when they are too old, and when the same is listed again", async () => {
    let now = 0;
    const pages = new Pages({ lifeMs: 1000, bytes: 1500, snapshotBytes: 2000 }, () => now);
    const other = "fedcba9876543210";
    const kept = (binding: string, item: string) =>
      cursorOf(pages, binding, listing([item.repeat(900), "1"]));
    const first = await kept("0123456789abcdef", "a");
    const { bytes } = pages.held;
    expect(bytes).toBeGreaterThan(900);
    await pages.open(first, "0123456789abcdef", turns);
    await kept("0123456789abcdef", "a");
    expect(pages.held).toEqual({ listings: 1, bytes });
    now = 500;
    await kept(other, "b");
    expect(pages.held).toEqual({ listings: 2, bytes: 2 * bytes });
    now = 1400;
    await kept(other, "d");
    expect(pages.held).toEqual({ listings: 2, bytes: 2 * bytes });
    now = 9999;
    await kept("0123456789abcdef", "a");
    expect(pages.held).toEqual({ listings: 1, bytes });
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
