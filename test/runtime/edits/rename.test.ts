/** Renames from call to disk: previewed, bound to the preview, applied completely, counted correctly. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { sha256 } from "../../../src/base/hash.js";
import type { Json, JsonObject } from "../../../src/base/json.js";
import type { Scenario } from "../../fake-server/index.js";
import { range } from "../test-workspace.js";
import {
  codeOf,
  editing,
  files,
  filesOf,
  greet,
  read,
  reasonsOf,
  renameBoth,
  warningsOf,
} from "./support.js";

const renamed = { "a.fake": "function hello() {}\n", "b.fake": "hello();\n" };
const replies = { "textDocument/rename": renameBoth };

describe("a preview", () => {
  it("has every file with its hashes, its edits in place and a diff, and changes nothing", async () => {
    const work = await editing({ replies });
    const answer = await work.call("rename_symbol", greet);
    expect(answer.structured).toMatchObject({
      ok: true,
      readiness: "ready",
      status: "preview",
      summary: { files: 2, edits: 2, operations: 0 },
      total: 2,
    });
    expect(filesOf(answer)).toEqual([
      {
        path: "a.fake",
        before_sha256: sha256(files["a.fake"]),
        after_sha256: sha256(renamed["a.fake"]),
        edit_count: 1,
        edits: [{ line: 1, character: 10, end_line: 1, end_character: 15, new_text: "hello" }],
        diff: expect.stringContaining("-function greet() {}\n+function hello() {}\n"),
      },
      expect.objectContaining({ path: "b.fake", before_sha256: sha256(files["b.fake"]) }),
    ]);
    expect(answer.text).toContain("-greet();\n+hello();");
    expect(answer.text).toContain(sha256(files["b.fake"]));
    expect(answer.text).toContain(`edit_token "${answer.structured.edit_token}"`);
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
    expect(read(work, "b.fake")).toBe(files["b.fake"]);
  });

  it("is the default, and the same question has the same answer", async () => {
    const work = await editing({ replies });
    const first = await work.call("rename_symbol", greet);
    const second = await work.call("rename_symbol", { ...greet, dry_run: true });
    expect(second.structured).toEqual(first.structured);
  });

  it("is paged when it is large, and the pages together are the whole", async () => {
    const many = Object.fromEntries(Array.from({ length: 7 }, (_, index) => [`f${index}.fake`, "greet\n"]));
    const changes = Object.fromEntries(
      Object.keys(many).map((name) => [
        `file:///work/${name}`,
        [{ range: range(0, 0, 5), newText: "hello" }],
      ]),
    );
    const work = await editing({
      files: { ...files, ...many },
      replies: { "textDocument/rename": { changes } },
    });
    const names: unknown[] = [];
    let page: JsonObject = { ...greet, page_size: 3 };
    for (let turn = 0; turn < 3; turn++) {
      const answer = await work.call("rename_symbol", page);
      names.push(...filesOf(answer).map(({ path }) => path));
      expect(answer.structured).toMatchObject({ total: 7, summary: { files: 7, edits: 7 } });
      page = { ...page, cursor: answer.structured.next_cursor ?? "" };
    }
    expect(names).toEqual(Object.keys(many));
  });

  it("of one file that is too large comes in parts, and is applied whole", { timeout: 120_000 }, async () => {
    const text = "greet ".repeat(4000);
    const edits = Array.from({ length: 4000 }, (_, index) => ({
      range: range(0, index * 6, index * 6 + 5),
      newText: "hello",
    }));
    const work = await editing({
      files: { "a.fake": text },
      replies: { "textDocument/rename": { changes: { "file:///work/a.fake": edits } } },
      // There is much to check: a busy machine needs more than the default timeout.
      config: { limits: { timeout_ms: 60_000 } },
    });
    const answer = await work.call("rename_symbol", greet);
    expect(answer.structured).toMatchObject({ truncated: true, summary: { files: 1, edits: 4000 } });
    expect(filesOf(answer)[0]).toMatchObject({ part: 1, edit_count: 4000 });
    expect(filesOf(answer)[0]?.parts).toBeGreaterThan(1);
    expect(answer.structured.next_cursor).toBeDefined();
    const applied = await work.call("rename_symbol", {
      ...greet,
      dry_run: false,
      edit_token: answer.structured.edit_token ?? "",
    });
    expect(applied.structured).toMatchObject({ status: "applied", summary: { files: 1, edits: 4000 } });
    expect(read(work, "a.fake")).toBe("hello ".repeat(4000));
  });
});

describe("an apply", () => {
  it("changes every file and says what happened, with the hashes that the files have now", async () => {
    const work = await editing({ replies });
    const answer = await work.call("rename_symbol", { ...greet, dry_run: false });
    expect(answer.structured).toMatchObject({ status: "applied", summary: { files: 2, edits: 2 } });
    expect(filesOf(answer)).toEqual(
      (["a.fake", "b.fake"] as const).map((path) => ({
        path,
        before_sha256: sha256(files[path]),
        after_sha256: sha256(renamed[path]),
        edit_count: 1,
      })),
    );
    expect(read(work, "a.fake")).toBe(renamed["a.fake"]);
    expect(read(work, "b.fake")).toBe(renamed["b.fake"]);
    expect(answer.text).toContain(`undo_token "${answer.structured.undo_token}"`);
  });

  it("by token does what was shown without asking the server again", async () => {
    const work = await editing({ replies });
    const { structured } = await work.call("rename_symbol", greet);
    const token = structured.edit_token ?? "";
    const answer = await work.call("rename_symbol", { ...greet, dry_run: false, edit_token: token });
    expect(answer.structured).toMatchObject({ status: "applied", summary: { files: 2, edits: 2 } });
    expect(read(work, "b.fake")).toBe(renamed["b.fake"]);
    expect(await work.received("textDocument/rename")).toHaveLength(1);
    const again = await work.call("rename_symbol", { ...greet, dry_run: false, edit_token: token });
    expect(codeOf(again)).toBe("edit/unknown-token");
  });

  it("takes a token for the call that showed it, or alone for any preview of the session", async () => {
    const work = await editing({ replies });
    const { structured } = await work.call("rename_symbol", greet);
    const token = structured.edit_token ?? "";
    const other = { ...greet, new_name: "other", dry_run: false, edit_token: token };
    expect(codeOf(await work.call("rename_symbol", other))).toBe("edit/unknown-token");
    expect(codeOf(await work.call("rename_symbol", { ...greet, edit_token: token }))).toBe(
      "guard/invalid-arguments",
    );
    const elsewhere = work.runtime.openSession();
    const args = { dry_run: false, edit_token: token };
    const signal = new AbortController().signal;
    expect(codeOf(await elsewhere.call("apply_workspace_edit", args, { signal }))).toBe("edit/unknown-token");
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
    const alone = await work.call("apply_workspace_edit", args);
    expect(alone.structured).toMatchObject({ status: "applied", summary: { files: 2, edits: 2 } });
  });

  it("refuses the whole when a file changed since the preview", async () => {
    const work = await editing({ replies });
    const { structured } = await work.call("rename_symbol", greet);
    writeFileSync(join(work.folder, "b.fake"), "greet(1);\n");
    const call = { ...greet, dry_run: false, edit_token: structured.edit_token ?? "" };
    const answer = await work.call("rename_symbol", call);
    expect(reasonsOf(answer)).toEqual(["b.fake edit/changed"]);
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
    expect(read(work, "b.fake")).toBe("greet(1);\n");
  });

  it("with expected hashes needs every file to be named and to match", async () => {
    const work = await editing({ replies });
    const a = sha256(files["a.fake"]);
    const b = sha256(files["b.fake"]);
    const apply = (expected: JsonObject) =>
      work.call("rename_symbol", { ...greet, dry_run: false, expected_before_sha256: expected });
    expect(reasonsOf(await apply({ "a.fake": a }))).toEqual(["b.fake edit/unexpected"]);
    expect(reasonsOf(await apply({ "a.fake": a, "b.fake": a }))).toEqual(["b.fake edit/changed"]);
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
    expect((await apply({ "a.fake": a, "./b.fake": b })).structured).toMatchObject({ status: "applied" });
  });

  it("is the last one where an undo names none", async () => {
    const work = await editing({ replies });
    expect(codeOf(await work.call("undo_edit", {}))).toBe("edit/unknown-undo");
    const applied = await work.call("rename_symbol", { ...greet, dry_run: false });
    const shown = await work.call("undo_edit", {});
    const token = applied.structured.undo_token;
    expect(shown.structured).toMatchObject({ status: "preview", undo_token: token, summary: { files: 2 } });
    expect(shown.text).toContain(
      `To undo it: the same call with dry_run false and undo_token "${String(token)}".`,
    );
    expect((await work.call("undo_edit", { dry_run: false })).structured).toMatchObject({ status: "undone" });
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
    expect(codeOf(await work.call("undo_edit", { dry_run: false }))).toBe("edit/unknown-undo");
  });

  it("of another session is undone only by its token, which the refusal names", async () => {
    const work = await editing({ replies });
    const applied = await work.call("rename_symbol", { ...greet, dry_run: false });
    const token = String(applied.structured.undo_token);
    const later = work.runtime.openSession();
    const { signal } = new AbortController();
    for (const dry_run of [true, false]) {
      const refused = await later.call("undo_edit", { dry_run }, { signal });
      expect(codeOf(refused)).toBe("edit/unknown-undo");
      expect(refused.text).toMatch(/an edit of an earlier session, made at \d{4}-\d\d-\d\dT[\d:]+Z/);
      expect(refused.text).toContain(`give its undo_token "${token}"`);
    }
    expect(read(work, "a.fake")).toBe(renamed["a.fake"]);
    const own = await work.call("undo_edit", {});
    expect(own.text).toMatch(/^Undoes: an edit of this session, made at \d{4}-.*Z$/m);
    const undone = await later.call("undo_edit", { undo_token: token, dry_run: false }, { signal });
    expect(undone.structured).toMatchObject({
      status: "undone",
      undoes: expect.stringMatching(/^an edit of an earlier session, made at /),
    });
    const [made = ""] = /\d{4}-\S+Z/.exec(String(undone.structured.undoes)) ?? [];
    expect(Math.abs(Date.parse(made) - Date.now())).toBeLessThan(3_600_000);
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
  });

  it("can be undone, whole or not at all", async () => {
    const work = await editing({ replies });
    const applied = await work.call("rename_symbol", { ...greet, dry_run: false });
    const undo = { undo_token: applied.structured.undo_token ?? "", dry_run: false };
    writeFileSync(join(work.folder, "b.fake"), "hello(2);\n");
    expect(codeOf(await work.call("undo_edit", undo))).toBe("edit/undo-conflict");
    expect(read(work, "a.fake")).toBe(renamed["a.fake"]);
    writeFileSync(join(work.folder, "b.fake"), renamed["b.fake"]);
    const shown = await work.call("undo_edit", { undo_token: undo.undo_token });
    expect(shown.structured).toMatchObject({ status: "preview", summary: { files: 2 } });
    expect(read(work, "a.fake")).toBe(renamed["a.fake"]);
    expect((await work.call("undo_edit", undo)).structured).toMatchObject({
      status: "undone",
      summary: { files: 2, edits: 2 },
    });
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
    expect(read(work, "b.fake")).toBe(files["b.fake"]);
    expect(codeOf(await work.call("undo_edit", undo))).toBe("edit/unknown-undo");
  });

  it("is sent to the server at once", async () => {
    const work = await editing({ replies });
    await work.call("rename_symbol", { ...greet, dry_run: false });
    const [change] = await work.received("textDocument/didChange");
    expect(JSON.stringify(change)).toContain("hello");
    expect(await work.received("textDocument/didSave")).toContainEqual({
      textDocument: { uri: work.uri("a.fake") },
    });
    const watched = JSON.stringify(await work.received("workspace/didChangeWatchedFiles"));
    expect(watched).toContain("a.fake");
    expect(watched).toContain("b.fake");
  });

  it("says which errors came and which went, in the order and form of the after-edit text", async () => {
    const work = await editing({
      files: { "a.fake": "function greet() {}\nbad\n", "b.fake": "greet();\n" },
      replies: {
        "textDocument/rename": {
          changes: {
            "file:///work/a.fake": [{ range: range(1, 0, 3), newText: "good" }],
            "file:///work/b.fake": [{ range: range(0, 0, 5), newText: "<bad>" }],
          },
        },
      },
    });
    const answer = await work.call("rename_symbol", { ...greet, dry_run: false });
    expect(answer.structured.diagnostics).toMatchObject({
      // Errors in files that are not open are not known: this server reports only on open ones.
      status: "unknown",
      why: "fake: the server reports only on files that were opened",
      introduced: [{ path: "b.fake", line: 1, character: 2, severity: "error", message: "found bad" }],
      resolved: [{ path: "a.fake", line: 2, message: "found bad" }],
      errors: [{ path: "b.fake", message: "found bad" }],
      not_shown: 0,
    });
    expect(answer.text).toContain('<diagnostics file="b.fake">\nERROR [1:2] found bad\n</diagnostics>');
    expect(answer.text).toContain("Errors: 1 introduced, 1 resolved");
  });

  it("compares a bounded number of errors of a file", async () => {
    const work = await editing({
      files: { "a.fake": "function greet() {}\n", "b.fake": `greet();\n${"bad\n".repeat(8_000)}` },
      replies,
    });
    const answer = await work.call("rename_symbol", { ...greet, dry_run: false });
    expect(answer.structured).toMatchObject({
      status: "applied",
      // On a busy machine the server may also be late.
      diagnostics: {
        status: "unknown",
        why: expect.stringContaining("only 5000 errors of a file are compared"),
      },
    });
  });

  it("stands when the server dies afterwards", async () => {
    const work = await editing({
      replies,
      scenario: { on: { "textDocument/didChange": [{ exit: 3 }] } },
      server: { restart: { max: 0 } },
    });
    const answer = await work.call("rename_symbol", { ...greet, dry_run: false });
    expect(answer.structured).toMatchObject({
      ok: true,
      status: "applied",
      diagnostics: { status: "unknown" },
    });
    expect(read(work, "b.fake")).toBe(renamed["b.fake"]);
  });
});

describe("pointing at what is renamed", () => {
  it("by name takes the only symbol of that name", async () => {
    const work = await editing({ replies });
    const args = { file_path: "a.fake", symbol_name: "greet", new_name: "hello" };
    expect((await work.call("rename_symbol", args)).structured).toMatchObject({ status: "preview" });
  });

  it("by name needs disambiguation when several have it, and changes nothing", async () => {
    const symbol = (line: number) => ({
      name: "greet",
      kind: 12,
      range: range(line, 0, 10),
      selectionRange: range(line, 0, 5),
    });
    const work = await editing({
      replies: { ...replies, "textDocument/documentSymbol": [symbol(0), symbol(1)] },
    });
    const args = { file_path: "a.fake", symbol_name: "greet", new_name: "hello", dry_run: false };
    const answer = await work.call("rename_symbol", args);
    expect(answer.structured).toMatchObject({ needs_disambiguation: true });
    expect(await work.received("textDocument/rename")).toEqual([]);
  });

  it("by name does not take one of another file", async () => {
    const work = await editing({
      capabilities: { workspaceSymbolProvider: true },
      replies: {
        ...replies,
        "textDocument/documentSymbol": [],
        "workspace/symbol": [
          { name: "greet", kind: 12, location: { uri: "file:///work/a.fake", range: range(0, 9, 14) } },
        ],
      },
    });
    const args = { file_path: "b.fake", symbol_name: "greet", new_name: "hello" };
    expect(codeOf(await work.call("rename_symbol", args))).toBe("point/no-symbol");
  });

  it("on a line does not guess between two places of the word", async () => {
    const work = await editing({ files: { ...files, "a.fake": "greet(greet)\n" }, replies });
    const args = { file_path: "a.fake", line: 1, symbol_name: "greet", new_name: "hello" };
    expect(codeOf(await work.call("rename_symbol", args))).toBe("point/incomplete");
  });

  it("by position alone is never moved to a word beside it", async () => {
    const work = await editing({
      tools: ["rename_symbol_strict"],
      replies: { ...replies, "textDocument/prepareRename": null },
    });
    const beside = { file_path: "a.fake", line: 1, character: 9, new_name: "hello" };
    const answer = await work.call("rename_symbol_strict", beside);
    expect(codeOf(answer)).toBe("lsp/no-answer");
    // An empty answer of a server that is not ready is retried at the same position.
    const asked = await work.received("textDocument/prepareRename");
    expect(asked.map(({ position }) => position)).toEqual(asked.map(() => ({ line: 0, character: 8 })));
    expect(asked.length).toBeGreaterThan(0);
    const named = await work.call("rename_symbol_strict", { ...beside, symbol_name: "greet" });
    expect(codeOf(named)).toBe("guard/invalid-arguments");
  });

  it("asks the server first whether it can be renamed, in any of its forms of yes", async () => {
    for (const yes of [
      range(0, 9, 14),
      { range: range(0, 9, 14), placeholder: "greet" },
      { defaultBehavior: true },
    ]) {
      const work = await editing({ replies: { ...replies, "textDocument/prepareRename": yes } });
      expect((await work.call("rename_symbol", greet)).structured).toMatchObject({ status: "preview" });
    }
  });

  it("is refused, not empty, where no server renames", async () => {
    const work = await editing({ capabilities: { renameProvider: false } });
    expect(codeOf(await work.call("rename_symbol", greet))).toBe("lsp/not-supported");
  });
});

describe("a server that has not indexed", () => {
  const indexing: Partial<Scenario> = {
    on: {
      initialized: [
        { request: "window/workDoneProgress/create", params: { token: "t" } },
        { notify: "$/progress", params: { token: "t", value: { kind: "begin", title: "indexing" } } },
      ],
    },
  };

  it("is shown with its readiness, and never applied", async () => {
    const work = await editing({ replies, scenario: indexing, server: { request_timeout_ms: 5000 } });
    const shown = await work.call("rename_symbol", greet);
    expect(shown.structured).toMatchObject({ status: "preview", readiness: "indexing" });
    expect(warningsOf(shown)).toContain("answer/not-ready");
    const token = { edit_token: shown.structured.edit_token ?? "" };
    for (const more of [{}, token]) {
      const answer = await work.call("rename_symbol", { ...greet, ...more, dry_run: false });
      expect(codeOf(answer)).toBe("edit/not-ready");
      expect((answer.structured.next_steps as Json[])[0]).toMatchObject({
        tool: "rename_symbol",
        arguments: { dry_run: true },
      });
    }
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
  });
});
