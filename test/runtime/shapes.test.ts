import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import type { DialectPlan, ShapeName } from "../../src/abi/plan.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import { sortBy } from "../../src/base/order.js";
import { Refusal } from "../../src/base/problem.js";
import { shapeNames, shapes } from "../../src/protocol/shapes.js";
import { buildAnswer, pageAnswer } from "../../src/runtime/answer/answer.js";
import { Pages } from "../../src/runtime/answer/pages.js";
import type { ReplyData } from "../../src/runtime/ask/candidates.js";
import { runtimeShapes } from "../../src/runtime/shapes/index.js";
import { fakePlan } from "../fake-server/index.js";
import { callState, serverOf } from "./doubles.js";
import { range } from "./test-workspace.js";

const a = "file:///w/a.fake";
const b = "file:///w/b.fake";
const texts = { [a]: "alpha beta\n\tγδ 👋 beta\nclass Alpha {\n  beta() {}\n}\n", [b]: "beta\r\nalpha\r\n" };
const server = serverOf(texts);
/** A server whose file has room for any place. */
const flat = serverOf({ [a]: "0123456789\n".repeat(6) });

/** Raw replies of each shape with some variety: what a server may send in any order, and twice. */
const samples: { [shape in ShapeName]?: Json[] } = {
  locations: [
    { uri: a, range: range(0, 0, 5) },
    { uri: a, range: range(0, 6, 10) },
    { uri: a, range: range(1, 7, 11) },
    { targetUri: b, targetRange: range(0, 0, 0, 1), targetSelectionRange: range(0, 0, 4) },
    { uri: b, range: range(1, 0, 5) },
    { uri: "file:///elsewhere/x", range: range(0, 0, 1) },
  ],
  document_symbols: [
    {
      name: "Alpha",
      kind: 5,
      range: range(2, 0, 1, 4),
      selectionRange: range(2, 6, 11),
      children: [{ name: "beta", kind: 6, range: range(3, 2, 11), selectionRange: range(3, 2, 6) }],
    },
    { name: "alpha", kind: 13, range: range(0, 0, 10), selectionRange: range(0, 0, 5) },
    { name: "alpha", kind: 12, range: range(0, 0, 10), selectionRange: range(0, 0, 5) },
  ],
  workspace_symbols: [
    { name: "Alpha", kind: 5, location: { uri: a, range: range(2, 0, 1, 4) } },
    { name: "beta", kind: 6, containerName: "Alpha", location: { uri: a, range: range(3, 2, 11) } },
    { name: "beta", kind: 6, location: { uri: a, range: range(3, 2, 11) } },
    { name: "gamma", kind: 12, location: { uri: b } },
    { name: "out", kind: 12, location: { uri: "file:///elsewhere/x", range: range(0, 0, 1) } },
  ],
  calls: [
    {
      from: { name: "beta", kind: 6, uri: a, range: range(3, 2, 11), selectionRange: range(3, 2, 6) },
      fromRanges: [range(3, 9, 10), range(3, 3, 4)],
    },
    {
      from: { name: "beta", kind: 6, uri: a, range: range(3, 2, 11), selectionRange: range(3, 2, 6) },
      fromRanges: [range(3, 5, 6)],
    },
    {
      from: { name: "alpha", kind: 12, uri: b, range: range(1, 0, 5), selectionRange: range(1, 0, 5) },
      fromRanges: [],
    },
  ],
  diagnostics: [
    { range: range(0, 0, 5), severity: 2, message: "so so", source: "s", code: 7 },
    { range: range(0, 0, 5), severity: 1, message: "bad\nvery bad" },
    { range: range(0, 0, 5), message: "bad", code: { value: "E1", target: "x" } },
    { range: range(1, 7, 11), severity: 4, message: "hint", source: "t" },
  ],
  workspace_diagnostics: [
    { uri: a, items: [{ range: range(0, 0, 5), severity: 2, message: "so so" }] },
    { uri: a, items: [{ range: range(0, 0, 5), severity: 1, message: "bad\nvery bad", source: "s" }] },
    { uri: b, items: [{ range: range(1, 0, 5), message: "bad", code: 7 }] },
    { uri: b, items: [] },
    { uri: "file:///elsewhere/x", items: [{ range: range(0, 0, 1), message: "away" }] },
  ],
  types: [
    { name: "Alpha", kind: 5, uri: a, range: range(2, 0, 1, 4), selectionRange: range(2, 6, 11) },
    { name: "beta", kind: 11, uri: b, range: range(0, 0, 4), selectionRange: range(0, 0, 4), detail: "/w/b" },
    { name: "beta", kind: 11, uri: b, range: range(0, 0, 4) },
    { name: "Out", kind: 5, uri: "file:///elsewhere/x", range: range(0, 0, 1) },
  ],
  completions: [
    { label: "zeta", kind: 3, sortText: "1", detail: "() => void", insertText: "zeta()" },
    { label: "alpha", kind: 2, sortText: "2", documentation: { kind: "markdown", value: "One.\nTwo." } },
    {
      label: "alpha",
      kind: 2,
      sortText: "2",
      tags: [1],
      labelDetails: { detail: "(x)", description: "lib" },
    },
    { label: "beta", textEdit: { range: range(0, 0, 0), newText: "beta👋" } },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: snippets of LSP look so
    { label: "tag", insertTextFormat: 2, insertText: 'tag ${1:name}="${2|a,b|}" \\$x$0' },
  ],
  code_actions: [
    {
      title: "Mend",
      kind: "quickfix",
      isPreferred: true,
      diagnostics: [{ message: "bad" }, { message: "a" }],
    },
    { title: "Mend", kind: "quickfix", command: { title: "Mend", command: "mend.other" } },
    { title: "Run", command: "run.it", arguments: [1] },
    { title: "No", kind: "refactor", disabled: { reason: "not here" } },
    {
      title: "Move",
      kind: "refactor.move",
      edit: {
        documentChanges: [
          { textDocument: { uri: a, version: 1 }, edits: [{}, {}] },
          { kind: "create", uri: b },
          { kind: "rename", oldUri: b, newUri: "file:///elsewhere/x" },
        ],
      },
    },
    { title: "Sort", kind: "source", edit: { changes: { [b]: [{}] } } },
  ],
  inlay_hints: [
    { position: { line: 1, character: 7 }, label: ": number", kind: 1 },
    {
      position: { line: 0, character: 6 },
      label: [{ value: "na" }, { value: "me:" }],
      kind: 2,
      tooltip: "t",
    },
    { position: { line: 0, character: 6 }, label: "other" },
  ],
  folding_ranges: [
    { startLine: 2, endLine: 4, kind: "region", collapsedText: "…" },
    { startLine: 0, startCharacter: 6, endLine: 1, endCharacter: 6 },
    { startLine: 0, endLine: 1, kind: "imports" },
  ],
  selection_ranges: [
    {
      range: range(3, 2, 6),
      parent: {
        range: range(3, 2, 11),
        parent: { range: range(2, 0, 1, 4), parent: { range: range(0, 0, 0, 5) } },
      },
    },
  ],
  links: [
    { range: range(0, 0, 5), target: "https://example.org/", tooltip: "there" },
    { range: range(0, 6, 10), target: `${b}#L2` },
    { range: range(1, 7, 11), target: b },
    { range: range(2, 0, 5), data: 1 },
    { range: range(2, 6, 11), target: "file:///elsewhere/x" },
  ],
  highlights: [
    { range: range(0, 6, 10), kind: 3 },
    { range: range(1, 7, 11), kind: 2 },
    { range: range(1, 7, 11) },
  ],
  code_lenses: [
    { range: range(2, 0, 5), command: { title: "2 uses", command: "show.uses" } },
    { range: range(2, 0, 5), command: { title: "run", command: "" } },
    { range: range(0, 0, 5), data: 7 },
  ],
  monikers: [
    { scheme: "npm", identifier: "pkg:alpha", unique: "global", kind: "export" },
    { scheme: "npm", identifier: "pkg:alpha", unique: "scheme" },
    { scheme: "go", identifier: "x", unique: "document" },
  ],
};

async function answer(shape: ShapeName, parts: ReplyData["parts"], dialect?: DialectPlan, rest = {}) {
  const plan = fakePlan([], dialect ? { dialect } : {});
  return buildAnswer(callState({ plan }), shape, { parts, perItem: false, ...rest }, {});
}

test("flat symbols of other files are not this file's, and are counted", async () => {
  const symbol = (name: string, uri: string) => ({
    name,
    kind: 12,
    location: { uri, range: range(0, 0, 5) },
  });
  const value = [
    symbol("alpha", a),
    symbol("here", ""),
    symbol("other", b),
    symbol("out", "file:///elsewhere/x"),
  ];
  const { structured, text } = await answer("document_symbols", [{ server, value }]);
  expect(structured).toMatchObject({ total: 2, dropped: 2, symbols: [{ name: "alpha" }, { name: "here" }] });
  expect(text).not.toMatch(/other|out\b/);
});

test("symbols are below their containers, and have their whole path where those are not shown", async () => {
  const symbol = (name: string, line: number, children: Json[] = []): JsonObject => ({
    ...{ name, kind: 5, range: range(line, 0, 5), selectionRange: range(line, 0, 5), children },
  });
  const value = [
    symbol("Outer", 0, [symbol("first", 1, [symbol("deep", 2)]), symbol("second", 3)]),
    symbol("Other", 4),
  ];
  const lines = (text: string) => text.split("\n").filter((line) => line.includes("class"));
  const { text } = await answer("document_symbols", [{ server, value }]);
  expect(lines(text).map((line) => line.replace(/\d+:\d+-\d+:\d+ /, ""))).toEqual([
    " class Outer",
    "   class first",
    "     class deep",
    "   class second",
    " class Other",
  ]);
  const flat = ["deep", "second"].map((name, line) => ({
    ...{ name, kind: 5, containerName: name === "deep" ? "Outer/first" : "Outer" },
    location: { uri: a, range: range(line, 0, 5) },
  }));
  const { text: paths } = await answer("document_symbols", [{ server, value: flat }]);
  expect(lines(paths).map((line) => line.split("class ")[1])).toEqual(["Outer/first/deep", "Outer/second"]);
});

test("a symbol keeps a container without a name", async () => {
  const symbol = (name: string, line: number, children: Json[] = []): JsonObject => ({
    ...{ name, kind: 5, range: range(line, 0, 5), selectionRange: range(line, 0, 5), children },
  });
  const value = [symbol("", 0, [symbol("x", 1, [symbol("y", 2)])])];
  const { structured } = await answer("document_symbols", [{ server, value }]);
  const containers = (structured.symbols as JsonObject[]).map(({ container }) => container ?? null);
  expect(containers).toEqual([null, "", "/x"]);
});

test("a link to a path outside is dropped, however its target is written", async () => {
  const outside = ["/elsewhere/x", "C:\\elsewhere\\x", "FILE:///elsewhere/x", "file:/elsewhere/x"];
  const within = ["jar:file:/elsewhere/x.jar!/a", "odd:/elsewhere/x"];
  const targets = [...outside, ...within, "/w/b.fake", "https://example.org/?u=/elsewhere/y", "docs/a.md"];
  const value = targets.map((target, index) => ({ range: range(0, index, index + 1), target }));
  const { structured } = await answer("links", [{ server, value }]);
  expect(structured).toMatchObject({
    dropped: outside.length + within.length,
    links: [{ path: "b.fake" }, { url: "https://example.org/?u=/elsewhere/y" }, { url: "docs/a.md" }],
  });
});

test("places past the end of a text, which are shown at its end, are each once and in one order", async () => {
  // A server that is behind the file may tell of lines that are gone.
  const [past, beyond, last] = [range(9, 0, 1), range(8, 0, 2), range(1, 3, 3)].map((at) => ({
    uri: a,
    range: at,
  }));
  const behind = serverOf({ [a]: "one\ntwo" });
  const told = async (...value: unknown[]) => (await answer("locations", [{ server: behind, value }])).text;
  const whole = await told(past, last, beyond);
  expect(whole).toContain("locations");
  for (const value of [
    [last, past, beyond],
    [beyond, last, past, last, beyond],
    [past, last, past, beyond, past],
  ])
    expect(await told(...value)).toBe(whole);
});

test("a place whose line is so large that one more is the same is shown at the end", async () => {
  const at = { line: 2 ** 53, character: 2 ** 53 };
  const value = [{ name: "far", kind: 5, location: { uri: a, range: { start: at, end: at } } }];
  const { structured } = await answer("document_symbols", [{ server: serverOf({ [a]: "one\ntwo" }), value }]);
  expect(structured.symbols).toMatchObject([{ name: "far", line: 2, character: 4 }]);
});

test("places are each once and in the order in which they are shown, wherever their lines end and however columns count", async () => {
  const texts = ["abc\ndef", "a\u{1f600}b\u00e4c\nabcdef", "abc\n\u00e4", ""];
  const point = fc.record({ line: fc.nat(2), character: fc.nat(7) });
  const places = fc.array(fc.record({ start: point, end: point }), { minLength: 2, maxLength: 6 });
  const encoding = fc.constantFrom("utf-8" as const, "utf-16" as const, "utf-32" as const);
  const span = ({ line, character, end_line, end_character }: JsonObject) =>
    [line, character, end_line, end_character].map(Number);
  const compare = (one: number[], other: number[]) =>
    one.map((number, at) => number - (other[at] ?? 0)).find((difference) => difference !== 0) ?? 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...texts), places, places, encoding, encoding, async (text, ...told) => {
      const [first, second, ...units] = told;
      const parts = [first, second].map((ranges, at) => ({
        server: serverOf({ [a]: text }, { id: `s${at}`, encoding: units[at] ?? "utf-16" }),
        value: ranges.map((range) => ({ uri: a, range })),
      }));
      for (const reply of [parts, parts.slice(1)]) {
        const { structured } = await answer("locations", reply);
        const items = structured.locations as JsonObject[];
        expect(new Set(items.map((item) => JSON.stringify(item))).size).toBe(items.length);
        const shown = items.map(span);
        for (const [at, own] of shown.entries())
          if (at > 0) expect(compare(shown[at - 1] ?? [], own)).toBeLessThanOrEqual(0);
      }
    }),
    { numRuns: 400 },
  );
});

test("the runtime builds every shape that the generator knows", () => {
  expect(Object.keys(runtimeShapes).toSorted()).toEqual(shapeNames.toSorted());
});

describe.each(Object.entries(samples) as [ShapeName, Json[]][])("%s", (shape, raw) => {
  it("reads as it should", async () => {
    const { structured, text } = await answer(shape, [{ server, value: raw }]);
    expect(structured).toMatchSnapshot();
    expect(text).toMatchSnapshot();
  });

  // A search keeps the order in which the server ranks its results.
  const isRanked = shape === "workspace_symbols";
  it("gives the same bytes whatever the order, the duplicates and the servers", async () => {
    const whole = await answer(shape, [{ server, value: raw }]);
    await fc.assert(
      fc.asyncProperty(
        isRanked ? fc.constant(raw) : fc.shuffledSubarray(raw, { minLength: raw.length }),
        fc.subarray(raw),
        isRanked ? fc.constant(0) : fc.nat(raw.length),
        async (shuffled, again, cut) => {
          const items = [...shuffled, ...again];
          const parts = [items.slice(0, cut), items.slice(cut)].map((value) => ({ server, value }));
          const other = await answer(shape, parts);
          expect(other.text).toBe(whole.text);
          expect(JSON.stringify(other.structured)).toBe(JSON.stringify(whole.structured));
        },
      ),
      { numRuns: 50, seed: 7 },
    );
  });

  it("keeps its caps with honest counts, and its pages laid together equal the whole", async () => {
    const facts = shapes[shape];
    const list = facts?.list ?? "";
    const { structured: whole } = await answer(shape, [{ server, value: raw }]);
    const items = whole[list] as Json[];
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: items.length + 1 }), async (size) => {
        const tool = { ...callState().tool, output: { ...callState().tool.output, shape } };
        const reply: ReplyData = { parts: [{ server, value: raw }], perItem: false };
        const capped = await buildAnswer(callState({ tool, input: { max_results: size } }), shape, reply, {});
        expect(capped.structured[list]).toEqual(items.slice(0, size));
        expect(capped.structured).toMatchObject({
          total: items.length,
          shown: Math.min(size, items.length),
          truncated: size < items.length,
        });
        const paged = { ...tool, page: { defaultSize: size, maxSize: 200 } };
        const pages = new Pages();
        let page = await buildAnswer(callState({ tool: paged, pages }), shape, reply, {});
        const laid = [...(page.structured[list] as Json[])];
        while (typeof page.structured.next_cursor === "string") {
          page = await pageAnswer(callState({ tool: paged, pages }), shape, page.structured.next_cursor);
          expect(page.structured.total).toBe(items.length);
          laid.push(...(page.structured[list] as Json[]));
        }
        expect(laid).toEqual(items);
      }),
      { numRuns: 20, seed: 7 },
    );
  });

  it.each([[7], ["text"], [{}], [[{ uri: 5 }]], [[null]]])("refuses %j as nonsense", async (value) => {
    const failed = answer(shape, [{ server, value }]);
    await expect(failed).rejects.toThrow(Refusal);
    await expect(failed).rejects.toMatchObject({ code: "lsp/invalid-reply" });
  });
});

describe("an object dialect with URIs, from zero, in UTF-16", () => {
  const dialect: DialectPlan = {
    ...fakePlan([]).dialect,
    document: { field: "uri", form: "uri" },
    position: {
      form: "object",
      answers: "object",
      line: "line",
      character: "character",
      lineBase: 0,
      characterBase: 0,
      unit: "utf-16",
      fuzz: true,
      missing: "refuse",
    },
  };
  it.each(Object.entries(samples) as [ShapeName, Json[]][])("spells %s", async (shape, raw) => {
    const { structured, text } = await answer(shape, [{ server, value: raw }], dialect);
    expect(structured).toMatchSnapshot();
    expect(text).toMatchSnapshot();
  });
});

describe("replies that are one value", () => {
  const signatures: JsonObject[] = [
    { label: "f(a, b)", parameters: [{ label: "a" }, { label: [5, 6], documentation: "the b" }] },
    {
      label: "f(👋, c)",
      documentation: { kind: "markdown", value: "Waves.\nTwice." },
      parameters: [{ label: [6, 7] }],
    },
    { label: "f()" },
  ];
  const help = {
    signatures,
    activeSignature: 1,
    activeParameter: 0,
  };
  // class Alpha: two lines down; beta below it, declared and static; a token over two lines, from γ on.
  const tokens = { data: [1, 1, 9, 0, 0, 1, 6, 5, 0, 1, 1, 2, 4, 1, 3] };
  const single: [ShapeName, Json][] = [
    ["signatures", help],
    ["semantic_tokens", tokens],
  ];

  it.each(single)("%s read as they should", async (shape, value) => {
    const { structured, text } = await answer(shape, [{ server, value }]);
    expect(structured).toMatchSnapshot();
    expect(text).toMatchSnapshot();
  });

  it.each(single)("%s are the same however often the server sends them", async (shape, value) => {
    const once = await answer(shape, [{ server, value }]);
    const often = await answer(shape, [
      { server, value: null },
      { server, value },
      { server, value },
    ]);
    expect(often.text).toBe(once.text);
    expect(JSON.stringify(often.structured)).toBe(JSON.stringify(once.structured));
  });

  it("signatures in any order give the same bytes", async () => {
    const [, active = {}] = signatures;
    const whole = await answer("signatures", [{ server, value: help }]);
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(signatures, { minLength: 3 }), async (shuffled) => {
        const activeSignature = shuffled.indexOf(active);
        const other = await answer("signatures", [
          { server, value: { ...help, signatures: shuffled, activeSignature } },
        ]);
        expect(JSON.stringify(other)).toBe(JSON.stringify(whole));
      }),
    );
  });

  it.each<[ShapeName, Json]>([
    ["signatures", { signatures: [{}] }],
    ["signatures", { signatures: [{ label: "f", parameters: [7] }] }],
    ["semantic_tokens", { data: [1, 2, 3] }],
    ["semantic_tokens", { data: [0, 0, -1, 0, 0] }],
    ["selection_ranges", [{ parent: { range: range(0, 0, 1) } }]],
    ["document_symbols", [null]],
    ["document_symbols", [{ name: "n", kind: 5 }]],
    [
      "document_symbols",
      [
        {
          ...{ name: "n", kind: 5, range: range(0, 0, 1), selectionRange: range(0, 0, 1) },
          children: [{ name: "m", kind: 6, location: { uri: "file:///w/a.fake", range: range(0, 0, 1) } }],
        },
      ],
    ],
  ])("%s of %j are refused", async (shape, value) => {
    await expect(answer(shape, [{ server, value }])).rejects.toMatchObject({ code: "lsp/invalid-reply" });
  });

  it("a selection range with a candidates in it is refused", async () => {
    const candidates: { range: Json; parent?: unknown } = { range: range(0, 0, 1) };
    candidates.parent = candidates;
    await expect(answer("selection_ranges", [{ server, value: candidates }])).rejects.toMatchObject({
      code: "lsp/invalid-reply",
    });
  });

  it("semantic tokens are absolute whatever the distances", async () => {
    const place = fc.tuple(fc.nat(4), fc.nat(8));
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(place, { selector: String, minLength: 1 }), async (places) => {
        const sorted = sortBy(places, (at) => at);
        const data = sorted.flatMap(([line, character], index) => {
          const [above, before] = sorted[index - 1] ?? [0, 0];
          return [line - above, line === above ? character - before : character, 0, 1, 0];
        });
        const { structured } = await answer("semantic_tokens", [{ server: flat, value: { data } }]);
        expect((structured.tokens as JsonObject[]).map(({ line, character }) => [line, character])).toEqual(
          sorted.map(([line, character]) => [line + 1, character + 1]),
        );
      }),
    );
  });
});

describe("many diagnostics of one file", () => {
  it("are cut at 200, counted, and marked", async () => {
    const items = Array.from({ length: 250 }, (_, index) => ({
      range: range(0, index % 5, 5),
      message: `m${index}`,
    }));
    const { structured, text } = await answer("workspace_diagnostics", [
      { server, value: [{ uri: a, items }] },
    ]);
    const [file] = structured.files as { total: number; diagnostics: unknown[] }[];
    expect(file?.total).toBe(250);
    expect(file?.diagnostics).toHaveLength(200);
    expect(structured).toMatchObject({ total: 1, shown: 1, truncated: true });
    expect(text).toContain("a.fake (200 of 250 shown)");
    expect(structured.warnings).toMatchObject([
      { code: "answer/truncated", message: expect.stringContaining("ask about that file itself") },
    ]);
  });

  it("say that a message was cut", async () => {
    const value = [{ range: range(0, 0, 5), message: "x".repeat(5000) }];
    const { structured } = await answer("diagnostics", [{ server, value }]);
    expect(structured).toMatchObject({
      truncated: true,
      warnings: [{ code: "answer/truncated", message: expect.stringContaining("4096") }],
    });
  });

  it("are cut further where one file alone is more than an answer holds", async () => {
    const items = Array.from({ length: 150 }, (_, index) => ({
      range: range(0, index % 5, 5),
      message: `${index} ${"long ".repeat(200)}`,
    }));
    const { structured, text } = await answer("workspace_diagnostics", [
      { server, value: [{ uri: a, items }] },
      { server, value: [{ uri: b, items: items.slice(0, 1) }] },
    ]);
    expect(structured).toMatchObject({ total: 2, shown: 1, truncated: true });
    const [file] = structured.files as { path: string; total: number; diagnostics: unknown[] }[];
    expect(file).toMatchObject({ path: "a.fake", total: 150 });
    expect(file?.diagnostics.length).toBeGreaterThan(5);
    expect(JSON.stringify(structured).length).toBeLessThanOrEqual(40_000);
    expect(text).toContain(`(${file?.diagnostics.length} of 150 shown)`);
  });

  it("of more than 5000 files are listed for the first 5000", async () => {
    const value = Array.from({ length: 5001 }, (_, index) => ({
      uri: `file:///w/${index}.fake`,
      items: [{ range: range(0, 0, 0), message: "m" }],
    }));
    const { structured } = await answer("workspace_diagnostics", [{ server, value }]);
    expect(structured).toMatchObject({ total: 5001, shown: 200, truncated: true });
  });
});

describe("long texts", () => {
  const long = "👋".repeat(9000);
  it.each<[ShapeName, Json]>([
    ["completions", [{ label: "x", documentation: long }]],
    ["signatures", { signatures: [{ label: "f", documentation: long }] }],
    ["inlay_hints", [{ position: { line: 0, character: 0 }, label: "x", tooltip: long }]],
    ["code_actions", [{ title: "x", diagnostics: [{ message: long }] }]],
    ["diagnostics", [{ range: range(0, 0, 1), message: long }]],
  ])("of %s are cut between characters", async (shape, value) => {
    const { structured, text } = await answer(shape, [{ server, value }]);
    const [cut = ""] = /👋+/u.exec(JSON.stringify(structured)) ?? [];
    expect([...cut].length).toBeGreaterThanOrEqual(400);
    expect([...cut].length).toBeLessThan(9000);
    // Half a character would be escaped in JSON, and stand alone in the text.
    expect(JSON.stringify(structured)).not.toMatch(/\\ud[89a-f]/i);
    expect(text).not.toMatch(/\p{Surrogate}/u);
  });
});

describe("code actions", () => {
  it("keep their ids when other offers come and go, and when they are resolved", async () => {
    const ids = async (value: Json[]) =>
      ((await answer("code_actions", [{ server, value }])).structured.actions as JsonObject[]).map(
        ({ title, id }) => [title, id],
      );
    const [first, ...others] = samples.code_actions as [JsonObject, ...Json[]];
    const [[, before] = []] = await ids([first]);
    const resolved = { ...first, edit: { changes: { [a]: [{}] } }, data: 7 };
    expect(Object.fromEntries(await ids([resolved]))).toEqual({ Mend: before });
    expect((await ids([first, ...others.slice(1)])).filter(([title]) => title === "Mend")).toEqual([
      ["Mend", before],
    ]);
    const all = (await ids([first, ...others])).map(([, id]) => id);
    expect(new Set(all).size).toBe(all.length);
  });
});

describe("hover", () => {
  const contents = async (value: Json) => (await answer("hover", [{ server, value }])).structured.contents;
  it.each<[string, Json, string[]]>([
    ["nothing", null, []],
    ["a string", { contents: "one" }, ["one"]],
    ["a marked string", { contents: { language: "ts", value: "let x" } }, ["```ts\nlet x\n```"]],
    [
      "a list",
      { contents: ["one", { language: "md", value: "```\nx\n```" }, ""] },
      ["one", "````md\n```\nx\n```\n````"],
    ],
    ["markup", { contents: { kind: "markdown", value: "**b**" } }, ["**b**"]],
  ])("reads %s", async (_what, value, expected) => {
    expect(await contents(value)).toEqual(expected);
  });

  it("gives equal texts of several servers once", async () => {
    const value = { contents: ["one", "two"] };
    const { structured } = await answer("hover", [
      { server, value },
      { server, value: { contents: "two" } },
    ]);
    expect(structured.contents).toEqual(["one", "two"]);
  });

  it("cuts long parts on a code point and says so", async () => {
    const { structured, text } = await answer("hover", [{ server, value: { contents: "👋".repeat(9000) } }]);
    expect([...String((structured.contents as string[])[0])]).toHaveLength(8192);
    expect(structured).toMatchObject({ truncated: true, warnings: [{ code: "answer/truncated" }] });
    expect(text).toContain("Warning answer/truncated: ");
  });

  it("keeps the caps of the answer even with eight long parts", async () => {
    const { structured, text } = await answer("hover", [
      { server, value: { contents: Array.from({ length: 9 }, (_, at) => `${at}${"é".repeat(8000)}`) } },
    ]);
    expect(JSON.stringify(structured).length).toBeLessThanOrEqual(40_000);
    expect(text.length).toBeLessThanOrEqual(40_000);
    expect(structured).toMatchObject({ truncated: true });
    expect(structured.contents).toHaveLength(8);
  });
});

describe("outgoing calls", () => {
  it("have their sites in the file that was asked about", async () => {
    const value = [
      {
        to: { name: "alpha", kind: 12, uri: b, range: range(1, 0, 5), selectionRange: range(1, 0, 5) },
        fromRanges: [range(1, 6, 10)],
      },
    ];
    const { structured } = await answer("calls", [{ server, value, item: { uri: a } }], undefined, {
      perItem: true,
    });
    // Column 6 in UTF-16 stands behind the emoji, which is two units and one character.
    expect(structured.calls).toEqual([
      {
        name: "alpha",
        kind: "function",
        path: "b.fake",
        line: 2,
        character: 1,
        sites: [{ line: 2, character: 6 }],
      },
    ]);
  });
});

describe("names that are paths", () => {
  it("are shown from the root", async () => {
    const module = {
      name: "/w/lib/a.ts",
      kind: 2,
      uri: a,
      range: range(0, 0, 1),
      selectionRange: range(0, 0, 1),
    };
    const { structured } = await answer("calls", [{ server, value: [{ from: module, fromRanges: [] }] }]);
    expect(structured.calls).toMatchObject([{ name: "lib/a.ts" }]);
  });
});

describe("diagnostics", () => {
  it.each([
    ["clean", "", "Status: clean"],
    ["unknown", "nothing was published", "Status: unknown (nothing was published)"],
  ] as const)("says %s", async (status, why, line) => {
    const diagnostics = { status, why };
    const { structured, text } = await answer("diagnostics", [{ server, value: [] }], undefined, {
      diagnostics,
    });
    expect(structured).toMatchObject({ status, diagnostics: [], total: 0 });
    expect(text).toContain(line);
  });
});

describe("text and json", () => {
  const build = (shape: ShapeName, value: Json, options: JsonObject) =>
    buildAnswer(callState(), shape, { parts: [{ server, value }], perItem: false }, options);

  it("takes a text out of a value", async () => {
    const { structured, text } = await build(
      "text",
      { expansion: "x\ny" },
      { at: "/expansion", language: "rust" },
    );
    expect(structured).toMatchObject({ text: "x\ny", language: "rust" });
    expect(text).toContain("```rust\nx\ny\n```");
    expect((await build("text", null, { at: "/expansion" })).structured.text).toBeNull();
    await expect(build("text", { expansion: 7 }, { at: "/expansion" })).rejects.toMatchObject({
      code: "lsp/invalid-reply",
    });
  });

  it("cuts a text that is too long, and refuses JSON that is", async () => {
    const { structured } = await build("text", "é".repeat(100_000), {});
    expect(structured).toMatchObject({ truncated: true, warnings: [{ code: "answer/truncated" }] });
    await expect(build("json", ["x".repeat(100_000)], {})).rejects.toMatchObject({ code: "guard/too-large" });
  });

  it("replaces every file URI outside the workspace", async () => {
    const { structured } = await build("json", { "file:///etc/x": 1, list: [a, "file:///etc/passwd"] }, {});
    expect(structured.value).toEqual({ "(outside the workspace)": 1, list: [a, "(outside the workspace)"] });
  });
});
