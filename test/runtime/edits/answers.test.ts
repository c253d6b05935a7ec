/** What an answer reports besides the files: all reasons, counts, backups and owners. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { range } from "../test-workspace.js";
import { codeOf, editing, files, greet, read, reasonsOf, warningsOf } from "./support.js";

afterEach(() => {
  vi.restoreAllMocks();
});

const outOfRange = {
  path: "a.fake",
  edits: [{ line: 9, character: 1, end_line: 9, end_character: 1, new_text: "x" }],
};

describe("reasons", () => {
  it("come all together, also beside operations", async () => {
    const work = await editing();
    const answer = await work.call("apply_workspace_edit", {
      files: [
        { ...outOfRange },
        { path: "b.fake", operation: "create", text: "x" },
        { path: "none.fake", operation: "delete" },
      ],
    });
    expect(reasonsOf(answer).toSorted()).toEqual([
      "a.fake edit/out-of-range",
      "b.fake edit/exists",
      "none.fake edit/missing",
    ]);
  });

  it("do not blame what only follows from an operation that is refused", async () => {
    const uri = "file:///work/none.fake";
    const work = await editing({
      replies: {
        "textDocument/rename": {
          documentChanges: [
            { kind: "rename", oldUri: "file:///elsewhere/x.fake", newUri: uri },
            { kind: "delete", uri },
            {
              textDocument: { uri: "file:///work/a.fake", version: null },
              edits: [{ range: range(9, 0, 0), newText: "x" }],
            },
          ],
        },
      },
    });
    const reasons = reasonsOf(await work.call("rename_symbol", greet));
    expect(reasons).toContain("a.fake edit/out-of-range");
    expect(reasons.filter((reason) => reason.includes("none.fake"))).toEqual([]);
    expect(reasons).toHaveLength(2);
  });
});

it("a preview counts what applying it counts", async () => {
  const operations: JsonObject[] = [
    { path: "a.fake", operation: "create", text: "new\n", overwrite: true },
    { path: "a.fake", operation: "rename", new_path: "b.fake", overwrite: true },
    { path: "c.fake", operation: "create", text: "new\n" },
    { path: "a.fake", operation: "delete" },
  ];
  for (const operation of operations) {
    const work = await editing();
    const shown = await work.call("apply_workspace_edit", { files: [operation] });
    const done = await work.call("apply_workspace_edit", { files: [operation], dry_run: false });
    expect(done.structured.status).toBe("applied");
    expect([operation, shown.structured.summary]).toEqual([operation, done.structured.summary]);
  }
});

it("moved and deleted files are reported with their effect on errors, or why it is unknown", async () => {
  const tools = ["delete_file", "rename_file", "get_hover"];
  const work = await editing({
    files: { ...files, "a.fake": "bad\n" },
    tools,
    capabilities: { hoverProvider: true },
  });
  const why = expect.stringContaining("only on files that were opened");
  const moved = await work.call("rename_file", {
    old_path: "b.fake",
    new_path: "c.fake",
    dry_run: false,
  });
  expect(moved.structured.diagnostics).toMatchObject({ status: "unknown", why, introduced: [] });
  const deleted = await work.call("delete_file", { file_path: "a.fake", dry_run: false });
  expect(deleted.structured.diagnostics).toMatchObject({
    status: "unknown",
    why,
    resolved: [{ path: "a.fake", message: "found bad" }],
    errors: [],
  });
  expect(deleted.text).toContain("1 resolved; not all is known");
});

it("every error of a created file is introduced", async () => {
  const work = await editing({ tools: ["create_file", "get_hover"], capabilities: { hoverProvider: true } });
  await work.call("get_hover", { file_path: "a.fake", line: 1, character: 10 });
  const created = await work.call("create_file", { file_path: "c.fake", content: "bad\n", dry_run: false });
  expect(created.structured.diagnostics).toMatchObject({
    introduced: [{ path: "c.fake", message: "found bad" }],
    errors: [{ path: "c.fake", message: "found bad" }],
  });
  expect(created.text).toContain("Errors: 1 introduced, 0 resolved");
});

const greetBody = { file_path: "a.fake", symbol_name: "greet", body: "function greet(x) {}", dry_run: false };

it("an edit of a declaration counts the errors of files that use it and are not open", async () => {
  const about = (file: string, message: string): JsonObject => ({
    notify: "textDocument/publishDiagnostics",
    params: { uri: `file:///work/${file}`, diagnostics: [{ range: range(0, 0, 5), message, severity: 1 }] },
  });
  const work = await editing({
    tools: ["replace_symbol_body"],
    capabilities: { referencesProvider: true },
    replies: {
      "textDocument/references": [
        { uri: "file:///work/b.fake", range: range(0, 0, 5) },
        { uri: "file:///elsewhere/c.fake", range: range(0, 0, 5) },
      ],
    },
    scenario: {
      on: { "textDocument/didChange": [about("a.fake", "in a"), about("b.fake", "in b")] },
    },
  });
  const { structured } = await work.call("replace_symbol_body", greetBody);
  expect(structured.diagnostics).toMatchObject({
    status: "unknown",
    why: expect.stringContaining("only on files that were opened"),
    introduced: [
      { path: "a.fake", message: "in a" },
      { path: "b.fake", message: "in b" },
    ],
  });
  const opened = await work.received("textDocument/didOpen");
  expect(opened.map(({ textDocument }) => (textDocument as JsonObject).uri)).toContain(work.uri("b.fake"));
});

it("what an edit did to errors is known where the server reports on all files", async () => {
  const work = await editing({
    tools: ["replace_symbol_body"],
    capabilities: {
      referencesProvider: true,
      diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: true },
    },
    replies: {
      "textDocument/diagnostic": { kind: "full", items: [] },
      "workspace/diagnostic": { items: [] },
    },
    scenario: { on: { "textDocument/didOpen": [], "textDocument/didChange": [] } },
  });
  const { structured } = await work.call("replace_symbol_body", greetBody);
  expect(structured.diagnostics).toMatchObject({ status: "known", introduced: [] });
  expect(await work.received("textDocument/references")).toEqual([]);
});

it("an edit in a process of its own starts the servers that report its effect on errors", async () => {
  const edits = [{ line: 1, character: 1, end_line: 1, end_character: 1, new_text: "bad " }];
  const call = { files: [{ path: "a.fake", edits }], dry_run: false };
  const options = { signal: new AbortController().signal };
  const work = await editing();
  const { structured } = await work.runtime
    .openSession({ savesPreviews: true })
    .call("apply_workspace_edit", call, options);
  expect(structured.diagnostics).toMatchObject({ introduced: [{ path: "a.fake", message: "found bad" }] });
});

it("an edit whose command fails is not reported as complete", async () => {
  const action = {
    ...{ title: "Run", kind: "refactor", command: { title: "Run", command: "fake.run" } },
    edit: { changes: { "file:///work/b.fake": [{ range: range(0, 0, 5), newText: "hello" }] } },
  };
  const work = await editing({
    replies: { "textDocument/codeAction": [action], "codeAction/resolve": action },
    scenario: { on: { "workspace/executeCommand": [{ error: { code: -32000, message: "broken" } }] } },
    tools: ["apply_code_action"],
    server: { execute_commands: ["fake.run"] },
    config: { allow: { commands: [process.execPath], effects: ["read", "edit", "command"] } },
  });
  const here = { file_path: "a.fake", line: 1 };
  const { structured } = await work.call("apply_code_action", here);
  const [first] = structured.actions as JsonObject[];
  const call = { ...here, action_id: first?.id ?? "", dry_run: false };
  const answer = await work.call("apply_code_action", call);
  expect(answer.structured).toMatchObject({
    status: "applied",
    command_failed: expect.stringContaining("broken"),
  });
  expect(answer.text).toContain("the edits listed here are done, the command failed");
  expect(answer.text).not.toContain("all of it is done");
  expect(read(work, "b.fake")).toBe("hello();\n");
});

it("a file of another user is edited with a warning", async () => {
  const work = await editing();
  const call = {
    files: [
      { path: "a.fake", edits: [{ line: 1, character: 1, end_line: 1, end_character: 1, new_text: "x" }] },
    ],
  };
  expect(warningsOf(await work.call("apply_workspace_edit", call))).not.toContain("answer/owner-lost");
  vi.spyOn(process, "geteuid").mockReturnValue(54_321);
  for (const dry_run of [true, false])
    expect(warningsOf(await work.call("apply_workspace_edit", { ...call, dry_run }))).toContain(
      "answer/owner-lost",
    );
});

it("copies are shown before they are made, and never take the place of another file", async () => {
  const tool = {
    ...{ name: "rename_with_copies", effect: "edit", input: "position" },
    args: { new_name: { type: "string", description: "new" } },
    output: { shape: "workspace_edit", apply: "on_request", backups: { create: true, suffix: ".old" } },
    request: { method: "textDocument/rename", params: "text_document_position" },
  };
  const work = await editing({
    replies: {
      "textDocument/rename": {
        changes: { "file:///work/a.fake": [{ range: range(0, 9, 10), newText: "G" }] },
      },
    },
    tools: ["rename_with_copies"],
    config: { tools: [tool] },
  });
  const call = { file_path: "a.fake", line: 1, character: 10, new_name: "G" };
  const shown = await work.call("rename_with_copies", call);
  expect(shown.structured).toMatchObject({ status: "preview", backups: ["a.fake.old"] });
  expect(shown.text).toContain("Copies, made when it is applied: a.fake.old");

  writeFileSync(join(work.folder, "a.fake.old"), "mine\n");
  const refused = await work.call("rename_with_copies", { ...call, dry_run: false });
  expect([codeOf(refused), read(work, "a.fake")]).toEqual(["edit/exists", files["a.fake"]]);
  expect(read(work, "a.fake.old")).toBe("mine\n");
});
