/** Edits that may be incomplete or not intended are shown with a warning or refused, never applied without a preview. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { JsonObject } from "../../../src/base/json.js";
import { filesIn } from "../../../src/runtime/edits/file-edits.js";
import { openTestWorkspace, range } from "../test-workspace.js";
import { codeOf, editing, files, greet, read, reasonsOf, renameBoth, warningsOf } from "./support.js";

const replies = { "textDocument/rename": renameBoth };

it("an edit right after files changed is applied only after a preview, which says so", async () => {
  const work = await editing({ replies });
  expect(warningsOf(await work.call("rename_symbol", greet))).not.toContain("answer/files-changed");
  writeFileSync(join(work.folder, "c.fake"), "greet();\n");
  const blind = await work.call("rename_symbol", { ...greet, dry_run: false });
  expect(codeOf(blind)).toBe("edit/not-seen");
  expect(read(work, "b.fake")).toBe(files["b.fake"]);
  const preview = await work.call("rename_symbol", greet);
  expect(warningsOf(preview)).toContain("answer/files-changed");
  const token = { edit_token: preview.structured.edit_token ?? "", dry_run: false };
  const applied = await work.call("rename_symbol", { ...greet, ...token });
  expect(applied.structured).toMatchObject({ status: "applied" });
});

it("a version of a file that the server was never given is refused", async () => {
  const edits = [{ range: range(0, 0, 5), newText: "hello" }];
  const textDocument = { uri: "file:///work/b.fake", version: 99 };
  const work = await editing({
    replies: { "textDocument/rename": { documentChanges: [{ textDocument, edits }] } },
  });
  const answer = await work.call("rename_symbol", { ...greet, dry_run: false });
  expect(codeOf(answer)).toBe("edit/changed");
});

it.each([" ", "two words", "two\nlines", " led"])("the new name %j is refused", async (name) => {
  const work = await editing({ replies });
  const answer = await work.call("rename_symbol", { ...greet, new_name: name, dry_run: false });
  expect(codeOf(answer)).toBe("guard/invalid-arguments");
  expect(await work.received("textDocument/rename")).toEqual([]);
});

it.each([
  ["typescript", "1bad", "is not an identifier"],
  ["typescript", "a-b", "is not an identifier"],
  ["python", "class", "is a reserved word"],
  ["go", "a.b", "is not an identifier"],
])("in %s the new name %s is refused", async (languageId, name, why) => {
  const work = await editing({ replies, server: { language_id: languageId } });
  const answer = await work.call("rename_symbol", { ...greet, new_name: name });
  expect(codeOf(answer)).toBe("guard/invalid-arguments");
  expect(answer.text).toContain(`${name} ${why}`);
  expect(await work.received("textDocument/rename")).toEqual([]);
});

it.each([
  ["typescript", "#hidden"],
  ["typescript", "größe2"],
  ["rust", "r#type"],
  ["scheme", "list->vector!"],
  ["plaintext", "1bad"],
])("in %s the new name %s is allowed", async (languageId, name) => {
  const work = await editing({ replies, server: { language_id: languageId } });
  const { structured } = await work.call("rename_symbol", { ...greet, new_name: name });
  expect(structured).toMatchObject({ status: "preview", warnings: [] });
});

it("a part of a string is renamed to any text without white space", async () => {
  const work = await editing({
    replies,
    files: { "a.fake": 'function "greet"() {}\n', "b.fake": "greet();\n" },
    server: { language_id: "typescript" },
  });
  const answer = await work.call("rename_symbol", { ...greet, character: 11, new_name: "content-type" });
  expect(answer.structured).toMatchObject({ ok: true, status: "preview" });
});

it("a reserved word of TypeScript, which a member may be called, is a warning", async () => {
  const work = await editing({ replies, server: { language_id: "typescript" } });
  const answer = await work.call("rename_symbol", { ...greet, new_name: "delete" });
  expect([answer.structured.status, warningsOf(answer)]).toEqual(["preview", ["answer/reserved-name"]]);
});

it("an edit that leaves every text as it is changes nothing, and counts no edit", async () => {
  const changes = { "file:///work/a.fake": [{ range: range(0, 9, 14), newText: "greet" }] };
  const work = await editing({ replies: { "textDocument/rename": { changes } } });
  const answer = await work.call("rename_symbol", { ...greet, new_name: "greet" });
  expect(answer.structured).toMatchObject({
    status: "unchanged",
    summary: { files: 0, edits: 0, operations: 0 },
  });
  expect(answer.text).toContain("Status: unchanged (there is nothing to change");
});

it("members of a written edit that would have no effect are refused", async () => {
  const work = await editing({});
  const entries: JsonObject[] = [
    { path: "a.fake", text: "new" },
    { path: "a.fake" },
    { path: "a.fake", operation: "delete", text: "new" },
    { path: "a.fake", operation: "create", new_path: "c.fake" },
    { path: "a.fake", operation: "rename", new_path: "c.fake", recursive: true },
  ];
  for (const entry of entries) {
    const answer = await work.call("apply_workspace_edit", { files: [entry], dry_run: false });
    expect(codeOf(answer)).toBe("guard/invalid-arguments");
  }
  expect(read(work, "a.fake")).toBe(files["a.fake"]);
});

it("an edit by a server that may not know the whole project says so, and is applied only after a preview", async () => {
  const edit = { changes: { "file:///work/a.fake": [{ range: range(0, 9, 14), newText: "hello" }] } };
  const lacking = await editing({
    replies: { "textDocument/rename": edit },
    server: { project_files: ["project.json"] },
  });
  expect(warningsOf(await lacking.call("rename_symbol", greet))).toContain("answer/no-project");
  const unseen = await lacking.call("rename_symbol", { ...greet, dry_run: false });
  expect(codeOf(unseen)).toBe("edit/not-seen");
  const { structured } = await lacking.call("rename_symbol", greet);
  const token = { dry_run: false, edit_token: structured.edit_token ?? "" };
  const done = await lacking.call("rename_symbol", { ...greet, ...token });
  expect(done.structured).toMatchObject({ status: "applied", diagnostics: { status: "unknown" } });
  const known = await editing({
    files: { ...files, "build/project.json": "" },
    replies: { "textDocument/rename": edit },
    server: { project_files: ["project.json", "build/project.json"] },
  });
  const applied = await known.call("rename_symbol", { ...greet, dry_run: false });
  expect([applied.structured.status, warningsOf(applied)]).toEqual(["applied", ["answer/name-elsewhere"]]);
});

it("an edit of a command that needs confirmation is not made, and the server gets that reply", async () => {
  const action = { title: "Run", kind: "refactor", command: { title: "Run", command: "fake.run" } };
  const edits = [{ range: range(0, 0, 5), newText: "hello", annotationId: "why" }];
  const edit = {
    changeAnnotations: { why: { label: "Sure?", needsConfirmation: true } },
    documentChanges: [{ textDocument: { uri: "file:///work/b.fake", version: null }, edits }],
  };
  const work = await editing({
    replies: { "textDocument/codeAction": [action], "codeAction/resolve": action },
    scenario: {
      on: {
        "workspace/executeCommand": [{ request: "workspace/applyEdit", params: { edit } }, { reply: null }],
      },
    },
    tools: ["apply_code_action"],
    server: { execute_commands: ["fake.run"] },
    config: { allow: { commands: [process.execPath], effects: ["read", "edit", "command"] } },
  });
  const here = { file_path: "a.fake", line: 1 };
  const { structured } = await work.call("apply_code_action", here);
  const [first] = structured.actions as JsonObject[];
  const call = { ...here, action_id: first?.id ?? "", dry_run: false };
  const answer = await work.call("apply_code_action", call);
  expect(warningsOf(answer)).toContain("answer/edit-incomplete");
  expect(read(work, "b.fake")).toBe(files["b.fake"]);
});

it("two servers' edits of one file are made together, the same ones once, and overlapping ones refused", async () => {
  const filters = [{ pattern: { glob: "**/*.fake" } }];
  const uri = "file:///work/b.fake";
  const same = { range: range(0, 0, 1), newText: "G" };
  const server = (newText: string, start: number, end: number, priority = 1) => ({
    config: { priority },
    scenario: {
      capabilities: { workspace: { fileOperations: { willRename: { filters } } } },
      replies: {
        "workspace/willRenameFiles": { changes: { [uri]: [same, { range: range(0, start, end), newText }] } },
      },
    },
  });
  const open = (second: ReturnType<typeof server>) =>
    openTestWorkspace({
      files,
      servers: { one: server("(1", 5, 6, 2), two: second },
      config: {
        extends: ["tools/core", "tools/writing", "tools/edit"],
        allow: { commands: [process.execPath], effects: ["read", "edit"] },
        mcp: { tools: { allow: ["rename_file"] } },
      },
    });
  const call = { old_path: "a.fake", new_path: "c.fake" };
  const apart = await open(server("2)", 6, 7));
  const over = await open(server("x", 4, 6));
  try {
    const preview = await apart.call("rename_file", call);
    expect(preview.structured).toMatchObject({ summary: { files: 1, edits: 3 } });
    const token = { edit_token: preview.structured.edit_token ?? "", dry_run: false };
    await apart.call("rename_file", { ...call, ...token });
    expect(read(apart, "b.fake")).toBe("Greet(12);\n");
    expect(reasonsOf(await over.call("rename_file", call)).join()).toContain("b.fake");
  } finally {
    await apart.close();
    await over.close();
  }
});

it("the walk of a folder gives as many files as one edit may have", async () => {
  const folder = mkdtempSync(join(tmpdir(), "folder-"));
  try {
    mkdirSync(join(folder, "in"));
    for (let index = 0; index < 2500; index++) writeFileSync(join(folder, "in", `${index}.fake`), "");
    let seen = 0;
    for await (const file of filesIn(folder)) if (file.endsWith(".fake")) seen++;
    expect(seen).toBe(2500);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
