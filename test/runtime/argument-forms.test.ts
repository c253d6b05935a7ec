/** Arguments of every form, as a call gives them: what is accepted, what a server gets, and what is refused where. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, type TestWorkspace } from "./test-workspace.js";

const method = "fake/ask";
const d = { description: "d", required: false };

let work: TestWorkspace;
beforeAll(async () => {
  work = await openTestWorkspace({
    files: { "a.fake": "a\n" },
    servers: { fake: { scenario: { replies: { [method]: { done: true } } } } },
    config: {
      methods: [{ method, uris: [] }, { method: "fake/received" }],
      tools: [
        {
          name: "send",
          description: "d",
          input: "document",
          output: "json",
          args: {
            level: { type: "integer", enum: [1, 2, 4], ...d },
            word: { type: "string", pattern: "^a*a*a*b$", max_length: 99, ...d },
            day: { type: "string", format: "date", ...d },
            when: { type: "string", format: "date-time", ...d },
            who: { type: "string", format: "email", max_length: 80, ...d },
            id: { type: "string", format: "uuid", ...d },
            numbers: {
              type: "list",
              items: { type: "integer", minimum: 0 },
              min_items: 1,
              max_items: 3,
              ...d,
            },
            options: {
              type: "object",
              ...d,
              properties: {
                tab_size: { type: "integer", default: 2, minimum: 1 },
                note: { type: "string", required: false },
                rules: {
                  type: "list",
                  default: [],
                  items: {
                    type: "object",
                    properties: { name: { type: "string" }, on: { type: "boolean", default: true } },
                  },
                },
              },
            },
          },
          request: {
            method,
            params: {
              set: {
                level: { from: "input.level" },
                numbers: { from: "input.numbers" },
                size: { from: "input.options.tab_size" },
                options: { from: "input.options" },
              },
            },
          },
        },
      ],
    },
  });
});
afterAll(() => work.close());

const sent = async (args: JsonObject) => {
  const { structured } = await work.call("send", { file_path: "a.fake", ...args });
  expect(structured).toMatchObject({ ok: true });
  return (await work.received(method)).at(-1);
};

describe("values that fit", () => {
  it("arrive, with the defaults of members", async () => {
    expect(await sent({})).toEqual({ size: 2 });
    expect(await sent({ level: 4, numbers: [3, 0] })).toEqual({ level: 4, numbers: [3, 0], size: 2 });
    expect(await sent({ options: { rules: [{ name: "a" }, { name: "b", on: false }] } })).toEqual({
      size: 2,
      options: {
        tab_size: 2,
        rules: [
          { name: "a", on: true },
          { name: "b", on: false },
        ],
      },
    });
  });

  it("null members count as absent", async () => {
    const options = { tab_size: null, note: null, rules: [{ name: "a", on: null }] };
    expect(await sent({ options })).toEqual({
      size: 2,
      options: { tab_size: 2, rules: [{ name: "a", on: true }] },
    });
  });

  it.each<JsonObject>([
    { word: "aab" },
    { day: "2024-02-29" },
    { when: "2024-02-29T23:59:59.5+01:00" },
    { who: "a@example.org" },
    { id: "123e4567-e89b-12d3-a456-426614174000" },
  ])("%j", async (args) => {
    expect(await sent(args)).toEqual({ size: 2 });
  });
});

describe("values that do not fit", () => {
  it.each<[JsonObject, string, string]>([
    [{ level: 3 }, "/level", "enum"],
    [{ level: "1" }, "/level", "type"],
    [{ word: "abc" }, "/word", "pattern"],
    [{ day: "2024-13-01" }, "/day", "pattern"],
    [{ when: "2024-02-29" }, "/when", "pattern"],
    [{ who: "nobody" }, "/who", "pattern"],
    [{ id: "1" }, "/id", "pattern"],
    [{ numbers: [] }, "/numbers", "minItems"],
    [{ numbers: [1, 2, 3, 4] }, "/numbers", "maxItems"],
    [{ numbers: [1, -1] }, "/numbers/1", "minimum"],
    [{ options: { tab_size: 0 } }, "/options/tab_size", "minimum"],
    [{ options: { other: 1 } }, "/options/other", "additionalProperties"],
    [{ options: { rules: [{}] } }, "/options/rules/0/name", "required"],
    [{ options: [] }, "/options", "type"],
  ])("%j", async (args, path, keyword) => {
    const { structured } = await work.call("send", { file_path: "a.fake", ...args });
    const { error } = structured as { error: { code: string; issues?: unknown; data?: unknown } };
    expect(error.code).toBe("guard/invalid-arguments");
    expect(JSON.stringify(structured)).toContain(JSON.stringify({ path, keyword }).slice(0, -1));
  });

  it("a text that is too long is never matched against the pattern", async () => {
    const started = performance.now();
    const { structured } = await work.call("send", { file_path: "a.fake", word: "a".repeat(900_000) });
    expect(structured.error).toMatchObject({ code: "guard/invalid-arguments" });
    expect(performance.now() - started).toBeLessThan(10_000);
  }, 60_000);
});
