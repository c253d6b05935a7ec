/** Lists of steps are foreign data: any order, any size, any depth, any names. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ListOptions } from "../../src/abi/handler.js";
import type { Json, JsonObject } from "../../src/base/json.js";
import { applyList } from "../../src/runtime/ask/list-values.js";
import { limitFor } from "../processor-time.mjs";
import { callState, serverOf } from "./doubles.js";
import { range } from "./test-workspace.js";

const a = "file:///w/a.fake";
const server = serverOf({ [a]: "one two three\n" });

async function listed(value: unknown, options: ListOptions, call = callState()): Promise<unknown[]> {
  const { parts } = await applyList(call, { parts: [{ server, value }], perItem: false }, options);
  return parts.map((part) => part.value);
}

describe("the list of a step", () => {
  const item = fc.record({
    name: fc.constantFrom("x", "y", "z"),
    score: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(null)),
    range: fc.integer({ min: 0, max: 9 }).map((start) => range(0, start, start + 1)),
  });

  it("is the same in whatever order the server gives it", async () => {
    const pick = {
      name: { at: ["name"] },
      score: { at: ["score"] },
      range: { at: ["range"], as: "range" as const },
    };
    const options: ListOptions = {
      where: [{ at: ["name"], in: ["x", "z"] }],
      pick,
      sort: [{ at: ["score"], descending: true }],
      limit: 5,
    };
    await fc.assert(
      fc.asyncProperty(
        fc
          .array(item, { maxLength: 20 })
          .chain((items) =>
            fc.tuple(fc.constant(items), fc.shuffledSubarray(items, { minLength: items.length })),
          ),
        async ([items, shuffled]) => {
          const one = await listed(items, options);
          expect(JSON.stringify(await listed(shuffled, options))).toBe(JSON.stringify(one));
          const scores = one.flatMap((entry) => (entry as JsonObject).score ?? []) as number[];
          expect(scores).toEqual(scores.toSorted((left, right) => right - left));
        },
      ),
    );
  });

  it("may be as deep as it likes", async () => {
    let tree: JsonObject = { name: "leaf", children: [] };
    for (let depth = 0; depth < 50_000; depth++) tree = { name: "n", children: [tree] };
    const reply = { parts: [{ server: undefined, value: [tree] }], perItem: true };
    const { parts } = await applyList(callState(), reply, {
      flatten: ["children"],
      where: [{ at: ["name"], is: "leaf" }],
    });
    expect(parts).toHaveLength(1);
  });

  it("is sorted without the texts of an item's descendants", async () => {
    // 400 levels above a text of 4 MB: with the descendants, the keys would have 1.6 GB.
    let tree: JsonObject = { name: "leaf", detail: "x".repeat(1 << 22) };
    for (let depth = 0; depth < 400; depth++) tree = { name: "n", children: [tree] };
    const before = process.cpuUsage();
    const found = await listed([tree], { flatten: ["children"], where: [{ at: ["name"], is: "leaf" }] });
    const { user } = process.cpuUsage(before);
    expect(found).toHaveLength(1);
    expect(user / 1000).toBeLessThan(limitFor(user / 1000, 1_000));
  });

  it("lets other work run while a long one is sorted, and ends with its call", async () => {
    const long = Array.from({ length: 100_000 }, (_, index) => ({ name: `n${(index * 7919) % 100_003}` }));
    const controller = new AbortController();
    const call = callState({ signal: controller.signal });
    const options: ListOptions = {
      pick: { name: { at: ["name"] } },
      sort: [{ at: ["name"], descending: false }],
    };
    setTimeout(() => controller.abort(new Error("over")), 5);
    await expect(listed(long, options, call)).rejects.toThrow("over");
  });

  it("has no members but its own", async () => {
    const items = JSON.parse('[{ "__proto__": { "x": 1 }, "toString": 2 }, {}]') as Json;
    expect(await listed(items, { where: [{ at: ["constructor"], exists: true }] })).toEqual([]);
    const picked = await listed(items, {
      pick: { x: { at: ["__proto__", "x"] }, toString: { at: ["toString"] } },
    });
    expect(picked.map((entry) => JSON.stringify(entry))).toEqual(['{"x":1,"toString":2}', "{}"]);
  });

  it.each([null, 5, "text", [null, [], 3, "x"], { a: 1 }])("may be anything: %j", async (value) => {
    const pick = {
      file: { at: ["uri"], as: "path" as const },
      range: { at: ["range"], as: "range" as const },
      place: { at: [], as: "location" as const },
      kind: { at: ["kind"], as: "kind" as const },
      note: { at: ["note"], as: "text" as const },
    };
    for (const entry of await listed(value, { flatten: ["children"], pick })) expect(entry).toEqual({});
  });

  it("drops items of files outside the roots, and masks their URIs elsewhere", async () => {
    const call = callState();
    const outside = "file:///secret/x";
    const items = [{ uri: outside }, { uri: a, other: { deep: [outside] } }];
    const pick = { path: { at: ["uri"], as: "path" as const }, other: { at: ["other"] } };
    expect(await listed(items, { pick }, call)).toEqual([
      { path: "a.fake", other: { deep: ["(outside the workspace)"] } },
    ]);
    expect(call.evidence.dropped).toBe(2);
  });
});
