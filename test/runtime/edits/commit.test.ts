/** A call that has begun to write is completed and answered; one that is cancelled before changes nothing. */
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { codeOf, editing, files, greet, read, renameBoth } from "./support.js";

const replies = { "textDocument/rename": renameBoth };
const silent = { on: { "textDocument/didOpen": [], "textDocument/didChange": [] } };
const apply = { ...greet, dry_run: false };
const turn = () => new Promise((done) => setTimeout(done, 10));

it("a call that is cancelled while the server is waited for after the edit says that the edit is made", async () => {
  const work = await editing({ replies, scenario: silent });
  const controller = new AbortController();
  const pending = work.call("rename_symbol", apply, controller.signal);
  while (read(work, "b.fake") === files["b.fake"]) await turn();
  controller.abort();
  expect((await pending).structured).toMatchObject({
    ok: true,
    status: "applied",
    summary: { files: 2, edits: 2 },
  });
});

it("a call whose time is over by then says so too", async () => {
  const work = await editing({
    replies,
    scenario: silent,
    tools: ["rename_symbol", "get_document_symbols"],
    config: { tools: [{ name: "rename_symbol", timeout_ms: 3000 }] },
  });
  // The server is started first, so that the time is spent on the edit and after it.
  await work.call("get_document_symbols", { file_path: "a.fake" });
  const answer = await work.call("rename_symbol", apply);
  expect(answer.structured).toMatchObject({
    ok: true,
    status: "applied",
    diagnostics: { status: "unknown" },
  });
});

it("a call that is cancelled before the first write changes nothing", async () => {
  const work = await editing({ replies, scenario: silent });
  const controller = new AbortController();
  const pending = work.call("rename_symbol", apply, controller.signal);
  while ((await work.received("textDocument/rename")).length === 0) await turn();
  controller.abort();
  const answer = await pending;
  // Whether the write had begun depends on microseconds; the answer must match the file.
  const isDone = read(work, "a.fake") !== files["a.fake"];
  expect(codeOf(answer)).toBe(isDone ? undefined : "call/cancelled");
  expect(read(work, "b.fake") !== files["b.fake"]).toBe(isDone);
});

it("a batch of edits reports the outcome of each", async () => {
  const batch: JsonObject = {
    name: "several",
    effect: "edit",
    output: "batch",
    steps: [{ id: "operations", kind: "batch", tools: ["create_file", "rename_symbol"] }],
  };
  const work = await editing({
    replies,
    tools: ["create_file", "rename_symbol", "several"],
    config: { tools: [batch] },
  });
  const answer = await work.call("several", {
    operations: [
      { tool: "rename_symbol", args: apply },
      { tool: "create_file", args: { file_path: "a.fake", dry_run: false } },
    ],
  });
  expect(answer.structured).toMatchObject({ successful: 1, failed: 1 });
  expect(read(work, "a.fake")).toBe("function hello() {}\n");
});

it("a parallel batch runs an edit after the operations before it and before those after it", async () => {
  const batch: JsonObject = {
    name: "several",
    effect: "edit",
    output: "batch",
    steps: [{ id: "operations", kind: "batch", tools: ["create_file", "delete_file", "rename_symbol"] }],
  };
  const tools = ["create_file", "delete_file", "rename_symbol", "several"];
  const work = await editing({ replies, tools, config: { tools: [batch] } });
  const file = { file_path: "new.fake", dry_run: false };
  const answer = await work.call("several", {
    parallel: true,
    operations: [
      { tool: "create_file", args: { ...file, content: "new\n" } },
      { tool: "delete_file", args: file },
      { tool: "create_file", args: { ...file, content: "newer\n" } },
      { tool: "delete_file", args: file },
      { tool: "rename_symbol", args: apply },
    ],
  });
  expect(answer.structured).toMatchObject({ successful: 5, failed: 0 });
  expect(read(work, "a.fake")).toBe("function hello() {}\n");
});

it("an edit that is done is reported, however long the report would be", async () => {
  const error = (index: number) => ({
    range: { start: { line: 0, character: index }, end: { line: 0, character: index } },
    severity: 1,
    message: `${index} ${"x".repeat(4000)}`,
  });
  const publish = {
    notify: "textDocument/publishDiagnostics",
    params: {
      uri: { $: "/params/textDocument/uri" },
      version: { $version: true },
      diagnostics: Array.from({ length: 30 }, (_, index) => error(index)),
    },
  };
  const work = await editing({
    replies,
    scenario: { on: { "textDocument/didOpen": [], "textDocument/didChange": [publish] } },
    config: {
      limits: { max_bytes: 16_384 },
      mcp: { output: { max_total_chars_default: 10_000 }, tools: { allow: ["rename_symbol"] } },
    },
  });
  const answer = await work.call("rename_symbol", apply);
  expect(answer.structured).toMatchObject({
    ok: true,
    status: "applied",
    truncated: true,
    summary: { files: 2 },
  });
  expect(answer.structured.undo_token).toBeDefined();
  expect(read(work, "b.fake")).toBe("hello();\n");
});

it("a tool that runs a command on the way to an edit needs both effects, also within another tool", async () => {
  const move: JsonObject = {
    name: "move",
    description: "Moves.",
    effect: "edit",
    input: "document",
    output: { shape: "workspace_edit", apply: "on_request" },
    steps: [
      {
        id: "edit",
        kind: "execute_command",
        command: "edits",
        when: { command: "edits" },
        form: {
          documentChanges: {
            at: "/body",
            each: {
              textDocument: { uri: { at: "/file", as: "uri" } },
              edits: {
                at: "/changes",
                each: {
                  newText: "/text",
                  range: {
                    start: { line: { at: "/line", as: "zero_based" }, character: "/from" },
                    end: { line: { at: "/line", as: "zero_based" }, character: "/to" },
                  },
                },
              },
            },
          },
        },
      },
    ],
  };
  const both: JsonObject = {
    name: "both",
    description: "Moves by another tool.",
    effect: "edit",
    input: "document",
    output: "json",
    steps: [{ id: "move", tool: "move", args: { file_path: { from: "input.file_path" }, dry_run: false } }],
  };
  const open = (effects: string[]) =>
    editing({
      replies: {
        "workspace/executeCommand": {
          body: [{ file: "b.fake", changes: [{ line: 1, from: 0, to: 5, text: "hello" }] }],
        },
      },
      capabilities: { executeCommandProvider: { commands: ["edits"] } },
      server: { execute_commands: ["edits"] },
      config: {
        allow: { commands: [process.execPath], effects },
        mcp: { tools: { allow: ["move", "both"] } },
        tools: [move, both],
      },
    });
  const listed = (work: Awaited<ReturnType<typeof open>>) => work.runtime.tools.map(({ name }) => name);
  const bare = await open(["read", "edit"]);
  expect(listed(bare)).toEqual(["both"]);
  const refused = await bare.call("both", { file_path: "a.fake" });
  expect(refused.structured).toMatchObject({ ok: false, error: { code: "guard/effect-not-allowed" } });
  expect(read(bare, "b.fake")).toBe("greet();\n");
  const full = await open(["read", "edit", "command"]);
  expect(listed(full)).toEqual(["both", "move"]);
  const preview = await full.call("move", { file_path: "a.fake" });
  expect(preview.structured).toMatchObject({ status: "preview", summary: { files: 1, edits: 1 } });
  expect((await full.call("both", { file_path: "a.fake" })).structured).toMatchObject({ ok: true });
  expect(read(full, "b.fake")).toBe("hello();\n");
});
