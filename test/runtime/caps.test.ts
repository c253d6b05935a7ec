/** The caps of parts of answers are keys of `[limits]`. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
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
    await work.received("textDocument/didOpen");
    setTimeout(() => writeFileSync(signal, ""), 1500);
    expect((await call).structured.status).toBe(status);
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
