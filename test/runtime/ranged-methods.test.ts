/** Methods that do the same for a range, with servers that have one of the two, the other, or both. */
import { afterEach, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import { openTestWorkspace, type TestWorkspace } from "./test-workspace.js";

let work: TestWorkspace | undefined;
afterEach(async () => {
  await work?.close();
  work = undefined;
});

const full = "textDocument/semanticTokens/full";
const ranged = "textDocument/semanticTokens/range";
const tokens = { data: [0, 0, 3, 0, 0, 1, 0, 3, 0, 0] };

async function open(offered: JsonObject): Promise<TestWorkspace> {
  work = await openTestWorkspace({
    files: { "a.fake": "one\ntwo\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: {
            semanticTokensProvider: { legend: { tokenTypes: ["word"], tokenModifiers: [] }, ...offered },
          },
          replies: { [full]: tokens, [ranged]: tokens },
        },
      },
    },
    config: { extends: ["tools/read"] },
  });
  return work;
}

const textDocument = { uri: expect.any(String) };
const secondLine = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };

it("asks about the whole file where it can, and about the range that the call names", async () => {
  const { call, received } = await open({ full: true, range: true });
  const whole = await call("get_semantic_tokens", { file_path: "a.fake" });
  expect(whole.structured).toMatchObject({
    total: 2,
    tokens: [{ type: "word", text: "one" }, { text: "two" }],
  });
  expect(await received(ranged)).toEqual([]);
  const line = await call("get_semantic_tokens", { file_path: "a.fake", line: 2 });
  expect(line.structured).toMatchObject({ total: 1, tokens: [{ type: "word", text: "two" }] });
  expect(await received(full)).toHaveLength(1);
  expect(await received(ranged)).toEqual([{ textDocument, range: secondLine }]);
});

it("asks a server that has only ranges about the range of the whole file", async () => {
  const { call, received } = await open({ range: true });
  const whole = await call("get_semantic_tokens", { file_path: "a.fake" });
  expect(whole.structured).toMatchObject({
    total: 2,
    warnings: [],
    tokens: [{ type: "word" }, { type: "word" }],
  });
  const range = { start: { line: 0, character: 0 }, end: { line: 2, character: 0 } };
  expect(await received(ranged)).toEqual([{ textDocument, range }]);
});

it("narrows the whole for a server that has no ranges", async () => {
  const { call, received } = await open({ full: true });
  const line = await call("get_semantic_tokens", { file_path: "a.fake", line: 2 });
  expect(line.structured).toMatchObject({ total: 1, tokens: [{ text: "two" }] });
  expect(await received(full)).toHaveLength(1);
});

it("does not ask for the whole where that would change more than the range", async () => {
  work = await openTestWorkspace({
    files: { "a.fake": "one\ntwo\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { documentFormattingProvider: true },
          replies: { "textDocument/formatting": [] },
        },
      },
    },
    config: {
      tools: [
        {
          name: "formatted",
          input: ["document", "range"],
          output: "json",
          request: { method: "textDocument/formatting", params: "text_document" },
        },
      ],
    },
  });
  const whole = await work.call("formatted", { file_path: "a.fake" });
  expect(whole.isError).toBe(false);
  const part = await work.call("formatted", { file_path: "a.fake", line: 2 });
  expect(part.structured).toMatchObject({ value: null, warnings: [{ code: "answer/not-supported" }] });
  expect(await work.received("textDocument/formatting")).toHaveLength(1);
});
