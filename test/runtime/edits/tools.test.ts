/** The other edit tools: actions, formatting, files, symbols, written edits; and who may call them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/base/hash.js";
import type { JsonObject } from "../../../src/base/json.js";
import type { Scenario } from "../../fake-server/index.js";
import { range } from "../test-workspace.js";
import { codeOf, editing, files, filesOf, read, reasonsOf, renameBoth, warningsOf } from "./support.js";

describe("code actions", () => {
  const fix = { title: "Fix it", kind: "quickfix", data: 1 };
  const other = { title: "Other", kind: "refactor", edit: { changes: {} } };
  const replies = {
    "textDocument/codeAction": [other, fix],
    "codeAction/resolve": { ...fix, edit: renameBoth },
  };
  const here = { file_path: "a.fake", line: 1 };
  const actionTools = ["get_code_actions", "apply_code_action"];

  it("are chosen by the id of the list, shown, then applied", async () => {
    const work = await editing({ replies, tools: actionTools });
    const { structured } = await work.call("get_code_actions", here);
    const [first] = (structured.actions as JsonObject[]).filter(({ title }) => title === "Fix it");
    const call = { ...here, action_id: first?.id ?? "" };
    const preview = await work.call("apply_code_action", call);
    expect(preview.structured).toMatchObject({ status: "preview", summary: { files: 2, edits: 2 } });
    const token = { edit_token: preview.structured.edit_token ?? "", dry_run: false };
    const applied = await work.call("apply_code_action", { ...call, ...token });
    expect(applied.structured).toMatchObject({ status: "applied", summary: { files: 2, edits: 2 } });
    expect(read(work, "b.fake")).toBe("hello();\n");
  });

  it("without an id are listed as get_code_actions lists them", async () => {
    const work = await editing({ replies, tools: actionTools });
    const { structured } = await work.call("get_code_actions", here);
    const answer = await work.call("apply_code_action", { ...here, dry_run: false });
    expect(answer.structured).toMatchObject({ status: "choose", actions: structured.actions });
    expect(answer.text).toMatch(/^apply_code_action: 2 actions to choose from \(server /);
    expect(answer.text).toContain("Status: choose (nothing is changed; call again with the id of an action)");
    expect(answer.text).toContain("Fix it");
    expect(read(work, "b.fake")).toBe(files["b.fake"]);
  });

  it.each([
    ["there are none", [], "there is no action to choose at this place"],
    [
      "all are disabled",
      [{ title: "No", disabled: { reason: "not here" } }],
      "every action at this place is disabled",
    ],
  ])("ask for no id where %s", async (_case, actions, words) => {
    const work = await editing({ replies: { "textDocument/codeAction": actions }, tools: actionTools });
    const { structured, text } = await work.call("apply_code_action", here);
    expect(structured).toMatchObject({ ok: true, status: "choose" });
    expect(text).toContain(`Status: choose (nothing is changed; ${words})`);
    expect(text).not.toContain("call again");
  });

  it("with an unknown id are answered with those on offer", async () => {
    const work = await editing({ replies, tools: actionTools });
    const answer = await work.call("apply_code_action", { ...here, action_id: "none" });
    expect(codeOf(answer)).toBe("edit/no-action");
    const { data } = answer.structured.error as { data: { actions: JsonObject[] } };
    expect(data.actions.map(({ title }) => title)).toEqual(["Fix it", "Other"]);
  });

  it("that are disabled are refused", async () => {
    const disabled = { title: "No", disabled: { reason: "not here" } };
    const work = await editing({
      replies: { "textDocument/codeAction": [disabled] },
      tools: actionTools,
    });
    const { structured } = await work.call("get_code_actions", here);
    const [only] = structured.actions as JsonObject[];
    const answer = await work.call("apply_code_action", { ...here, action_id: only?.id ?? "" });
    expect(codeOf(answer)).toBe("edit/no-action");
  });

  describe("that run a command", () => {
    const action = {
      title: "Run",
      kind: "refactor",
      command: { title: "Run", command: "fake.run", arguments: [1] },
    };
    const scenario: Partial<Scenario> = {
      on: {
        "workspace/executeCommand": [
          { request: "workspace/applyEdit", params: { edit: renameBoth } },
          { reply: null },
        ],
      },
    };
    const commanding = (effects: string[], execute: string[]) =>
      editing({
        replies: { "textDocument/codeAction": [action], "codeAction/resolve": action },
        scenario,
        tools: actionTools,
        server: { execute_commands: execute },
        config: { allow: { commands: [process.execPath], effects } },
      });
    const idIn = async (work: Awaited<ReturnType<typeof commanding>>) => {
      const { structured } = await work.call("get_code_actions", here);
      return ((structured.actions as JsonObject[])[0]?.id ?? "") as string;
    };

    it.each([
      [["read", "edit"], ["fake.run"]],
      [["read", "edit", "command"], []],
    ])("are refused with the effects %j and the commands %j", async (effects, execute) => {
      const work = await commanding(effects, execute);
      const call = { ...here, action_id: await idIn(work), dry_run: false };
      expect(codeOf(await work.call("apply_code_action", call))).toBe("edit/command-not-allowed");
      // It is not offered for a choice either.
      const listed = await work.call("apply_code_action", here);
      expect(listed.structured).toMatchObject({ status: "choose", actions: [] });
      expect(listed.text).toMatch(/^apply_code_action: no actions/);
      expect(warningsOf(listed)).toContain("answer/command-skipped");
      expect(await work.received("workspace/executeCommand")).toEqual([]);
    });

    it("are left out where they are not allowed and the action has an edit as well", async () => {
      const both = { ...action, edit: renameBoth };
      const work = await editing({ replies: { "textDocument/codeAction": [both] }, tools: actionTools });
      const call = { ...here, action_id: await idIn(work), dry_run: false };
      const answer = await work.call("apply_code_action", call);
      expect(answer.structured).toMatchObject({ status: "applied", summary: { edits: 2 } });
      expect(warningsOf(answer)).toContain("answer/command-skipped");
      expect(await work.received("workspace/executeCommand")).toEqual([]);
    });

    it("are run where both are allowed, and the server's edit passes the same checks", async () => {
      const work = await commanding(["read", "edit", "command"], ["fake.run"]);
      const call = { ...here, action_id: await idIn(work) };
      const preview = await work.call("apply_code_action", call);
      expect(preview.structured).toMatchObject({ status: "preview", command: "fake.run" });
      expect(warningsOf(preview)).toContain("answer/command-unseen");
      expect(await work.received("workspace/executeCommand")).toEqual([]);
      const applied = await work.call("apply_code_action", { ...call, dry_run: false });
      expect(applied.structured).toMatchObject({ status: "applied", summary: { files: 2, edits: 2 } });
      expect(await work.received("workspace/executeCommand")).toEqual([
        { command: "fake.run", arguments: [1] },
      ]);
      expect(read(work, "b.fake")).toBe("hello();\n");
      const undo = { undo_token: applied.structured.undo_token ?? "", dry_run: false };
      await work.call("undo_edit", undo);
      expect(read(work, "b.fake")).toBe(files["b.fake"]);
    });
  });
});

describe("formatting", () => {
  const text = "function greet() {\n\treturn 1;\n}\n";
  const replies = {
    "textDocument/formatting": [{ range: range(1, 0, 1), newText: "  " }],
    "textDocument/rangeFormatting": [{ range: range(2, 0, 1), newText: "};" }],
  };

  it("asks for the whole file with the indentation that the file has", async () => {
    const work = await editing({ files: { "a.fake": text }, replies, tools: ["format_document"] });
    const answer = await work.call("format_document", { file_path: "a.fake", dry_run: false });
    expect(answer.structured).toMatchObject({ status: "applied", summary: { files: 1, edits: 1 } });
    expect(read(work, "a.fake")).toBe("function greet() {\n  return 1;\n}\n");
    expect(await work.received("textDocument/formatting")).toMatchObject([
      { options: { tabSize: 4, insertSpaces: false } },
    ]);
  });

  it("asks for a range where one is given, with what the call says of indentation", async () => {
    const work = await editing({
      files: { "a.fake": text },
      replies,
      tools: ["format_document"],
      capabilities: { documentRangeFormattingProvider: true },
    });
    const call = { file_path: "a.fake", line: 3, tab_size: 8, insert_spaces: true };
    expect(filesOf(await work.call("format_document", call))[0]).toMatchObject({ edit_count: 1 });
    expect(await work.received("textDocument/rangeFormatting")).toMatchObject([
      { range: range(2, 0, 1), options: { tabSize: 8, insertSpaces: true } },
    ]);
    expect(await work.received("textDocument/formatting")).toEqual([]);
  });

  it("of a formatted file changes nothing", async () => {
    const work = await editing({
      replies: { "textDocument/formatting": null },
      tools: ["format_document"],
    });
    const answer = await work.call("format_document", { file_path: "a.fake", dry_run: false });
    expect(answer.structured).toMatchObject({ status: "unchanged" });
  });
});

describe("files", () => {
  const filters = [{ pattern: { glob: "**/*.fake" } }];
  const capabilities = {
    workspace: {
      fileOperations: {
        willRename: { filters },
        didRename: { filters },
        willCreate: { filters },
        didCreate: { filters },
        willDelete: { filters },
        didDelete: { filters },
      },
    },
  };
  const tools = ["rename_file", "create_file", "delete_file", "get_hover"];
  const importer: JsonObject = {
    changes: { "file:///work/b.fake": [{ range: range(0, 0, 5), newText: "moved" }] },
  };

  it("are renamed with all references, and the server is notified before and after", async () => {
    const work = await editing({
      tools,
      capabilities,
      replies: { "workspace/willRenameFiles": importer },
    });
    const call = { old_path: "a.fake", new_path: "deep/er/c.fake" };
    const preview = await work.call("rename_file", call);
    expect(preview.structured).toMatchObject({
      status: "preview",
      summary: { files: 1, edits: 1, operations: 1 },
    });
    expect(filesOf(preview)[0]).toMatchObject({
      operation: "rename",
      path: "a.fake",
      new_path: "deep/er/c.fake",
    });
    const applied = await work.call("rename_file", { ...call, dry_run: false });
    expect(applied.structured).toMatchObject({
      status: "applied",
      summary: { files: 1, edits: 1, operations: 1 },
    });
    expect(read(work, "deep/er/c.fake")).toBe(files["a.fake"]);
    expect(read(work, "b.fake")).toBe("moved();\n");
    const names = { oldUri: work.uri("a.fake"), newUri: work.uri("deep/er/c.fake") };
    expect(await work.received("workspace/willRenameFiles")).toEqual([
      { files: [names] },
      { files: [names] },
    ]);
    expect(await work.received("workspace/didRenameFiles")).toEqual([{ files: [names] }]);
  });

  it("in a folder go with it, and servers that hear of files only hear of each", async () => {
    const work = await editing({
      files: { ...files, "lib/x.fake": "x\n", "lib/in/y.fake": "y\n", "lib/z.txt": "z\n" },
      tools,
      capabilities,
      replies: { "workspace/willRenameFiles": importer },
    });
    const answer = await work.call("rename_file", {
      old_path: "lib",
      new_path: "src/lib",
      dry_run: false,
    });
    expect(answer.structured).toMatchObject({
      status: "applied",
      summary: { files: 1, edits: 1, operations: 1 },
    });
    expect(read(work, "src/lib/in/y.fake")).toBe("y\n");
    expect(read(work, "lib/x.fake")).toBeUndefined();
    const moved = ["lib/x.fake", "lib/in/y.fake"].map((path) => ({
      oldUri: work.uri(path),
      newUri: work.uri(`src/${path}`),
    }));
    expect(await work.received("workspace/willRenameFiles")).toEqual([{ files: moved }]);
    expect(await work.received("workspace/didRenameFiles")).toEqual([{ files: moved }]);
  });

  it("are renamed without a server's help where none offers it, and that is said", async () => {
    const work = await editing({ tools });
    const answer = await work.call("rename_file", { old_path: "a.fake", new_path: "c.fake" });
    expect(warningsOf(answer)).toContain("answer/references-kept");
  });

  it("are renamed when the server fails only after a preview that says so", async () => {
    const work = await editing({
      tools,
      capabilities,
      scenario: { on: { "workspace/willRenameFiles": [{ error: { code: -32000, message: "no" } }] } },
    });
    const call = { old_path: "a.fake", new_path: "c.fake" };
    const blind = await work.call("rename_file", { ...call, dry_run: false });
    expect(codeOf(blind)).toBe("edit/not-seen");
    expect(read(work, "c.fake")).toBeUndefined();
    const preview = await work.call("rename_file", call);
    expect(warningsOf(preview)).toContain("answer/partial-servers");
    const token = { edit_token: preview.structured.edit_token ?? "", dry_run: false };
    const applied = await work.call("rename_file", { ...call, ...token });
    expect(applied.structured).toMatchObject({ status: "applied" });
  });

  it("are created and deleted, with requests before and notifications after", async () => {
    const work = await editing({
      tools,
      capabilities,
      replies: { "workspace/willDeleteFiles": importer, "workspace/willCreateFiles": null },
    });
    await work.call("get_hover", { file_path: "a.fake", line: 1, character: 1 });
    const create = { file_path: "new/n.fake", content: "new\n" };
    expect((await work.call("create_file", create)).structured).toMatchObject({ status: "preview" });
    expect(read(work, "new/n.fake")).toBeUndefined();
    const created = await work.call("create_file", { ...create, dry_run: false });
    expect(created.structured).toMatchObject({ status: "applied", summary: { files: 1, operations: 1 } });
    expect(read(work, "new/n.fake")).toBe("new\n");
    expect(codeOf(await work.call("create_file", { ...create, dry_run: false }))).toBe("edit/exists");
    const over = { ...create, content: "other\n", overwrite: true, dry_run: false };
    expect((await work.call("create_file", over)).structured).toMatchObject({ status: "applied" });
    const preview = await work.call("delete_file", { file_path: "a.fake" });
    const token = { edit_token: preview.structured.edit_token ?? "", dry_run: false };
    const deleted = await work.call("delete_file", { file_path: "a.fake", ...token });
    expect(deleted.structured).toMatchObject({ status: "applied", summary: { operations: 1 } });
    expect([read(work, "a.fake"), read(work, "b.fake")]).toEqual([undefined, "moved();\n"]);
    expect(await work.received("workspace/didDeleteFiles")).toEqual([
      { files: [{ uri: work.uri("a.fake") }] },
    ]);
    expect((await work.received("workspace/didCreateFiles")).length).toBeGreaterThan(0);
    const undo = { undo_token: deleted.structured.undo_token ?? "", dry_run: false };
    await work.call("undo_edit", undo);
    expect([read(work, "a.fake"), read(work, "b.fake")]).toEqual([files["a.fake"], files["b.fake"]]);
  });

  it("that are folders are deleted only when that is meant", async () => {
    const work = await editing({ tools, files: { ...files, "sub/x.txt": "x" } });
    expect(codeOf(await work.call("delete_file", { file_path: "sub", dry_run: false }))).toBe(
      "edit/not-empty",
    );
    const meant = { file_path: "sub", recursive: true, dry_run: false };
    expect((await work.call("delete_file", meant)).structured).toMatchObject({ status: "applied" });
    expect(read(work, "sub/x.txt")).toBeUndefined();
  });

  it("outside the roots are none of our business", async () => {
    const work = await editing({ tools });
    for (const [tool, args] of [
      ["create_file", { file_path: "../x.fake" }],
      ["delete_file", { file_path: "../lspi.json" }],
      ["rename_file", { old_path: "a.fake", new_path: "/tmp/x.fake" }],
    ] as const)
      expect(codeOf(await work.call(tool, { ...args, dry_run: false }))).toBe("guard/outside-root");
    expect(read(work, "../lspi.json")).toBeDefined();
  });
});

describe("symbols", () => {
  const text = "class A {\n  go() {\n    return 1;\n  }\n}\nlast\n";
  const symbols = [
    {
      name: "A",
      kind: 5,
      range: range(0, 0, 1, 4),
      selectionRange: range(0, 6, 7),
      children: [{ name: "go", kind: 6, range: range(1, 2, 3, 3), selectionRange: range(1, 2, 4) }],
    },
  ];
  const symbol = { file_path: "a.fake", symbol_name: "A/go" };
  const tools = ["replace_symbol_body", "insert_before_symbol", "insert_after_symbol"];
  const open = (body = text) =>
    editing({ tools, files: { "a.fake": body }, replies: { "textDocument/documentSymbol": symbols } });

  it("are replaced whole, with or without the first line's indentation", async () => {
    for (const body of ["go() {\n    return 2;\n  }", "  go() {\n    return 2;\n  }\n"]) {
      const work = await open();
      await work.call("replace_symbol_body", { ...symbol, body, dry_run: false });
      expect(read(work, "a.fake")).toBe(text.replace("1", "2"));
    }
  });

  it("get a text before or after them, on lines of its own", async () => {
    const work = await open();
    await work.call("insert_before_symbol", { ...symbol, body: "  // first", dry_run: false });
    expect(read(work, "a.fake")).toBe(text.replace("  go()", "  // first\n  go()"));
    const other = await open();
    await other.call("insert_after_symbol", {
      file_path: "a.fake",
      symbol_name: "A",
      body: "class B {}\n",
      dry_run: false,
    });
    expect(read(other, "a.fake")).toBe(text.replace("last", "class B {}\nlast"));
    const atEnd = await open(text.replace("\nlast\n", ""));
    await atEnd.call("insert_after_symbol", {
      file_path: "a.fake",
      symbol_name: "A",
      body: "class B {}\n",
      dry_run: false,
    });
    expect(read(atEnd, "a.fake")).toBe(text.replace("\nlast\n", "\nclass B {}"));
  });

  it("keep the file's line ends", async () => {
    const work = await open(text.replaceAll("\n", "\r\n"));
    await work.call("insert_before_symbol", { ...symbol, body: "  // one\n  // two", dry_run: false });
    expect(read(work, "a.fake")).toContain("{\r\n  // one\r\n  // two\r\n  go()");
  });

  it("are those whose name is pointed at, and no others", async () => {
    const work = await open();
    const inside = { file_path: "a.fake", line: 3, character: 5, body: "x" };
    expect(codeOf(await work.call("replace_symbol_body", inside))).toBe("point/no-symbol");
  });

  it("need a server that says where they begin and end", async () => {
    const flat = [{ name: "go", kind: 6, location: { uri: "file:///work/a.fake", range: range(1, 2, 4) } }];
    const work = await editing({
      tools,
      files: { "a.fake": text },
      replies: { "textDocument/documentSymbol": flat },
    });
    const call = { file_path: "a.fake", symbol_name: "go", body: "x", dry_run: false };
    expect(codeOf(await work.call("replace_symbol_body", call))).toBe("lsp/not-supported");
    expect(read(work, "a.fake")).toBe(text);
  });
});

describe("edits that an agent writes", () => {
  const span = (line: number, character: number, endCharacter: number) => ({
    line,
    character,
    end_line: line,
    end_character: endCharacter,
  });

  it("have the same form as in previews, in characters", async () => {
    const work = await editing({ files: { ...files, "b.fake": "😀 greet\n" } });
    const call: JsonObject = {
      files: [
        {
          path: "a.fake",
          before_sha256: sha256(files["a.fake"]),
          edits: [{ ...span(1, 10, 15), new_text: "hello" }],
        },
        { path: "b.fake", edits: [{ ...span(1, 3, 8), new_text: "hello" }] },
        { path: "b.fake", operation: "rename", new_path: "c.fake" },
        { path: "d.fake", operation: "create", text: "new\n" },
      ],
      dry_run: false,
    };
    expect((await work.call("apply_workspace_edit", call)).structured).toMatchObject({
      status: "applied",
      summary: { edits: 3, operations: 2 },
    });
    expect(read(work, "a.fake")).toBe("function hello() {}\n");
    expect(read(work, "c.fake")).toBe("😀 hello\n");
    expect(read(work, "d.fake")).toBe("new\n");
  });

  it("are refused whole when one of them is wrong", async () => {
    const work = await editing();
    const call: JsonObject = {
      files: [
        { path: "a.fake", edits: [{ ...span(1, 10, 15), new_text: "hello" }] },
        { path: "b.fake", before_sha256: sha256("other"), edits: [{ ...span(1, 1, 6), new_text: "hello" }] },
        { path: "c.fake", edits: [{ ...span(1, 1, 1), new_text: "x" }] },
        { path: "a.fake", operation: "rename" },
      ],
      dry_run: false,
    };
    const answer = await work.call("apply_workspace_edit", call);
    expect(reasonsOf(answer)).toEqual([
      "a.fake guard/invalid-arguments",
      "b.fake edit/changed",
      "c.fake guard/not-a-file",
    ]);
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
    expect(codeOf(await work.call("apply_workspace_edit", {}))).toBe("guard/invalid-arguments");
  });

  it("are not refused for events of the watch that change no text", async () => {
    const work = await editing({ files: { ...files, "sub/c.fake": "c\n" } });
    let isOver = false;
    // What git ignores changes all the time, and each change counts for every file.
    const flood = (async () => {
      for (let turn = 0; !isOver; turn++) {
        writeFileSync(join(work.folder, ".gitignore"), turn % 2 === 0 ? "***\n" : "");
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    })();
    const names = ["a.fake", "b.fake", "sub/c.fake"];
    const statuses: unknown[] = [];
    for (let round = 0; round < 40; round++) {
      for (const name of names) writeFileSync(join(work.folder, name), `text ${round}\n`);
      const edits = [{ ...span(1, 1, 1), new_text: "new " }];
      const answer = await work.call("apply_workspace_edit", {
        files: names.map((path) => ({ path, edits })),
      });
      statuses.push(answer.structured.status ?? codeOf(answer));
    }
    isOver = true;
    await flood;
    expect(statuses).toEqual(Array.from({ length: 40 }, () => "preview"));
  });
});

describe("who may edit", () => {
  it.each([
    ["without the effect", { allow: { commands: [process.execPath], effects: ["read"] } }],
    ["read-only", { mcp: { read_only: true } }],
  ])("nobody, %s: edit tools are neither listed nor callable", async (_name, config) => {
    const work = await editing({ config });
    expect(work.runtime.tools.map(({ name }) => name)).not.toContain("rename_symbol");
    for (const tool of ["rename_symbol", "create_file", "undo_edit"])
      await expect(
        work.session.call(tool, {}, { signal: new AbortController().signal }),
      ).rejects.toMatchObject({
        code: "guard/effect-not-allowed",
      });
  });

  it("and tools that do say that they do", async () => {
    const work = await editing({ tools: ["rename_symbol", "rename_symbol_strict", "rename_file"] });
    const tools = work.runtime.tools.filter(({ name }) => name.startsWith("rename"));
    expect(tools).toHaveLength(3);
    for (const { annotations } of tools)
      expect(annotations).toMatchObject({
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
      });
  });

  it("in two sessions at once: one wins, the other is refused by its hashes", async () => {
    const work = await editing();
    const other = work.runtime.openSession();
    const { signal } = new AbortController();
    const edit = (text: string) => ({
      files: [
        { path: "b.fake", edits: [{ line: 1, character: 1, end_line: 1, end_character: 6, new_text: text }] },
      ],
    });
    const [mine, theirs] = await Promise.all([
      work.call("apply_workspace_edit", edit("mine")),
      other.call("apply_workspace_edit", edit("theirs"), { signal }),
    ]);
    const token = (preview: typeof mine) => ({
      edit_token: preview.structured.edit_token ?? "",
      dry_run: false,
    });
    const outcomes = await Promise.all([
      work.call("apply_workspace_edit", token(mine)),
      other.call("apply_workspace_edit", token(theirs), { signal }),
    ]);
    expect(outcomes.map((outcome) => outcome.isError).sort()).toEqual([false, true]);
    expect(outcomes.map(codeOf).filter((code) => code !== undefined)).toEqual(["edit/changed"]);
    expect(["mine();\n", "theirs();\n"]).toContain(read(work, "b.fake"));
  });

  it("a cancelled call changes nothing", async () => {
    const work = await editing({ scenario: { on: { "textDocument/rename": [{ never: true }] } } });
    const controller = new AbortController();
    const call = { file_path: "a.fake", line: 1, character: 10, new_name: "hello", dry_run: false };
    const pending = work.call("rename_symbol", call, controller.signal);
    const asked = async () => (await work.received("textDocument/rename")).length > 0;
    while (!(await asked())) await new Promise((done) => setTimeout(done, 20));
    controller.abort();
    expect(codeOf(await pending)).toBe("call/cancelled");
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
  });
});

it("backups are made where a tool says so", async () => {
  const rename = {
    name: "rename_with_copies",
    effect: "edit",
    input: "position",
    args: {
      new_name: { type: "string", description: "new" },
      create_backups: { type: "boolean", default: true, description: "copies" },
      backup_suffix: { type: "string", default: ".bak", description: "suffix" },
    },
    output: {
      shape: "workspace_edit",
      apply: "on_request",
      backups: { create: { from: "input.create_backups" }, suffix: { from: "input.backup_suffix" } },
    },
    request: { method: "textDocument/rename", params: "text_document_position" },
  };
  const work = await editing({
    replies: { "textDocument/rename": renameBoth },
    tools: ["rename_with_copies"],
    config: { tools: [rename] },
  });
  const call = { file_path: "a.fake", line: 1, character: 10, new_name: "hello", dry_run: false };
  const answer = await work.call("rename_with_copies", { ...call, backup_suffix: ".orig" });
  expect(answer.structured.backups).toEqual(["a.fake.orig", "b.fake.orig"]);
  expect(read(work, "a.fake.orig")).toBe(files["a.fake"]);
  const again = await work.call("undo_edit", {
    undo_token: answer.structured.undo_token ?? "",
    dry_run: false,
  });
  expect(again.structured).toMatchObject({ status: "undone" });
  mkdirSync(join(work.folder, "x"), { recursive: true });
  writeFileSync(join(work.folder, "x/none"), "");
  const plain = { ...call, create_backups: false };
  const preview = await work.call("rename_with_copies", { ...plain, dry_run: true });
  const token = { edit_token: preview.structured.edit_token ?? "" };
  const without = await work.call("rename_with_copies", { ...plain, ...token });
  expect(without.structured).toMatchObject({ status: "applied" });
  expect(without.structured.backups).toBeUndefined();
});
