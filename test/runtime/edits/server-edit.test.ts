/** Server edits in every form: nothing is dropped or applied twice, and what is not exact is refused. */
import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/base/json.js";
import { range } from "../test-workspace.js";
import { codeOf, editing, files, filesOf, greet, read, reasonsOf, warningsOf } from "./support.js";

const a = "file:///work/a.fake";
const b = "file:///work/b.fake";
const edit = (line: number, start: number, end: number, newText: string): JsonObject => ({
  range: range(line, start, end),
  newText,
});
const rename = (answer: Json, more: Parameters<typeof editing>[0] = {}) =>
  editing({ ...more, replies: { "textDocument/rename": answer, ...more.replies } });
const apply = { ...greet, dry_run: false };

describe("the two forms of a workspace edit", () => {
  it("are never both applied: document changes win", async () => {
    const work = await rename({
      changes: { [a]: [edit(0, 9, 14, "twice")] },
      documentChanges: [{ textDocument: { uri: a, version: 1 }, edits: [edit(0, 9, 14, "once")] }],
    });
    const answer = await work.call("rename_symbol", apply);
    expect(answer.structured).toMatchObject({ summary: { files: 1, edits: 1 } });
    expect(read(work, "a.fake")).toBe("function once() {}\n");
  });

  it("hide nothing from each other when one is empty", async () => {
    const forms: Json[] = [
      { documentChanges: [], changes: { [a]: [edit(0, 9, 14, "hello")] } },
      {
        changes: {},
        documentChanges: [{ textDocument: { uri: a, version: null }, edits: [edit(0, 9, 14, "hello")] }],
      },
    ];
    for (const empty of forms) {
      const work = await rename(empty);
      expect((await work.call("rename_symbol", greet)).structured).toMatchObject({
        summary: { edits: 1 },
      });
    }
  });

  it("take several edits of one document together, all about the same text", async () => {
    const work = await rename({
      documentChanges: [
        { textDocument: { uri: a, version: null }, edits: [edit(0, 0, 8, "fn")] },
        { textDocument: { uri: a, version: null }, edits: [edit(0, 9, 14, "hello")] },
      ],
    });
    await work.call("rename_symbol", apply);
    expect(read(work, "a.fake")).toBe("fn hello() {}\n");
  });

  it("that say nothing change nothing, and that is said", async () => {
    const nothings: Json[] = [
      {},
      { changes: {} },
      { changes: { [a]: [] } },
      { changes: { [a]: [edit(0, 9, 14, "greet")] } },
    ];
    for (const nothing of nothings) {
      const work = await rename(nothing);
      const answer = await work.call("rename_symbol", apply);
      expect(answer.structured).toMatchObject({ ok: true, status: "unchanged", total: 0 });
      expect(answer.text).toContain("unchanged");
    }
  });

  it("that are nonsense are the server's fault", async () => {
    for (const nonsense of [
      { changes: [] },
      { changes: { [a]: [{ newText: "x" }] } },
      { documentChanges: [{ kind: "explode", uri: a }] },
      { documentChanges: ["x"] },
      7,
    ]) {
      const work = await rename(nonsense as Json);
      expect(codeOf(await work.call("rename_symbol", apply))).toBe("lsp/invalid-reply");
      expect(read(work, "a.fake")).toBe(files["a.fake"]);
    }
  });
});

describe("what is not exact", () => {
  it("is refused whole, with every reason", async () => {
    const work = await rename({
      changes: {
        [a]: [edit(7, 0, 0, "past the end")],
        [b]: [edit(0, 0, 5, "x"), edit(0, 3, 6, "overlaps")],
        "file:///work/none.fake": [edit(0, 0, 0, "x")],
        "file:///elsewhere/x.fake": [edit(0, 0, 0, "x")],
        "untitled:x": [edit(0, 0, 0, "x")],
      },
    });
    const answer = await work.call("rename_symbol", apply);
    expect(codeOf(answer)).toBe("edit/refused");
    expect(reasonsOf(answer)).toEqual([
      "a.fake edit/out-of-range",
      "b.fake edit/overlap",
      "change 1 guard/outside-root",
      "change 5 guard/bad-uri",
      "none.fake guard/not-a-file",
    ]);
    expect(JSON.stringify(answer)).not.toContain("elsewhere");
    expect(read(work, "b.fake")).toBe(files["b.fake"]);
  });

  it.each([
    ["a line past the last", range(9, 0, 0), "edit/out-of-range"],
    [
      "an end before its start",
      { start: { line: 0, character: 5 }, end: { line: 0, character: 2 } },
      "edit/out-of-range",
    ],
    ["an end far past the last line, after a start within", range(0, 3, 0, 99), "edit/out-of-range"],
    ["a character past its line's end means that end, as the protocol says", range(0, 9, 999), undefined],
    ["the line after the last, at its first character", range(0, 9, 0, 2), undefined],
    ["the whole text, however far its end", range(0, 0, 0, 2147483647), undefined],
  ])("%s", async (_name, at, code) => {
    const work = await rename({ changes: { [a]: [{ range: at as JsonObject, newText: "x" }] } });
    expect(codeOf(await work.call("rename_symbol", greet))).toBe(code);
  });

  it("is a place within a character, in any encoding", async () => {
    for (const [encoding, character, code] of [
      ["utf-16", 3, "edit/out-of-range"],
      ["utf-16", 4, undefined],
      ["utf-8", 4, "edit/out-of-range"],
      ["utf-8", 6, undefined],
      ["utf-32", 3, undefined],
    ] as const) {
      const work = await rename(
        { changes: { [b]: [edit(0, character, character, "!")] } },
        { files: { ...files, "b.fake": "a 😀\r\nend" }, capabilities: { positionEncoding: encoding } },
      );
      const answer = await work.call("rename_symbol", apply);
      expect([encoding, character, codeOf(answer)]).toEqual([encoding, character, code]);
      if (code === undefined) expect(read(work, "b.fake")).toBe("a 😀!\r\nend");
    }
  });

  it("is a version that is not the one that was asked about", async () => {
    const versioned = (version: number) => ({
      documentChanges: [{ textDocument: { uri: a, version }, edits: [edit(0, 9, 14, "hello")] }],
    });
    const stale = await rename(versioned(7));
    expect(reasonsOf(await stale.call("rename_symbol", apply))).toEqual(["a.fake edit/changed"]);
    const right = await rename(versioned(1));
    expect((await right.call("rename_symbol", apply)).structured).toMatchObject({ status: "applied" });
  });

  it("is a file that changed while the server was asked, though its text would take the edit", async () => {
    const go = join(tmpdir(), `lsp-proxy-go-${randomUUID()}`);
    const work = await rename(null, {
      scenario: {
        on: {
          "textDocument/rename": [
            { waitFile: go },
            { reply: { changes: { [b]: [edit(0, 0, 5, "hello")] } } },
          ],
        },
      },
    });
    const pending = work.call("rename_symbol", apply);
    const asked = async () => (await work.received("textDocument/rename")).length > 0;
    while (!(await asked())) await new Promise((done) => setTimeout(done, 10));
    writeFileSync(join(work.folder, "b.fake"), "other();\n");
    writeFileSync(go, "");
    const answer = await pending;
    rmSync(go);
    expect(reasonsOf(answer)).toEqual(["b.fake edit/changed"]);
    expect(read(work, "b.fake")).toBe("other();\n");
  });
});

describe("line ends", () => {
  it("of a file stay what they are, whatever the server writes", async () => {
    const work = await rename(
      { changes: { [b]: [edit(1, 0, 0, "one\ntwo\n")] } },
      { files: { ...files, "b.fake": "greet();\r\nend" } },
    );
    await work.call("rename_symbol", apply);
    expect(read(work, "b.fake")).toBe("greet();\r\none\r\ntwo\r\nend");
  });
});

describe("operations of a server", () => {
  it("are done in order with the edits between them", async () => {
    const work = await rename({
      documentChanges: [
        { kind: "rename", oldUri: a, newUri: "file:///work/sub/c.fake" },
        { textDocument: { uri: "file:///work/sub/c.fake", version: null }, edits: [edit(0, 9, 14, "hello")] },
        { kind: "create", uri: "file:///work/new.fake" },
        { textDocument: { uri: "file:///work/new.fake", version: null }, edits: [edit(0, 0, 0, "made\n")] },
        { kind: "delete", uri: b },
      ],
    });
    const preview = await work.call("rename_symbol", greet);
    expect(
      filesOf(preview).flatMap(({ operation, path }) => (operation ? [`${operation} ${path}`] : [])),
    ).toEqual(["rename a.fake", "create new.fake", "delete b.fake"]);
    expect(preview.text).toContain("rename a.fake → sub/c.fake");
    const answer = await work.call("rename_symbol", apply);
    expect(answer.structured).toMatchObject({ status: "applied", summary: { operations: 3 } });
    expect(read(work, "sub/c.fake")).toBe("function hello() {}\n");
    expect(read(work, "new.fake")).toBe("made\n");
    expect([read(work, "a.fake"), read(work, "b.fake")]).toEqual([undefined, undefined]);
    const undo = { undo_token: answer.structured.undo_token ?? "", dry_run: false };
    expect((await work.call("undo_edit", undo)).structured).toMatchObject({ status: "undone" });
    expect([read(work, "a.fake"), read(work, "b.fake")]).toEqual([files["a.fake"], files["b.fake"]]);
    expect([read(work, "sub/c.fake"), read(work, "new.fake")]).toEqual([undefined, undefined]);
  });

  it("keep their options", async () => {
    const create = (options: JsonObject) => ({ documentChanges: [{ kind: "create", uri: b, options }] });
    expect(reasonsOf(await (await rename(create({}))).call("rename_symbol", apply))).toEqual([
      "b.fake edit/exists",
    ]);
    const ignored = await rename(create({ ignoreIfExists: true }));
    expect((await ignored.call("rename_symbol", apply)).structured).toMatchObject({ status: "unchanged" });
    const overwritten = await rename(create({ overwrite: true }));
    await overwritten.call("rename_symbol", apply);
    expect(read(overwritten, "b.fake")).toBe("");
    const folder = { documentChanges: [{ kind: "delete", uri: "file:///work/sub" }] };
    const full = await rename(folder, { files: { ...files, "sub/x.txt": "x" } });
    expect(codeOf(await full.call("rename_symbol", apply))).toBe("edit/not-empty");
  });

  it("never reach outside the roots, through links either", async () => {
    const work = await rename({
      documentChanges: [
        { kind: "create", uri: "file:///work/../outside.fake" },
        { kind: "rename", oldUri: a, newUri: "file:///work/link/x.fake" },
        { kind: "delete", uri: "file:///work/.git/config" },
      ],
    });
    mkdirSync(join(work.folder, "../there"));
    symlinkSync(join(work.folder, "../there"), join(work.folder, "link"));
    const answer = await work.call("rename_symbol", apply);
    expect(reasonsOf(answer)).toEqual([
      "change 1 guard/outside-root",
      "change 2 guard/outside-root",
      "change 3 guard/denied",
    ]);
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
    expect(read(work, "../there/x.fake")).toBeUndefined();
  });
});

describe("snippets", () => {
  const snippet = (value: string): JsonObject => ({
    range: range(0, 9, 14),
    newText: value,
    insertTextFormat: 2,
  });

  it("lose their tab stops, and that is said", async () => {
    const work = await rename({
      changes: { [a]: [snippet(`${"$"}{1:hello}_$2${"$"}{3|one,two|}\\$0$0`)] },
    });
    const answer = await work.call("rename_symbol", apply);
    expect(warningsOf(answer)).toContain("answer/snippet-stripped");
    expect(read(work, "a.fake")).toBe("function hello_one$0() {}\n");
  });

  it("come in the protocol's later form as well", async () => {
    const later = { range: range(0, 9, 14), snippet: { kind: "snippet", value: "$0hello" } };
    const work = await rename({
      documentChanges: [{ textDocument: { uri: a, version: null }, edits: [later] }],
    });
    await work.call("rename_symbol", apply);
    expect(read(work, "a.fake")).toBe("function hello() {}\n");
  });

  it("that need an editor are refused", async () => {
    const work = await rename({ changes: { [a]: [snippet(`${"$"}{TM_FILENAME/(.*)/$1/}`)] } });
    expect(reasonsOf(await work.call("rename_symbol", greet))).toEqual(["a.fake edit/snippet"]);
  });
});

describe("annotations", () => {
  const annotated = (needsConfirmation: boolean) => ({
    changeAnnotations: { why: { label: "In comments", needsConfirmation, description: "found by text" } },
    documentChanges: [
      {
        textDocument: { uri: a, version: null },
        edits: [{ ...edit(0, 9, 14, "hello"), annotationId: "why" }],
      },
    ],
  });

  it("are shown with what they are about", async () => {
    const work = await rename(annotated(false));
    const answer = await work.call("rename_symbol", greet);
    expect(filesOf(answer)[0]).toMatchObject({ edits: [{ new_text: "hello", note: "In comments" }] });
    expect(answer.text).toContain("1:10-1:15  In comments");
  });

  it("that need confirmation have a warning, and are applied only after a preview", async () => {
    const work = await rename(annotated(true));
    expect(codeOf(await work.call("rename_symbol", apply))).toBe("edit/not-seen");
    expect(read(work, "a.fake")).toBe(files["a.fake"]);
    const preview = await work.call("rename_symbol", greet);
    expect(warningsOf(preview)).toContain("answer/needs-confirmation");
    const token = { ...apply, edit_token: preview.structured.edit_token ?? "" };
    expect((await work.call("rename_symbol", token)).structured).toMatchObject({ status: "applied" });
  });
});
