/** A workspace with a scripted server: the test defines its replies, and it publishes every `bad` as an error. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, JsonObject } from "../../../src/base/json.js";
import type { CallOutcome } from "../../../src/runtime/session.js";
import { afterThis } from "../../after-this.js";
import type { Scenario } from "../../fake-server/index.js";
import { openTestWorkspace, range, type TestWorkspace } from "../test-workspace.js";

export interface EditingOptions {
  files?: { [path: string]: string };
  /** The server's reply by method. */
  replies?: { [method: string]: Json };
  capabilities?: JsonObject;
  scenario?: Partial<Scenario>;
  /** The listed tools besides `undo_edit` and `apply_workspace_edit`; fewer tools start faster. */
  tools?: string[];
  /** Further settings of the server. */
  server?: JsonObject;
  config?: JsonObject;
}

/** The two files of most tests: a declaration and a use. */
export const files = { "a.fake": "function greet() {}\n", "b.fake": "greet();\n" };

const publish = {
  notify: "textDocument/publishDiagnostics",
  params: {
    uri: { $: "/params/textDocument/uri" },
    version: { $version: true },
    diagnostics: { $find: "bad", as: "diagnostics" },
  },
};

const capabilities: JsonObject = {
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  documentFormattingProvider: true,
  codeActionProvider: { resolveProvider: true },
  executeCommandProvider: { commands: [] },
};

/** A test workspace with every edit tool; closed after the test. */
export async function editing(options: EditingOptions = {}): Promise<TestWorkspace> {
  const { scenario = {}, server = {}, config = {}, replies = {} } = options;
  const work = await openTestWorkspace({
    files: options.files ?? files,
    servers: {
      fake: {
        scenario: {
          ...scenario,
          capabilities: { ...capabilities, ...options.capabilities },
          replies: {
            "textDocument/prepareRename": range(0, 9, 14),
            "textDocument/documentSymbol": [
              { name: "greet", kind: 12, range: range(0, 0, 19), selectionRange: range(0, 9, 14) },
            ],
            ...replies,
          },
          on: {
            "textDocument/didOpen": [publish],
            "textDocument/didChange": [publish],
            ...scenario.on,
          },
        },
        config: server,
      },
    },
    config: {
      extends: ["tools/core", "tools/writing", "tools/edit"],
      allow: { commands: [process.execPath], effects: ["read", "edit"] },
      mcp: {
        tools: { allow: ["undo_edit", "apply_workspace_edit", ...(options.tools ?? ["rename_symbol"])] },
      },
      ...config,
    },
  });
  afterThis(() => work.close());
  return work;
}

/** An edit of `greet` into `hello` in both files. */
export const renameBoth: JsonObject = {
  changes: {
    "file:///work/a.fake": [{ range: range(0, 9, 14), newText: "hello" }],
    "file:///work/b.fake": [{ range: range(0, 0, 5), newText: "hello" }],
  },
};

/** Arguments that select `greet` in `a.fake`. */
export const greet = { file_path: "a.fake", line: 1, character: 10, new_name: "hello" };

/** The text of a workspace file; undefined when it does not exist. */
export function read(work: TestWorkspace, file: string): string | undefined {
  const path = join(work.folder, file);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
}

/** The files of an answer's edit. */
export function filesOf({ structured }: CallOutcome): JsonObject[] {
  return ((structured.edit as JsonObject | undefined)?.files ?? []) as JsonObject[];
}

/** The code of a refusal. */
export function codeOf({ structured }: CallOutcome): Json | undefined {
  return (structured.error as JsonObject | undefined)?.code;
}

/** The reasons of a refused edit, as `path code`. */
export function reasonsOf({ structured }: CallOutcome): string[] {
  const { data } = (structured.error ?? {}) as { data?: { reasons?: { path: string; code: string }[] } };
  return (data?.reasons ?? []).map(({ path, code }) => `${path} ${code}`);
}

/** The codes of an answer's warnings. */
export function warningsOf({ structured }: CallOutcome): Json[] {
  return ((structured.warnings ?? []) as JsonObject[]).map(({ code }) => code ?? null);
}
