/** Edit tools of the compatibility profiles: their names and arguments, our rules. */
import { expect, it } from "vitest";
import { sha256 } from "../../../src/base/hash.js";
import type { JsonObject } from "../../../src/base/json.js";
import { range } from "../test-workspace.js";
import { editing, files, filesOf, read, renameBoth } from "./support.js";

const profile = (context: string, tools: string[]): JsonObject => ({
  extends: [],
  mcp: { context, tools: { allow: tools } },
});

it("lspi renames by name with its hashes and copies", async () => {
  const work = await editing({
    replies: { "textDocument/rename": renameBoth },
    config: profile("lspi", ["rename_symbol", "rename_symbol_strict"]),
  });
  const call = { file_path: "a.fake", symbol_name: "greet", new_name: "hello" };
  const preview = await work.call("rename_symbol", call);
  const expected = Object.fromEntries(
    filesOf(preview).map((file) => [file.file_path, file.before_sha256]),
  ) as JsonObject;
  expect(expected).toEqual({ "a.fake": sha256(files["a.fake"]), "b.fake": sha256(files["b.fake"]) });
  const more = { dry_run: false, expected_before_sha256: expected, backup_suffix: ".old" };
  const applied = await work.call("rename_symbol", { ...call, ...more });
  expect(applied.structured).toMatchObject({ status: "applied", backups: ["a.fake.old", "b.fake.old"] });
  expect(read(work, "a.fake.old")).toBe(files["a.fake"]);
  expect(read(work, "a.fake")).toBe("function hello() {}\n");
  const strict = { file_path: "b.fake", line: 1, character: 1, new_name: "hi", create_backups: false };
  expect((await work.call("rename_symbol_strict", strict)).structured).toMatchObject({
    status: "unchanged",
  });
  expect(await work.received("textDocument/rename")).toHaveLength(3);
});

it("codeflow renames, moves, creates, deletes and edits with its arguments, and shows a preview first", async () => {
  const tools = ["rename_symbol", "rename_symbol_strict", "format_document", "create_file", "delete_file"];
  const work = await editing({
    replies: {
      "textDocument/rename": renameBoth,
      "textDocument/formatting": [{ range: range(0, 0, 0), newText: "\n" }],
    },
    config: profile("codeflow", [...tools, "rename_file", "apply_workspace_edit", "undo_edit"]),
  });
  const done = async (tool: string, args: JsonObject) => {
    expect((await work.call(tool, args)).structured).toMatchObject({ status: "preview" });
    return (await work.call(tool, { ...args, dry_run: false })).structured;
  };
  const applied = { status: "applied" };
  expect(
    await done("rename_symbol", { file_path: "a.fake", symbol_name: "greet", new_name: "hello" }),
  ).toMatchObject(applied);
  expect(read(work, "b.fake")).toBe("hello();\n");
  expect(await done("create_file", { file_path: "n.fake", content: "n\n" })).toMatchObject(applied);
  expect(await done("rename_file", { old_path: "n.fake", new_path: "m.fake" })).toMatchObject(applied);
  const changes = { "m.fake": [{ range: range(0, 0, 1), newText: "edited" }] };
  expect(await done("apply_workspace_edit", { changes, validate_before_apply: true })).toMatchObject(applied);
  expect(read(work, "m.fake")).toBe("edited\n");
  const removed = await done("delete_file", { file_path: "m.fake", force: false });
  expect(removed).toMatchObject(applied);
  expect(read(work, "m.fake")).toBeUndefined();
  await work.call("undo_edit", { undo_token: removed.undo_token ?? "", dry_run: false });
  expect(read(work, "m.fake")).toBe("edited\n");
  expect(await done("format_document", { file_path: "b.fake", options: { tab_size: 2 } })).toMatchObject(
    applied,
  );
  expect(await work.received("textDocument/formatting")).toMatchObject([
    { options: { tabSize: 2, insertSpaces: true } },
    { options: { tabSize: 2 } },
  ]);
  const nowhere = { file_path: "b.fake", new_name: "x" };
  expect((await work.call("rename_symbol_strict", nowhere)).isError).toBe(true);
});
