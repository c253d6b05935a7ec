import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import { Refusal } from "../../src/base/problem.js";
import type { LanguageServer } from "../../src/lsp/types.js";
import { buildAnswer } from "../../src/runtime/answer/answer.js";
import { askEach } from "../../src/runtime/ask/each.js";
import { askTree } from "../../src/runtime/ask/tree.js";
import { callState, serverOf } from "./doubles.js";
import { range } from "./test-workspace.js";

const a = "file:///w/a.fake";

/** A server that completes an item with what `tell` makes of it. */
function resolver(tell: (item: JsonObject) => Json): { server: LanguageServer; asked: JsonObject[] } {
  const asked: JsonObject[] = [];
  const server: LanguageServer = {
    ...serverOf({ [a]: "one two three\n" }),
    supports: () => true,
    request: async (_method, params) => {
      asked.push(params as JsonObject);
      return { value: tell(params as JsonObject), readiness: "ready" };
    },
  };
  return { server, asked };
}

/** The answer of a tool with a follow-up to each link that lacks a target. */
async function answer(server: LanguageServer, links: Json[], limit: number) {
  const state = callState();
  const call = callState({
    ...state,
    tool: { ...state.tool, output: { ...state.tool.output, shape: "links" } },
  });
  const list = { parts: [{ server, value: links }], perItem: false };
  const options = { limit, lacking: ["target"] };
  const reply = await askEach(call, "documentLink/resolve", list, options, (item) => item as JsonObject);
  return buildAnswer(call, "links", reply, {});
}

const links: JsonObject[] = [
  { range: range(0, 0, 3), data: 1 },
  { range: range(0, 4, 7), target: "https://x.org" },
  { range: range(0, 4, 7), data: 2 },
  { range: range(0, 8, 13), data: 3 },
];
const complete = (item: JsonObject): Json => ({ ...item, target: `https://x.org/${item.data}` });

describe("items that lack something", () => {
  it("are asked about, and all items stay", async () => {
    const { server, asked } = resolver(complete);
    const { structured } = await answer(server, links, 2);
    expect(asked.map(({ data }) => data)).toEqual([1, 2]);
    expect((structured.links as JsonObject[]).map(({ url }) => url ?? null)).toEqual([
      "https://x.org/1",
      "https://x.org",
      "https://x.org/2",
      null,
    ]);
    expect(structured).toMatchObject({ total: 4, truncated: false, warnings: [] });
  });

  it("give the same bytes in any order, however often the server sends them", async () => {
    const whole = await answer(resolver(complete).server, links, 2);
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(links, { minLength: links.length }),
        fc.subarray(links),
        async (shuffled, again) => {
          const other = await answer(resolver(complete).server, [...shuffled, ...again], 2);
          expect(JSON.stringify(other)).toBe(JSON.stringify(whole));
        },
      ),
    );
  });

  it("may have anything for a name", async () => {
    const name = { toString: 1, valueOf: 1 };
    const odd = links.map((link): JsonObject => ({ ...link, name }));
    const { structured } = await answer(resolver(complete).server, odd, 2);
    expect(structured).toMatchObject({ total: 4 });
  });

  it("stay as they are where the server has nothing to add, or fails", async () => {
    const silent = await answer(resolver(() => null).server, links, 10);
    expect(silent.structured).toMatchObject({ total: 4, warnings: [] });
    const failing = resolver(() => {
      throw new Refusal("lsp/failed", "no");
    });
    const failed = await answer(failing.server, links, 10);
    expect(failed.structured).toMatchObject({ total: 4, warnings: [{ code: "answer/partial-servers" }] });
    const lacking = resolver(() => {
      throw new Refusal("lsp/not-supported", "no");
    });
    expect((await answer(lacking.server, links, 10)).structured).toMatchObject({ total: 4, warnings: [] });
    const unable = { ...resolver(complete).server, supports: () => false };
    expect((await answer(unable, links, 10)).structured).toMatchObject({ total: 4, warnings: [] });
  });
});

describe("items that are asked about one by one", () => {
  const item = (uri: string, line: number, name: string) => ({ uri, range: range(line, 0, 3), name });
  const items = [
    item(a, 0, "x"),
    item(a, 0, "y"),
    item(a, 2, "x"),
    item(a, 10, "x"),
    item("file:///w/b.fake", 0, "x"),
  ];

  it("are the same under the limit in whatever order the server sends them", async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(items, { minLength: items.length }), async (shuffled) => {
        const { server, asked } = resolver((told) => told);
        const list = { parts: [{ server, value: shuffled }], perItem: false };
        const reply = await askEach(callState(), "x/y", list, { limit: 3 }, (it) => it as JsonObject);
        expect(asked).toEqual(items.slice(0, 3));
        expect(reply.parts.map(({ value }) => value)).toEqual(items.slice(0, 3));
      }),
    );
  });
});

it("a tree has at most 20,000 items, however many the server gives", async () => {
  const many = Array.from({ length: 200_000 }, (_, n) => ({ name: `n${n}` }));
  const { server } = resolver(() => many);
  const call = callState();
  const list = { parts: [{ server, value: [{ name: "root" }] }], perItem: false };
  const { parts } = await askTree(call, "x/y", list, { limit: 3, depth: 5 }, (it) => it as JsonObject);
  expect(parts).toHaveLength(20_000);
  expect(call.evidence.isCut).toBe(true);
});
