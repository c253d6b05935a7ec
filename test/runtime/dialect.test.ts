/** Spellings of the surface that no shipped profile has on its own, through the whole line and the real protocol. */
import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { toolResult } from "../../src/mcp/calls.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

let work: TestWorkspace | undefined;
afterEach(async () => {
  await work?.close();
  work = undefined;
});

const places = Array.from({ length: 5 }, (_, line) => ({
  uri: "file:///work/a.fake",
  range: range(line, 0, 3),
}));

async function open(config: JsonObject): Promise<TestWorkspace> {
  work = await openTestWorkspace({
    files: { "a.fake": "one\ntwo\nthree\nfour\nfive\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { referencesProvider: true, definitionProvider: true, diagnosticProvider: false },
          replies: { "textDocument/references": places, "textDocument/definition": [] },
        },
      },
    },
    config,
  });
  return work;
}

const signal = new AbortController().signal;
const at = { file_path: "a.fake", line: 1, character: 1 };

it("renames and drops members in answers and in their schemas alike", async () => {
  const { session, runtime } = await open({
    dialect: {
      members: { ok: "", schema_version: "", locations: "hits", path: "file", next_cursor: "more" },
      listing: { size: "count", cursor: "after" },
      echo: "asked",
    },
  });
  const args = { ...at, count: 2 };
  const first = await session.call("find_references", args, { signal });
  expect(first.structured).toMatchObject({ hits: [{ file: "a.fake" }, {}], shown: 2, asked: args });
  expect(first.structured).not.toHaveProperty("ok");
  const { outputValidator: validate } = await runtime.loaded.tool("find_references");
  expect(validate(first.structured)).toBe(true);
  expect(validate({ ...first.structured, ok: true })).toBe(false);
  expect(validate({ ...first.structured, hits: [{ path: "a.fake" }] })).toBe(false);
  const rest = await session.call(
    "find_references",
    { ...at, count: 3, after: first.structured.more as string },
    { signal },
  );
  expect(rest.structured.hits).toHaveLength(3);
  expect(rest.structured).not.toHaveProperty("more");
  const schema = runtime.tools.find((tool) => tool.name === "find_references")?.inputSchema;
  expect(JSON.stringify(schema)).toContain("more of the page before.");
});

it("keeps what a text cannot carry in a second block, where only text is sent", async () => {
  const { session, runtime } = await open({
    dialect: { result: "text" },
    tools: [
      { name: "find_references", text: "{{#each locations}}{{line}} {{/each}}" },
      { name: "find_definition", empty: "None." },
    ],
  });
  const { dialect } = runtime.loaded.plan;
  const paged = await session.call("find_references", { ...at, page_size: 2 }, { signal });
  const result = toolResult(paged, dialect);
  expect(result.structuredContent).toBeUndefined();
  expect(result.content).toEqual([
    { type: "text", text: "1 2 " },
    {
      type: "text",
      text: expect.stringMatching(/^Next page: call again with the same arguments and cursor "/),
    },
  ]);
  const empty = toolResult(await session.call("find_definition", at, { signal }), dialect);
  expect(empty.content).toEqual([{ type: "text", text: "None." }]);
  expect(toolResult(paged, { ...dialect, result: "both" }).content).toHaveLength(1);
});

it("does not let an empty list pass for a clean file", async () => {
  const { session, runtime } = await open({
    dialect: { result: "text" },
    tools: [
      {
        name: "check",
        input: "document",
        output: "diagnostics",
        empty: "No diagnostics",
        steps: [{ id: "report", kind: "diagnostics", wait_ms: 50, settle_ms: 10 }],
      },
    ],
  });
  const outcome = await session.call("check", { file_path: "a.fake" }, { signal });
  const { content } = toolResult(outcome, runtime.loaded.plan.dialect);
  expect(content).toEqual([
    { type: "text", text: "No diagnostics" },
    { type: "text", text: expect.stringMatching(/^Status: unknown \(/) },
  ]);
});

it("reports refusals as the dialect says: by code, by family, or all alike", async () => {
  const errors = {
    text: "[{{code}}] {{message}}",
    codes: { "guard/not-a-file": "GONE", guard: "BAD", "*": "OTHER" },
    messages: { "guard/outside-root": "Keep out" },
    numbers: { guard: -1, "*": -2 },
  };
  const { session } = await open({ dialect: { errors } });
  const refusal = async (args: JsonObject) => session.call("get_hover", args, { signal });
  const gone = await refusal({ ...at, file_path: "none.fake" });
  expect(gone.text).toMatch(/^\[GONE\] /);
  expect(gone.structured).toMatchObject({ ok: false, error: { code: "GONE" } });
  expect(gone.error).toMatchObject({ number: -1, code: "GONE", data: { code: "GONE" } });
  expect((await refusal({ ...at, file_path: "../x.fake" })).text).toBe("[BAD] Keep out");
  expect((await refusal({ ...at, line: 99 })).error).toMatchObject({ number: -2, code: "OTHER" });
});

it("shows as much of the file as a call asks for, within bounds", async () => {
  const { session } = await open({
    tools: [
      {
        name: "uses",
        input: "position",
        args: { lines: { type: "integer", default: 1, description: "Lines." } },
        output: {
          shape: "locations",
          snippet: { context_lines: { from: "input.lines" }, max_chars: 40 },
        },
        default_items: 3,
        request: { method: "textDocument/references", params: "text_document_position" },
      },
    ],
  });
  const texts = async (args: JsonObject) =>
    ((await session.call("uses", { ...at, ...args }, { signal })).structured.locations as JsonObject[]).map(
      ({ text }) => text,
    );
  expect(await texts({})).toEqual(["one\ntwo", "one\ntwo\nthree", "two\nthree\nfour"]);
  expect(await texts({ lines: 0, max_results: 1 })).toEqual(["one"]);
  expect((await texts({ lines: 1000, max_results: 1 }))[0]).toBe("one\ntwo\nthree\nfour\nfive");
});
