/** The caps of parts of answers are keys of `[limits]`. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../src/base/json.js";
import { editing } from "./edits/support.js";
import { openTestWorkspace, range, type TestWorkspace } from "./test-workspace.js";

const open: TestWorkspace[] = [];
afterEach(async () => {
  for (const work of open.splice(0)) await work.close();
});

const symbol = (line: number) => ({
  name: "same",
  kind: 12,
  range: range(line, 0, 4),
  selectionRange: range(line, 0, 4),
});

async function reading(limits: JsonObject): Promise<TestWorkspace> {
  const work = await openTestWorkspace({
    files: { "a.fake": "same\nsame\nsame\n" },
    servers: {
      fake: {
        scenario: {
          capabilities: { hoverProvider: true, documentSymbolProvider: true },
          replies: {
            "textDocument/hover": { contents: ["x".repeat(300), "two", "three"] },
            "textDocument/documentSymbol": [symbol(0), symbol(1), symbol(2)],
          },
        },
      },
    },
    config: { limits },
  });
  open.push(work);
  return work;
}

describe("caps", () => {
  it("parts of a hover and their characters", async () => {
    const work = await reading({ hover_parts: 2, hover_chars: 100 });
    const { structured } = await work.call("get_hover", { file_path: "a.fake", line: 1, character: 1 });
    expect(structured).toMatchObject({ contents: ["x".repeat(100), "two"], truncated: true });
  });

  it("candidates", async () => {
    const work = await reading({ candidates: 2 });
    const { structured } = await work.call("get_hover", { file_path: "a.fake", symbol_name: "same" });
    expect(structured.candidates).toHaveLength(2);
  });

  it("diagnostics of one file among all", async () => {
    const items = [0, 1, 2].map((line) => ({ range: range(line, 0, 1), message: `m${line}` }));
    const work = await openTestWorkspace({
      files: { "a.fake": "same\nsame\nsame\n" },
      servers: {
        fake: {
          scenario: {
            capabilities: { diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: true } },
            replies: {
              "workspace/diagnostic": {
                items: [{ kind: "full", uri: "file:///work/a.fake", version: null, items }],
              },
              "textDocument/diagnostic": { kind: "full", items },
            },
          },
        },
      },
      config: { extends: ["tools/workspace-diagnostics"], limits: { diagnostics_per_file: 2 } },
    });
    open.push(work);
    const { structured } = await work.call("get_workspace_diagnostics", {});
    expect(structured.files).toMatchObject([
      { total: 3, diagnostics: [{ message: "m0" }, { message: "m1" }] },
    ]);
  });

  const here = { file_path: "a.fake", line: 1, character: 1 };
  const long = "x".repeat(5000);
  const at = { range: range(0, 0, 4) };
  const locations = [0, 1, 2].map((line) => ({ uri: "file:///work/a.fake", range: range(line, 0, 4) }));
  const action = (title: string) => ({ title, kind: "quickfix", diagnostics: [{ ...at, message: long }] });
  const tool = (name: string, output: string, rest: JsonObject) => ({
    ...{ name, description: "d", input: "position", output },
    ...rest,
  });
  const asks = (method: string) => ({ request: { method, params: "text_document_position" } });
  const input = ["document", "range"];
  const actions = { id: "actions", method: "textDocument/codeAction", params: "text_document_range" };
  const runs = (action: string) => ({ steps: [{ id: "value", kind: "runtime", action }] });
  const tools = [
    tool("completions", "completions", asks("textDocument/completion")),
    tool("signatures", "signatures", asks("textDocument/signatureHelp")),
    tool("hints", "inlay_hints", {
      input,
      request: { method: "textDocument/inlayHint", params: "text_document_range" },
    }),
    tool("actions", "code_actions", { input, steps: [actions] }),
    tool("unused", "locations", { ...asks("textDocument/references"), expect: "none" }),
    tool("choose", "workspace_edit", {
      input,
      effect: "edit",
      args: { action_id: { type: "string", description: "d" } },
      steps: [
        actions,
        { id: "chosen", kind: "choose", from: "step.actions", item: { from: "input.action_id" } },
      ],
    }),
    tool("source", "source", runs("symbol_source")),
    tool("status", "server_status", { input: "workspace", ...runs("server_status") }),
    tool("check", "diagnostics", { input: "document", steps: [{ id: "found", kind: "diagnostics" }] }),
  ];
  const others = ["b", "c", "d"].map((name) => `${name}.fake`);
  const shown = async (limits: JsonObject, name: string, args: JsonObject): Promise<JsonObject> => {
    const work = await openTestWorkspace({
      files: Object.fromEntries(["a.fake", ...others].map((path) => [path, "same\nsame\nsame\n"])),
      servers: {
        fake: {
          scenario: {
            on: { initialized: [{ stderr: "one\ntwo\nthree\n" }] },
            capabilities: {
              completionProvider: {},
              signatureHelpProvider: {},
              inlayHintProvider: true,
              codeActionProvider: true,
              referencesProvider: true,
              definitionProvider: true,
              documentSymbolProvider: true,
              diagnosticProvider: { interFileDependencies: false, workspaceDiagnostics: false },
            },
            replies: {
              "textDocument/completion": [{ label: "same", documentation: long }],
              "textDocument/signatureHelp": {
                signatures: [
                  { label: "f(a)", documentation: long, parameters: [{ label: "a", documentation: long }] },
                ],
              },
              "textDocument/inlayHint": [{ position: { line: 0, character: 1 }, label: "h", tooltip: long }],
              "textDocument/codeAction": ["a", "b", "c"].map(action),
              "textDocument/references": locations,
              "textDocument/definition": others.map((path) => ({
                uri: `file:///work/${path}`,
                range: range(0, 0, 4),
              })),
              "textDocument/documentSymbol": [symbol(0)],
              "textDocument/diagnostic": { kind: "full", items: [{ ...at, message: long }] },
            },
          },
        },
      },
      config: { limits, tools, allow: { commands: [process.execPath], effects: ["read", "edit"] } },
    });
    open.push(work);
    return (await work.call(name, args)).structured;
  };
  const cut = "x".repeat(120);

  it.each([
    ["completion_chars", "completions", here, { completions: [{ documentation: cut }] }],
    [
      "signature_chars",
      "signatures",
      here,
      { signatures: [{ documentation: cut, parameters: [{ documentation: cut }] }] },
    ],
    ["tooltip_chars", "hints", { file_path: "a.fake" }, { hints: [{ tooltip: cut }] }],
    [
      "fix_chars",
      "actions",
      { file_path: "a.fake" },
      { actions: [{ fixes: [cut] }, { fixes: [cut] }, { fixes: [cut] }] },
    ],
    [
      "diagnostic_chars",
      "check",
      { file_path: "a.fake" },
      { diagnostics: [{ message: cut }], truncated: true },
    ],
  ] as [string, string, JsonObject, JsonObject][])("%s", async (key, name, args, expected) => {
    expect(await shown({ [key]: 120 }, name, args)).toMatchObject(expected);
  });

  it("places and actions in a refusal", async () => {
    const data = async (limits: JsonObject, name: string, args: JsonObject) =>
      (await shown(limits, name, args)).error as {
        data: { places?: Json[]; actions?: Json[]; total: number };
      };
    const unused = await data({ refusal_places: 2 }, "unused", here);
    expect([unused.data.places?.length, unused.data.total]).toEqual([2, 3]);
    const chosen = await data({ refusal_actions: 2 }, "choose", { file_path: "a.fake", action_id: "none" });
    expect([chosen.data.actions?.length, chosen.data.total]).toEqual([2, 3]);
  });

  it("lines of a server's error output", async () => {
    await shown({ stderr_lines: 2 }, "completions", here);
    const status = async () => (await open.at(-1)?.call("status", {}))?.structured.servers;
    await expect.poll(status).toMatchObject([{ stderr: ["two", "three"] }]);
  });

  it("files with definitions whose source is shown", async () => {
    const { declarations: sources, truncated } = await shown({ source_files: 2 }, "source", here);
    const paths = (sources as { path: string }[]).map(({ path }) => path);
    expect([paths, truncated]).toEqual([["a.fake", "b.fake", "c.fake"], true]);
  });

  const late = (lines: JsonObject, signal: string) =>
    openTestWorkspace({
      files: { "a.fake": "bad\n" },
      servers: {
        fake: {
          scenario: {
            on: {
              "textDocument/didOpen": [
                { waitFile: signal },
                {
                  notify: "textDocument/publishDiagnostics",

                  params: {
                    uri: { $: "/params/textDocument/uri" },
                    diagnostics: [{ range: range(0, 0, 3), message: "late" }],
                  },
                },
              ],
            },
          },
        },
      },
      config: {
        tools: [
          {
            name: "check",
            description: "d",
            input: "document",
            output: "diagnostics",
            steps: [{ id: "found", kind: "diagnostics", wait_ms: 100, ...lines }],
          },
        ],
      },
    });

  it.each([
    ["a longer first wait", { first_wait_ms: 20_000 }, "diagnostics"],
    ["the usual one", {}, "unknown"],
  ])("the first diagnostics of a file, with %s", async (_, lines, status) => {
    const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-late-"));
    const signal = join(folder, "now");
    const work = await late(lines, signal);
    open.push(work);
    const call = work.call("check", { file_path: "a.fake" });
    // The server is up: its start takes none of the time.
    await expect.poll(() => work.received("textDocument/didOpen")).toHaveLength(1);
    setTimeout(() => writeFileSync(signal, ""), 1500);
    expect((await call).structured.status).toBe(status);
  });

  it("a wait that a call may set, and does not, is the default", async () => {
    const ms = { type: "integer", required: false, maximum: 20_000, description: "d" };
    const work = await openTestWorkspace({
      files: { "a.fake": "bad\n" },
      servers: { fake: { scenario: {} } },
      config: {
        tools: [
          {
            ...{ name: "check", description: "d", input: "document", output: "diagnostics", args: { ms } },
            steps: [{ id: "found", kind: "diagnostics", wait_ms: { from: "input.ms" }, first_wait_ms: 1 }],
          },
        ],
      },
    });
    open.push(work);
    const { structured } = await work.call("check", { file_path: "a.fake" });
    expect(structured).toMatchObject({ ok: true, status: "unknown" });
  });

  const rename = { file_path: "a.fake", line: 1, character: 10, new_name: "hello", dry_run: false };
  const replies = {
    "textDocument/rename": {
      changes: { "file:///work/a.fake": [{ range: range(0, 9, 14), newText: "bad bad bad" }] },
    },
  };

  it("errors after an edit: of a file", async () => {
    const work = await editing({ replies, config: { limits: { after_edit_per_file: 2 } } });
    const { structured } = await work.call("rename_symbol", rename);
    const { errors, introduced, not_shown: rest } = structured.diagnostics as { [name: string]: unknown[] };
    expect([errors?.length, introduced?.length, rest]).toEqual([2, 3, 1]);
  });

  it("errors after an edit: in total", async () => {
    const work = await editing({ replies, config: { limits: { after_edit_total: 1 } } });
    const { structured } = await work.call("rename_symbol", rename);
    const { errors, introduced, not_shown: rest } = structured.diagnostics as { [name: string]: unknown[] };
    expect([errors?.length, introduced?.length, rest]).toEqual([1, 1, 2]);
  });

  it("files whose errors are compared before and after an edit", async () => {
    const change = { range: range(0, 0, 5), newText: "bad" };
    const changes = { "file:///work/a.fake": [change], "file:///work/b.fake": [change] };
    const work = await editing({
      replies: { "textDocument/rename": { changes } },
      config: { limits: { after_edit_checked_files: 1 } },
    });
    const { structured } = await work.call("rename_symbol", rename);
    expect(JSON.stringify(structured.diagnostics)).toContain("only 1 of 2 files were checked");
  });

  const mild = {
    notify: "textDocument/publishDiagnostics",
    params: {
      uri: { $: "/params/textDocument/uri" },
      version: { $version: true },
      diagnostics: [{ range: range(0, 0, 1), severity: 2, message: "mild" }],
    },
  };

  it.each([
    ["warning", 1],
    ["error", 0],
  ])("after an edit down to the severity %s", async (severity, count) => {
    const work = await editing({
      replies,
      scenario: { on: { "textDocument/didOpen": [mild], "textDocument/didChange": [mild] } },
      config: { limits: { after_edit_severity: severity } },
    });
    const { structured } = await work.call("rename_symbol", rename);
    const { errors = [] } = (structured.diagnostics ?? {}) as { errors?: JsonObject[] };
    expect(errors.filter(({ severity: found }) => found === "warning")).toHaveLength(count);
  });
});
