/**
 * Very many items: the first page costs what it shows, pages laid together are the whole, in the order and with the total
 * that sorting every rendered item would give, and other work has its turn meanwhile.
 */
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import type { Answer } from "../../../src/abi/handler.js";
import type { ShapeName } from "../../../src/abi/plan.js";
import { canonicalText, type Json, type JsonObject } from "../../../src/base/json.js";
import { sortBy, uniqueBy } from "../../../src/base/order.js";
import { convertColumn, Lines, type PositionEncoding } from "../../../src/base/text.js";
import type { LanguageServer } from "../../../src/lsp/types.js";
import { buildAnswer, pageAnswer } from "../../../src/runtime/answer/answer.js";
import { Pages } from "../../../src/runtime/answer/pages.js";
import type { ReplyPart } from "../../../src/runtime/ask/candidates.js";
import type { CallState } from "../../../src/runtime/call-state.js";
import { callState, serverOf } from "../doubles.js";
import { range } from "../test-workspace.js";

vi.setConfig({ testTimeout: 120_000 });

/** A server whose texts are made when they are read, and the files that were. */
function reading(text: string): { server: LanguageServer; read: string[] } {
  const read: string[] = [];
  const textOf = async (uri: string) => {
    read.push(uri);
    return new Lines(text);
  };
  return { server: { ...serverOf({}), textOf }, read };
}

/** A call of a tool with pages; `pages` are shared by the calls of one session. */
function pagedCall(shape: ShapeName, pages: Pages, size: number): CallState {
  const state = callState({ pages, input: { page_size: size } });
  const output = { ...state.tool.output, shape };
  const tool = { ...state.tool, output, maxBytes: 1e6, page: { defaultSize: 100, maxSize: 200 } };
  const limits = {
    ...state.plan.limits,
    maxPageChars: 400_000,
    maxTextChars: 400_000,
    maxTotalChars: 800_000,
    maxBytes: 1e6,
  };
  return { ...state, tool, plan: { ...state.plan, limits } };
}

async function firstPage(
  shape: ShapeName,
  parts: ReplyPart[],
  size = 100,
  pages = new Pages(),
): Promise<Answer> {
  return buildAnswer(pagedCall(shape, pages, size), shape, { parts, perItem: false }, {});
}

/** The items of all pages, in their order. */
async function laid(shape: ShapeName, list: string, parts: ReplyPart[], size: number): Promise<JsonObject[]> {
  const pages = new Pages();
  let page = await firstPage(shape, parts, size, pages);
  const total = page.structured.total;
  const items = [...(page.structured[list] as JsonObject[])];
  while (typeof page.structured.next_cursor === "string") {
    page = await pageAnswer(pagedCall(shape, pages, size), shape, page.structured.next_cursor);
    expect(page.structured.total).toBe(total);
    items.push(...(page.structured[list] as JsonObject[]));
  }
  expect(items).toHaveLength(Number(total));
  return items;
}

const uriOf = (file: number) => `file:///w/${file}.fake`;

describe("100 000 references", () => {
  const count = 100_000;
  const inFile = 100;
  const at = (n: number) => ({ uri: uriOf(Math.floor(n / inFile)), range: range(n % inFile, 0, 4) });
  // 37 and the number of items have no divisor in common: each comes once, and no two neighbours are neighbours.
  const value = Array.from({ length: count }, (_, n) => at((n * 37) % count));

  it("read the files of a page, and no others", async () => {
    const { server, read } = reading("name = target\n".repeat(inFile));
    const pages = new Pages();
    const first = await firstPage("locations", [{ server, value }], 150, pages);
    expect(first.structured).toMatchObject({ total: count, shown: 150, truncated: true });
    expect(read).toEqual([uriOf(0), uriOf(1)]);
    await pageAnswer(pagedCall("locations", pages, 150), "locations", String(first.structured.next_cursor));
    expect(read.slice(2)).toEqual([uriOf(1), uriOf(10)]);
  });

  it("are paged through to the end without a loss or a repetition", async () => {
    const { server } = reading("name = target\n".repeat(inFile));
    const items = await laid("locations", "locations", [{ server, value }], 200);
    expect(items).toHaveLength(count);
    expect(new Set(items.map(({ path, line }) => `${path} ${line}`)).size).toBe(count);
    const ordered = sortBy(items, ({ path, line }) => [String(path), Number(line)]);
    expect(items.every((item, index) => item === ordered[index])).toBe(true);
  });

  it("let others have their turn", async () => {
    const { server } = reading("name = target\n".repeat(inFile));
    let turns = 0;
    let isDone = false;
    const tick = () => {
      turns++;
      if (!isDone) setImmediate(tick);
    };
    setImmediate(tick);
    await firstPage("locations", [{ server, value }]);
    isDone = true;
    expect(turns).toBeGreaterThan(3);
  });

  it("end when nobody waits for them", async () => {
    const { server } = reading("name = target\n");
    const controller = new AbortController();
    const call = { ...pagedCall("locations", new Pages(), 100), signal: controller.signal };
    const answer = buildAnswer(call, "locations", { parts: [{ server, value }], perItem: false }, {});
    controller.abort(new Error("nobody waits"));
    await expect(answer).rejects.toThrow("nobody waits");
  });

  it("outside the workspace are counted, each once, and checked once a file", async () => {
    const { server } = reading("");
    const outside = value.map(({ uri, range }) => ({ uri: uri.replace("/w/", "/elsewhere/"), range }));
    const call = pagedCall("locations", new Pages(), 100);
    const judged: string[] = [];
    const show = call.places.show.bind(call.places);
    call.places.show = (uri) => {
      judged.push(uri);
      return show(uri);
    };
    const parts = [{ server, value: [...outside, ...outside.slice(0, 500), at(0)] }];
    const { structured } = await buildAnswer(call, "locations", { parts, perItem: false }, {});
    expect(structured).toMatchObject({ total: 1, dropped: count });
    expect(judged.filter((uri) => uri.includes("elsewhere"))).toHaveLength(count / inFile);
  });
});

describe("more than can be listed", () => {
  it("list their first items, with all of them counted", async () => {
    const { server } = reading("");
    const value = Array.from({ length: 500_100 }, (_, n) => ({ uri: uriOf(n % 7), range: range(n, 0, 1) }));
    const { structured, text } = await firstPage("locations", [{ server, value: value.reverse() }], 100);
    expect(structured).toMatchObject({
      ...{ total: 500_100, shown: 100, truncated: true },
      warnings: [
        { code: "answer/truncated", message: expect.stringContaining("the first 500000 are listed") },
      ],
    });
    expect(structured.locations).toMatchObject([{ path: "0.fake", line: 1 }, ...Array(99).fill({})]);
    expect(text).toContain("the first 500000 are listed");
  });

  it("or kept for pages end at what is kept, visibly", async () => {
    const { server } = reading("name\n".repeat(1000));
    const value = Array.from({ length: 1000 }, (_, n) => ({ uri: uriOf(0), range: range(n, 0, 1) }));
    const pages = new Pages({ lifeMs: 1e6, bytes: 1e6, snapshotBytes: 16_000 });
    let page = await firstPage("locations", [{ server, value }], 100, pages);
    let shown = Number(page.structured.shown);
    while (typeof page.structured.next_cursor === "string") {
      page = await pageAnswer(pagedCall("locations", pages, 100), "locations", page.structured.next_cursor);
      shown += Number(page.structured.shown);
    }
    expect(shown).toBeGreaterThan(200);
    expect(shown).toBeLessThan(1000);
    expect(page.structured).toMatchObject({ total: 1000, truncated: true });
    expect(JSON.stringify(page.structured.warnings)).toContain(`the first ${shown} are listed`);
    expect(page.structured.next_steps).toMatchObject([{ kind: "doc" }]);
  });
});

describe("30 000 files with a reference each", () => {
  const count = 30_000;
  const name = "a-folder-with-a-long-name/".repeat(4);
  const value = Array.from({ length: count }, (_, n) => ({
    uri: `file:///w/${name}${n}.fake`,
    range: range(0, 0, 4),
  }));

  it("are paged through as far as they are kept, and the last page says where that ends", async () => {
    const { server } = reading("name\n");
    const pages = new Pages();
    let page = await firstPage("locations", [{ server, value }], 200, pages);
    expect(page.structured).toMatchObject({ total: count, shown: 200, truncated: true });
    let shown = 200;
    while (typeof page.structured.next_cursor === "string") {
      page = await pageAnswer(pagedCall("locations", pages, 200), "locations", page.structured.next_cursor);
      shown += Number(page.structured.shown);
    }
    expect(shown).toBeGreaterThan(count / 2);
    expect(page.structured).toMatchObject({ total: count, truncated: true });
    expect(JSON.stringify(page.structured.warnings)).toContain(`the first ${shown} are listed`);
  });

  it("have a first page, and no cursor, where even a few of them are too large to be kept", async () => {
    const { server } = reading("name\n");
    const pages = new Pages({ lifeMs: 1e6, bytes: 1e6, snapshotBytes: 100 });
    const { structured, text } = await firstPage("locations", [{ server, value }], 100, pages);
    expect(structured).toMatchObject({ ok: true, total: count, shown: 100, truncated: true });
    expect(structured.next_cursor).toBeUndefined();
    expect(text).toContain(`Of ${count} results the first 100 are listed.`);
    expect(pages.held.listings).toBe(0);
  });
});

describe("the symbols of 50 000 lines", () => {
  it("are shown page by page, nested, and read the file once", async () => {
    const count = 50_000;
    const { server, read } = reading(Array.from({ length: count }, (_, n) => `name${n} = {`).join("\n"));
    const symbol = (n: number, children: Json[]) => ({
      ...{ name: `name${n}`, kind: 13, range: range(n, 0, 8) },
      ...{ selectionRange: range(n, 0, 8), children },
    });
    const value = Array.from({ length: count / 2 }, (_, n) =>
      symbol(2 * n, [symbol(2 * n + 1, [])]),
    ).reverse();
    const call = pagedCall("document_symbols", new Pages(), 100);
    let rendered = 0;
    const span = call.places.span.bind(call.places);
    call.places.span = (...given) => {
      rendered++;
      return span(...given);
    };
    const reply = { parts: [{ server, value }], perItem: false };
    const { structured } = await buildAnswer(call, "document_symbols", reply, {});
    expect(structured).toMatchObject({ total: count, shown: 100 });
    expect((structured.symbols as JsonObject[]).slice(0, 2)).toMatchObject([
      { name: "name0", line: 1 },
      { name: "name1", line: 2, container: "name0" },
    ]);
    expect(rendered).toBeLessThanOrEqual(100);
    expect(read).toEqual([uriOf(0).replace("0.fake", "a.fake")]);
  });

  it("on one very long line cost one walk along it", async () => {
    const count = 20_000;
    const text = Array.from({ length: count }, (_, n) => `n${String(n).padStart(6, "0")}=é;`).join("");
    const { server } = reading(text);
    const value = Array.from({ length: count }, (_, n) => ({
      ...{ name: `n${n}`, kind: 13, range: range(0, 10 * n, 10 * n + 7) },
      selectionRange: range(0, 10 * n, 10 * n + 7),
    }));
    const { structured } = await firstPage("document_symbols", [{ server, value: value.reverse() }]);
    expect(structured).toMatchObject({ total: count, shown: 100 });
  });
});

describe("diagnostics of 5 000 files", () => {
  it("read the files of a page, and count the others without their texts", async () => {
    const { server, read } = reading("name = target\n".repeat(300));
    const items = (n: number) => (n === 4999 ? 250 : 1);
    const value = Array.from({ length: 5000 }, (_, n) => ({
      uri: uriOf(n),
      items: Array.from({ length: items(n) }, (_, line) => ({ range: range(line, 0, 4), message: `m${n}` })),
    })).reverse();
    const { structured } = await firstPage("workspace_diagnostics", [{ server, value }], 50);
    expect(structured).toMatchObject({ total: 5000, shown: 50, truncated: true });
    expect(JSON.stringify(structured.warnings)).toContain("at most 200 diagnostics are shown");
    expect(read.toSorted()).toEqual(
      (structured.files as JsonObject[]).map(({ path }) => `file:///w/${path}`).toSorted(),
    );
  });
});

describe("any places", () => {
  const texts = ["plain words in a line", "é→👋 wide 👋👋 ones", "", "\tx = 👋.y"];
  const text = Array.from({ length: 12 }, (_, n) => texts[n % texts.length]).join("\n");
  const lines = new Lines(text);
  const encodings: PositionEncoding[] = ["utf-8", "utf-16", "utf-32"];
  /** A place that is one: a column of whole characters, in an encoding. */
  const place = fc.tuple(fc.nat(11), fc.nat(20), fc.nat(20)).map(([line, a, b]) => {
    const length = [...lines.line(line)].length;
    const [from, to] = [Math.min(a, b, length), Math.min(Math.max(a, b), length)];
    return { line, from, to };
  });
  const reported = fc.array(fc.record({ file: fc.nat(4), place, by: fc.nat(2) }), { maxLength: 120 });
  /** The same items so often that they are many more than a page. */
  const often = <T>(items: T[]): T[] =>
    items.length === 0 ? [] : Array.from({ length: 1500 }, (_, n) => items[n % items.length] as T);
  const manner = fc.record({
    size: fc.integer({ min: 1, max: 130 }),
    isOne: fc.boolean(),
    isOften: fc.boolean(),
  });

  it("have the order and number that sorting every rendered item gives, for any servers", async () => {
    const servers = encodings.map((encoding) => ({
      ...serverOf(Object.fromEntries([0, 1, 2, 3, 4].map((file) => [uriOf(file), text])), {
        id: encoding,
        encoding,
      }),
    }));
    const column = (line: number, character: number, encoding: PositionEncoding) =>
      convertColumn(lines.line(line), character, "utf-32", encoding);
    await fc.assert(
      fc.asyncProperty(reported, manner, async (raw, { size, isOne, isOften }) => {
        const parts = servers.map((server, by) => ({
          server,
          value: (isOften ? often(raw) : raw)
            .filter((item) => (isOne ? 0 : item.by) === by)
            .map(({ file, place: { line, from, to } }) => ({
              uri: uriOf(file),
              range: range(line, column(line, from, server.encoding), column(line, to, server.encoding)),
            })),
        }));
        const naive = raw.map(({ file, place: { line, from, to } }) => ({
          ...{ path: `${file}.fake`, line: line + 1, character: from + 1 },
          ...{ end_line: line + 1, end_character: to + 1 },
        }));
        const sorted = sortBy(uniqueBy(naive, canonicalText), (item) => Object.values(item));
        const items = await laid("locations", "locations", parts, size);
        expect(items.map(({ text: _, ...item }) => item)).toEqual(sorted);
      }),
      { numRuns: 60, seed: 5 },
    );
  });

  it("of servers that count differently are two where only their numbers are the same", async () => {
    const uri = uriOf(0);
    const parts = (["utf-8", "utf-16"] as const).map((encoding) => ({
      server: serverOf({ [uri]: "é→👋 x" }, { id: encoding, encoding }),
      value: [{ uri, range: range(0, 2, 2) }],
    }));
    const items = await laid("locations", "locations", parts, 10);
    expect(items.map(({ character }) => character)).toEqual([2, 3]);
  });

  it("say the same of diagnostics, whatever is at one place", async () => {
    const word = fc.constantFrom("a", "b", "é");
    const diagnostic = fc.record({
      ...{ file: fc.nat(4), place, message: word, source: fc.option(word, { nil: undefined }) },
      severity: fc.constantFrom(1, 2, 3, 4),
    });
    const server = serverOf(Object.fromEntries([0, 1, 2, 3, 4].map((file) => [uriOf(file), text])));
    const severities = ["error", "warning", "information", "hint"];
    await fc.assert(
      fc.asyncProperty(
        fc.array(diagnostic, { maxLength: 80 }),
        fc.integer({ min: 1, max: 6 }),
        fc.boolean(),
        async (raw, size, isOften) => {
          const all = isOften ? often(raw) : raw;
          const value = all.map(({ file, place: { line, from, to }, message, source, severity }) => ({
            uri: uriOf(file),
            items: [
              {
                range: range(line, column16(line, from), column16(line, to)),
                ...{ message, severity, ...(source === undefined ? {} : { source }) },
              },
            ],
          }));
          const rendered = raw.map(({ file, place: { line, from, to }, message, source, severity }) => ({
            path: `${file}.fake`,
            key: [line, from, line, to, severity, source, message],
            item: {
              ...{ line: line + 1, character: from + 1, end_line: line + 1, end_character: to + 1 },
              severity: severities[severity - 1] ?? "",
              ...(source === undefined ? {} : { source }),
              message,
            },
          }));
          const sorted = sortBy(uniqueBy(rendered, canonicalText), ({ path, key }) => [path, ...key]);
          const paths = [...new Set(sorted.map(({ path }) => path))];
          const naive = paths.map((path) => {
            const diagnostics = sorted.filter((entry) => entry.path === path).map(({ item }) => item);
            return { path, total: diagnostics.length, diagnostics };
          });
          expect(await laid("workspace_diagnostics", "files", [{ server, value }], size)).toEqual(naive);
        },
      ),
      { numRuns: 60, seed: 5 },
    );
    function column16(line: number, character: number): number {
      return convertColumn(lines.line(line), character, "utf-32", "utf-16");
    }
  });

  it("say the same of symbols page by page as all at once, with a place of their name or without", async () => {
    const server = serverOf({ "file:///w/a.fake": text });
    const name = fc.constantFrom("plain", "wide", "x", "");
    const symbol = fc.record({ name, place, within: fc.option(place, { nil: undefined }), parent: name });
    const entryOf = ({ name, place: { line, from, to }, within, parent }: ReportedSymbol) => {
      const own = range(line, from, to);
      // Without the place of its name a symbol is flat, and its name is looked for in the text.
      if (within === undefined)
        return { name, kind: 13, containerName: parent, location: { uri: "file:///w/a.fake", range: own } };
      const selectionRange = range(within.line, within.from, within.to);
      const inner = { name, kind: 12, range: own, selectionRange };
      return {
        name: parent,
        kind: 5,
        range: range(0, 0, 1),
        selectionRange: range(0, 0, 1),
        children: [inner],
      };
    };
    type ReportedSymbol = { name: string; place: Place; within: Place | undefined; parent: string };
    type Place = { line: number; from: number; to: number };
    let paged = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(symbol, { maxLength: 90 }),
        fc.integer({ min: 1, max: 12 }),
        fc.boolean(),
        async (raw, size, isOften) => {
          const value = (isOften ? often(raw) : raw).map(entryOf);
          // Few, on one page.
          const few = [{ server, value: raw.map(entryOf) }];
          const whole = await laid("document_symbols", "symbols", few, 200);
          expect(await laid("document_symbols", "symbols", [{ server, value }], size)).toEqual(whole);
          if (whole.length > size) paged++;
        },
      ),
      { numRuns: 80, seed: 5 },
    );
    expect(paged).toBeGreaterThan(30);
  });
});
