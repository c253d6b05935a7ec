/** The edits of the profile `codeflow`, its questions and its errors, against a scripted server and real files. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import type { JsonObject } from "../../src/base/json.js";
import type { Scenario } from "../fake-server/index.js";
import { range } from "../runtime/test-workspace.js";
import { openProfile, type Scripted } from "./scripted.js";

let codeflow: Scripted;
afterEach(() => codeflow?.close());

const symbol = (name: string, line: number, container?: string) => ({
  ...{ name, kind: 12, range: range(line, 0, 5), selectionRange: range(line, 0, 5) },
  ...(container === undefined ? {} : { detail: container }),
});

async function open(config: JsonObject = {}, on: Scenario["on"] = {}): Promise<void> {
  codeflow = await openProfile(
    "codeflow",
    { "a.fake": "first\nfirst\nlast\n", "b.fake": "other\n" },
    {
      capabilities: {
        definitionProvider: true,
        documentSymbolProvider: true,
        hoverProvider: true,
        referencesProvider: true,
        renameProvider: true,
      },
      replies: {
        "textDocument/documentSymbol": [symbol("first", 0), symbol("first", 1), symbol("last", 2)],
        "textDocument/definition": [],
      },
      on: { "textDocument/hover": [{ error: { code: -32042, message: "no hover today" } }], ...on },
    },
    { allow: { commands: [process.execPath], effects: ["read", "edit"] }, ...config },
  );
}

const json = async (tool: string, args: JsonObject): Promise<JsonObject> => {
  const blocks = await codeflow.texts(tool, args);
  expect(blocks).toHaveLength(1);
  return JSON.parse(blocks[0] ?? "") as JsonObject;
};
const path = (name: string) => join(codeflow.work.folder, name);
const text = (name: string) => readFileSync(path(name), "utf8");
const edit = (line: number, newText: string) => ({ range: range(line, 0, 5), newText });

describe("a question", () => {
  it.each<[string, JsonObject]>([
    ["find_definition", {}],
    ["get_hover", {}],
    ["rename_symbol", { new_name: "next" }],
  ])("of %s is JSON like all other answers", async (tool, more) => {
    await open();
    const answer = await json(tool, { file_path: "a.fake", symbol_name: "first", ...more });
    expect(answer).toMatchObject({
      ok: true,
      needs_disambiguation: true,
      candidates: [
        { name: "first", path: "a.fake", line: 1, character: 0 },
        { name: "first", path: "a.fake", line: 2, character: 0 },
      ],
    });
  });
});

it("an error of the server has the server's own code", async () => {
  await open();
  const result = await codeflow.texts("get_hover", { file_path: "a.fake", symbol_name: "last" });
  expect(result).toEqual([expect.stringMatching(/^LSP Error \(-32042\): .*no hover today/)]);
});

describe("a batch with edits", () => {
  const create = (name: string) => ({
    tool: "create_file",
    args: { file_path: name, content: "new\n", dry_run: false },
  });
  const change = {
    tool: "apply_workspace_edit",
    args: { changes: { "a.fake": [edit(0, "FIRST")] }, dry_run: false },
  };
  const failing = { tool: "delete_file", args: { file_path: "none.fake", dry_run: false } };

  it("calls them only where the config allows edits", async () => {
    await open({ allow: { commands: [process.execPath] } });
    const [refused] = await codeflow.texts("batch_execute", { operations: [create("new.fake")] });
    expect(refused).toMatch(/^LSP Error \(-32602\): /);
    const { tools } = codeflow.work.runtime;
    expect(tools.find(({ name }) => name === "batch_execute")?.annotations?.readOnlyHint).toBe(true);
  });

  it("applies them one by one, and without atomic keeps those before a failure", async () => {
    await open();
    const { tools } = codeflow.work.runtime;
    expect(tools.find(({ name }) => name === "batch_execute")?.annotations?.readOnlyHint).toBe(false);
    const answer = await json("batch_execute", { operations: [create("new.fake"), change, failing] });
    expect(answer).toMatchObject({ successful: 2, failed: 1 });
    expect([text("new.fake"), text("a.fake")]).toEqual(["new\n", "FIRST\nfirst\nlast\n"]);
  });

  it.each([false, true])("with atomic does all or nothing, parallel %s", async (parallel) => {
    await open();
    const options = { atomic: true, parallel };
    const operations = [create("new.fake"), change, failing, create("late.fake")];
    const answer = await json("batch_execute", { operations, options });
    expect(answer).toMatchObject({ successful: 0, failed: 3, skipped: 1, warnings: [] });
    const undone = "Undone: operation 2 was not done, and the batch is atomic.";
    expect(answer.results).toMatchObject([
      { success: false, error: undone },
      { success: false, error: undone },
      { success: false, error: expect.stringContaining("none.fake") },
      { success: false, error: expect.stringMatching(/^Skipped/) },
    ]);
    expect([existsSync(path("new.fake")), existsSync(path("late.fake"))]).toEqual([false, false]);
    expect(text("a.fake")).toBe("first\nfirst\nlast\n");
    const done = await json("batch_execute", { operations: operations.toSpliced(2, 1), options });
    expect(done).toMatchObject({ successful: 3, failed: 0 });
    expect(existsSync(path("late.fake"))).toBe(true);
  });

  it("with atomic undoes where an operation asks which symbol is meant", async () => {
    await open();
    const args = { file_path: "a.fake", symbol_name: "first", new_name: "x", dry_run: false };
    const answer = await json("batch_execute", {
      operations: [create("new.fake"), { tool: "rename_symbol", args }],
      options: { atomic: true },
    });
    expect((answer.results as JsonObject[])[0]).toMatchObject({ success: false });
    expect(existsSync(path("new.fake"))).toBe(false);
  });

  it("with atomic undoes an edit when the client cancels the call", async () => {
    await open({}, { "textDocument/definition": [{ never: true }] });
    const cancel = new AbortController();
    const where = { tool: "find_definition", args: { file_path: "a.fake", symbol_name: "last" } };
    const operations = [create("new.fake"), where];
    const call = codeflow.work.call(
      "batch_execute",
      { operations, options: { atomic: true } },
      cancel.signal,
    );
    // Then the operation before is done, not only its file there.
    await expect.poll(() => codeflow.work.received("textDocument/definition")).toHaveLength(1);
    expect(existsSync(path("new.fake"))).toBe(true);
    cancel.abort();
    expect((await call).isError).toBe(true);
    expect(existsSync(path("new.fake"))).toBe(false);
  });

  it("says what it cannot undo, because another program changed the file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "go-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const go = join(folder, "go");
    await open({}, { "textDocument/definition": [{ waitFile: go }] });
    const where = { tool: "find_definition", args: { file_path: "a.fake", symbol_name: "last" } };
    const operations = [create("new.fake"), where, failing];
    const pending = json("batch_execute", { operations, options: { atomic: true } });
    // Then the operation before is done, not only its file there.
    await expect.poll(() => codeflow.work.received("textDocument/definition")).toHaveLength(1);
    expect(existsSync(path("new.fake"))).toBe(true);
    writeFileSync(path("new.fake"), "mine\n");
    writeFileSync(go, "");
    const answer = await pending;
    const [first, second] = answer.results as JsonObject[];
    expect(first).toMatchObject({ success: false, error: expect.stringContaining("could not be undone") });
    expect(second).toMatchObject({ success: true });
    expect(answer.warnings).toContainEqual(expect.objectContaining({ code: "answer/not-undone" }));
    expect(text("new.fake")).toBe("mine\n");
  });

  it("refuses to undo within an atomic batch", async () => {
    await open();
    const operations = [create("new.fake"), { tool: "undo_edit", args: {} }];
    const [refused] = await codeflow.texts("batch_execute", { operations, options: { atomic: true } });
    expect(refused).toMatch(/^LSP Error \(-32602\): An atomic batch cannot undo/);
    expect(existsSync(path("new.fake"))).toBe(false);
  });

  it("with dry_run only previews", async () => {
    await open();
    const answer = await json("batch_execute", {
      operations: [create("new.fake"), change],
      options: { dry_run: true },
    });
    expect(answer.results).toMatchObject([
      { success: true, result: { status: "preview", edit_token: expect.any(String) } },
      { success: true, result: { status: "preview", applied: false } },
    ]);
    expect(existsSync(path("new.fake"))).toBe(false);
    expect(text("a.fake")).toBe("first\nfirst\nlast\n");
  });
});

describe("apply_workspace_edit", () => {
  const uri = (name: string) => codeflow.work.uri(name);

  it("applies documentChanges in order, files and texts, and says that it did", async () => {
    await open();
    const documentChanges: JsonObject[] = [
      { kind: "create", uri: uri("new.fake") },
      { textDocument: { uri: uri("new.fake"), version: null }, edits: [edit(0, "text\n")].map(atStart) },
      { textDocument: { uri: uri("a.fake") }, edits: [edit(2, "LAST")] },
      { kind: "rename", oldUri: uri("b.fake"), newUri: uri("c.fake") },
      { kind: "delete", uri: uri("gone.fake"), options: { ignoreIfNotExists: true } },
    ];
    const preview = await json("apply_workspace_edit", { documentChanges });
    expect(preview).toMatchObject({ status: "preview", applied: false });
    const answer = await json("apply_workspace_edit", { documentChanges, dry_run: false });
    expect(answer).toMatchObject({ status: "applied", applied: true });
    expect(answer).not.toHaveProperty("failureReason");
    expect([text("new.fake"), text("c.fake")]).toEqual(["text\n", "other\n"]);
    expect(text("a.fake")).toBe("first\nfirst\nLAST\n");
    expect(existsSync(path("b.fake"))).toBe(false);
  });

  it("takes changes and documentChanges together", async () => {
    await open();
    const answer = await json("apply_workspace_edit", {
      documentChanges: [{ textDocument: { uri: uri("a.fake") }, edits: [edit(0, "ONE")] }],
      changes: { "b.fake": [edit(0, "TWO")] },
      dry_run: false,
    });
    expect(answer).toMatchObject({ applied: true, summary: { files: 2, edits: 2 } });
    expect([text("a.fake"), text("b.fake")]).toEqual(["ONE\nfirst\nlast\n", "TWO\n"]);
  });

  it("says why nothing was applied", async () => {
    await open();
    const documentChanges: JsonObject[] = [
      { textDocument: { uri: uri("a.fake") }, edits: [edit(0, "ONE")] },
      { textDocument: { uri: uri("b.fake") }, edits: [edit(99, "TWO")] },
    ];
    const answer = await json("apply_workspace_edit", { documentChanges, dry_run: false });
    expect(answer).toMatchObject({
      ok: false,
      applied: false,
      failureReason: expect.stringContaining("b.fake"),
    });
    expect(text("a.fake")).toBe("first\nfirst\nlast\n");
  });

  it.each(["file:///etc/passwd", "../out.fake", ".git/config"])("leaves %s alone", async (name) => {
    await open();
    for (const documentChanges of [
      [{ textDocument: { uri: name }, edits: [edit(0, "x")] }],
      [{ kind: "create", uri: name, options: { overwrite: true } }],
      [{ kind: "rename", oldUri: uri("a.fake"), newUri: name, options: { overwrite: true } }],
      [{ kind: "delete", uri: name }],
    ]) {
      const [refused] = await codeflow.texts("apply_workspace_edit", { documentChanges, dry_run: false });
      expect(refused).toMatch(/^LSP Error|"applied": false/);
    }
    expect(text("a.fake")).toBe("first\nfirst\nlast\n");
  });

  it("refuses what is no change of LSP", async () => {
    await open();
    const wrong: JsonObject[] = [{ kind: "move", uri: "a.fake" }, { uri: "a.fake" }, { kind: "create" }];
    for (const change of wrong) {
      const [refused] = await codeflow.texts("apply_workspace_edit", { documentChanges: [change] });
      expect(refused).toMatch(/^LSP Error \(-32602\): /);
    }
  });
});

/** The same edit as an insertion at the start of its line. */
function atStart({ newText }: ReturnType<typeof edit>) {
  return { range: range(0, 0, 0), newText };
}
