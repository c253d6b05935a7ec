/** Replies that are made to exhaust the proxy: deep nesting, long names, very many items. Time and memory stay bounded. */
import { describe, expect, it, vi } from "vitest";
import type { ShapeName } from "../../../src/abi/plan.js";
import type { Json, JsonObject } from "../../../src/base/json.js";
import { Lines } from "../../../src/base/text.js";
import type { LanguageServer } from "../../../src/lsp/types.js";
import { buildAnswer } from "../../../src/runtime/answer/answer.js";
import { plainSnippet } from "../../../src/runtime/edits/server-edit.js";
import { nameMatcher } from "../../../src/runtime/point/symbol-names.js";
import { findWord } from "../../../src/runtime/point/symbols.js";
import { limitFor, processorMs } from "../../processor-time.mjs";
import { callState, serverOf } from "../doubles.js";
import { range } from "../test-workspace.js";

vi.setConfig({ testTimeout: 120_000 });

const MB = 1024 * 1024;
const lines = new Lines("name = target\n".repeat(100));
const server: LanguageServer = { ...serverOf({}), textOf: async () => lines };

function answer(shape: ShapeName, value: unknown, signal?: AbortSignal) {
  const state = callState({ input: { page_size: 100 }, ...(signal ? { signal } : {}) });
  const tool = {
    ...state.tool,
    output: { ...state.tool.output, shape },
    page: { defaultSize: 100, maxSize: 200 },
  };
  return buildAnswer({ ...state, tool }, shape, { parts: [{ server, value }], perItem: false }, {});
}

const symbol = (name: string, line: number, children: Json[] = []): JsonObject => ({
  ...{ name, kind: 5, range: range(line, 0, 1), selectionRange: range(line, 0, 1), children },
});

/** Symbols inside each other. */
function nested(levels: number, name: string): Json[] {
  let inner: Json[] = [];
  for (let level = 0; level < levels; level++) inner = [symbol(`${name}${level}`, level % 100, inner)];
  return inner;
}

/** The growth of the process while something runs, in MB. */
async function growth(run: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const sampler = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  await run();
  clearInterval(sampler);
  return (Math.max(most, process.memoryUsage.rss()) - before) / MB;
}

describe("nested symbols", () => {
  it.each([
    ["3,000 levels with names of 400 characters", 3_000, "x".repeat(400)],
    ["60,000 levels", 60_000, "x"],
  ])("%s take little memory", async (_what, levels, name) => {
    const value = nested(levels, name);
    let shown: JsonObject = {};
    const used = await growth(async () => {
      shown = (await answer("document_symbols", value)).structured;
    });
    expect(shown).toMatchObject({ total: levels });
    expect(used).toBeLessThan(400);
  });

  it("have names and paths of bounded length", async () => {
    const { structured } = await answer("document_symbols", nested(50, "y".repeat(5_000)));
    for (const { name, container = "" } of structured.symbols as { name: string; container?: string }[]) {
      expect(name.length).toBeLessThanOrEqual(1_010);
      expect(container.length).toBeLessThanOrEqual(3_100);
    }
  });

  it("of a real file of 8 MB take far less memory than the limit", async () => {
    const leaf = (n: number) => symbol(`key${n}`, n % 100);
    const value = Array.from({ length: 400 }, (_, n) =>
      symbol(
        `list${n}`,
        n % 100,
        Array.from({ length: 400 }, (_, m) => leaf(n * 400 + m)),
      ),
    );
    expect(await growth(() => answer("document_symbols", value))).toBeLessThan(600);
  });

  it("are matched from the inside out", () => {
    type Outer = Parameters<ReturnType<typeof nameMatcher>>[0]["container"];
    let outer: Outer;
    for (let level = 0; level < 100_000; level++) outer = { name: "name", outer };
    const matches = nameMatcher("name/name");
    const started = performance.now();
    for (let n = 0; n < 1_000; n++) expect(matches({ name: "name", container: outer })).toBe(true);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe("very many items of one kind", () => {
  const count = 150_000;
  const many = (item: (n: number) => JsonObject) => Array.from({ length: count }, (_, n) => item(n));
  const uri = "file:///w/a.fake";
  const caller = { name: "f", kind: 12, uri, range: range(0, 0, 1), selectionRange: range(0, 0, 1) };
  const replies: [ShapeName, string, () => unknown][] = [
    ["calls", "of one caller", () => many((n) => ({ from: caller, fromRanges: [range(n % 100, 0, 1)] }))],
    [
      "calls",
      "of as many callers",
      () => many((n) => ({ from: { ...caller, name: `f${n}` }, fromRanges: [] })),
    ],
    ["types", "", () => many((n) => ({ ...caller, name: `t${n}` }))],
    ["completions", "", () => many((n) => ({ label: `l${n}` }))],
    ["code_actions", "", () => many((n) => ({ title: `a${n}` }))],
    [
      "code_lenses",
      "",
      () => many((n) => ({ range: range(n % 100, 0, 1), command: { title: `l${n}`, command: "c" } })),
    ],
    ["folding_ranges", "", () => many((n) => ({ startLine: n % 100, endLine: 100 + n }))],
    ["inlay_hints", "", () => many((n) => ({ position: { line: n % 100, character: 0 }, label: `h${n}` }))],
    ["selection_ranges", "", () => many((n) => ({ range: range(n % 100, 0, n) }))],
    ["document_symbols", "with one range", () => many((n) => symbol(`s${n}`, 0))],
    ["diagnostics", "with one range", () => many((n) => ({ range: range(0, 0, 1), message: `m${n}` }))],
    ["signatures", "", () => ({ signatures: many((n) => ({ label: `s${n}` })) })],
  ];

  it.each(replies)(
    "%s %s: other work has its turn, and the end of the call ends the work",
    async (shape, _of, make) => {
      const value = make();
      const limit = new AbortController();
      let longest = 0;
      let last = processorMs();
      const tick = () => {
        const now = processorMs();
        longest = Math.max(longest, now - last);
        last = now;
      };
      const ticks = setInterval(tick, 10);
      const timer = setTimeout(() => limit.abort(new Error("over")), 300);
      const started = performance.now();
      await answer(shape, value, limit.signal).catch((error: unknown) => {
        if (error !== limit.signal.reason) throw error;
      });
      clearTimeout(timer);
      tick();
      clearInterval(ticks);
      // Of processor time, ten times what is usual; one blocked loop took seconds, or did not end.
      expect(longest).toBeLessThan(limitFor(longest, 1_500));
      expect(performance.now() - started).toBeLessThan(10_000);
    },
  );
});

it("a word is looked for in a very long line in linear time", () => {
  const started = performance.now();
  expect(findWord("ab".repeat(500_000), "a")).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(10_000);
});

it("a snippet that has only the beginnings of tab stops is read in linear time", () => {
  const started = performance.now();
  plainSnippet(`\${1|${"a".repeat(200_000)}`);
  plainSnippet("${1|a".repeat(50_000));
  expect(performance.now() - started).toBeLessThan(10_000);
});
