/** How much an answer may say, through the whole line: budgets, numbers beyond their bounds, what is given up first. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

const a = "file:///work/a.fake";
const many = Array.from({ length: 5000 }, (_, index) => ({ uri: a, range: range(index, 0, 4) }));
const at = { file_path: "a.fake", line: 1, character: 1 };
const request = { method: "textDocument/references", params: "text_document_position" };
const budget = {
  type: "integer",
  required: false,
  minimum: 10_000,
  maximum: 2_000_000,
  description: "Size.",
};

let work: TestWorkspace;
beforeAll(async () => {
  work = await openTestWorkspace({
    files: { "a.fake": "word and what stands after it\n".repeat(5000) },
    servers: {
      fake: { scenario: { capabilities: { referencesProvider: true }, replies: { [request.method]: many } } },
    },
    config: {
      limits: { max_items: 5000, max_bytes: 8_000_000 },
      dialect: { listing: { beyond: "clamp" } },
      tools: [
        {
          name: "roomy",
          input: "position",
          output: { shape: "locations", max_chars: { from: "input.max_total_chars" } },
          request,
          args: { max_total_chars: { ...budget, beyond: "clamp" } },
        },
        {
          name: "strict",
          input: "position",
          output: {
            shape: "locations",
            max_chars: { from: "input.max_total_chars" },
            snippet: { show: false },
          },
          request,
          args: { max_total_chars: budget },
        },
        { name: "fixed", input: "position", output: { shape: "locations", max_chars: 90_000 }, request },
        { name: "plain", input: "position", output: "locations", request },
      ],
    },
  });
});
afterAll(() => work.close());

async function sizes(tool: string, args: JsonObject = {}) {
  const { structured, text, isError } = await work.call(tool, { ...at, ...args });
  expect(isError, text).toBe(false);
  return { structured, structure: JSON.stringify(structured).length, text: text.length };
}

describe("a budget", () => {
  it("that a call asks for is given whole, so that the most items can be had", async () => {
    const { structured, structure, text } = await sizes("roomy", {
      max_total_chars: 2_000_000,
      max_results: 5000,
    });
    expect(structured).toMatchObject({ total: 5000, shown: 5000, truncated: false, warnings: [] });
    expect(structure + text).toBeGreaterThan(400_000);
    expect(structure + text).toBeLessThanOrEqual(2_000_000);
  });

  it("is that of the config for a call that asks for none, and the answer says how to get more", async () => {
    const { structured, structure, text } = await sizes("strict");
    expect(structure).toBeGreaterThan(40_000);
    expect(structure + text).toBeGreaterThan(110_000);
    expect(structure + text).toBeLessThanOrEqual(120_000);
    const [step] = structured.next_steps as { tool: string; arguments: JsonObject }[];
    expect(step).toMatchObject({ tool: "strict", arguments: { ...at, max_total_chars: 2_000_000 } });
    const more = await work.call("strict", step?.arguments ?? {});
    expect(more.structured).toMatchObject({ shown: 5000, truncated: false });
  });

  it("that a tool declares is given, and without one an answer is a page for any client", async () => {
    const fixed = await sizes("fixed");
    expect(fixed.structure + fixed.text).toBeGreaterThan(80_000);
    expect(fixed.structure + fixed.text).toBeLessThanOrEqual(90_000);
    const plain = await sizes("plain");
    expect(plain.structure).toBeGreaterThan(35_000);
    expect(plain.structure).toBeLessThanOrEqual(40_000);
    expect(plain.text).toBeLessThanOrEqual(40_000);
    expect(plain.structured.next_steps).toEqual([
      { kind: "config", text: expect.stringContaining("max_total_chars_default") },
    ]);
  });

  it("is used for items before it is used for the texts beside them", async () => {
    const whole = await sizes("roomy", { max_results: 50 });
    expect((whole.structured.locations as JsonObject[])[0]).toMatchObject({ text: expect.any(String) });
    expect(whole.structured.warnings).toMatchObject([{ code: "answer/truncated" }]);
    const { structured } = await sizes("roomy", { max_results: 450, max_total_chars: 60_000 });
    expect(structured).toMatchObject({
      shown: 450,
      warnings: expect.arrayContaining([
        { code: "answer/snippets-dropped", message: expect.any(String), data: { count: 450 } },
      ]),
    });
    expect((structured.locations as JsonObject[]).every((item) => item.text === undefined)).toBe(true);
  });
});

describe("a number beyond its bounds", () => {
  it("is clamped with a warning where the tool says so", async () => {
    const { structured } = await sizes("roomy", { max_total_chars: 9_000_000, max_results: 1 });
    expect(structured.warnings).toContainEqual({
      code: "answer/clamped",
      message: expect.any(String),
      data: {
        argument: "max_total_chars",
        requested: 9_000_000,
        effective: 2_000_000,
        hard: 2_000_000,
        min: 10_000,
      },
    });
    const low = await sizes("roomy", { max_total_chars: 1 });
    expect(low.structure + low.text).toBeLessThanOrEqual(10_000);
    expect(low.structured.warnings).toContainEqual(
      expect.objectContaining({
        data: expect.objectContaining({ argument: "max_total_chars", requested: 1, effective: 10_000 }),
      }),
    );
  });

  it("is clamped in lists where the dialect says so", async () => {
    const { structured } = await sizes("strict", { max_results: 99_999, max_total_chars: 2_000_000 });
    expect(structured).toMatchObject({
      shown: 5000,
      warnings: [
        { code: "answer/clamped", data: { argument: "max_results", requested: 99_999, effective: 5000 } },
      ],
    });
    const page = await sizes("find_references", { page_size: 1_000 });
    expect(page.structured.warnings).toContainEqual(
      expect.objectContaining({
        data: { argument: "page_size", requested: 1_000, effective: 200, hard: 200, min: 1 },
      }),
    );
  });

  it("is refused everywhere else", async () => {
    const { structured } = await work.call("strict", { ...at, max_total_chars: 9_000_000 });
    expect(structured).toMatchObject({ error: { code: "guard/invalid-arguments" } });
  });
});
