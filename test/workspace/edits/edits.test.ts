import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { sha256 } from "../../../src/base/hash.js";
import type { Edits } from "../../../src/workspace/edits/edits.js";
import {
  applyNow,
  type Bench,
  create,
  edit,
  makeBench,
  reasonsOf,
  refusalOf,
  remove,
  rename,
} from "./bench.js";

let bench: Bench;
let edits: Edits;

beforeEach(async () => {
  bench = makeBench();
  bench.write("src/a.ts", "export const one = 1;\n");
  bench.write("src/b.ts", "import { one } from './a';\nconsole.log(one);\n");
  edits = await bench.open();
});

afterEach(async () => {
  await edits.close();
  bench.remove();
});

const names = (folder: string): string[] => readdirSync(join(bench.root, folder)).toSorted();

describe("a preview", () => {
  test("shows files, hashes and a diff, and writes nothing", async () => {
    const before = bench.snapshot();
    const changes = [bench.change("src/a.ts", "one", "uno"), bench.change("src/b.ts", "one", "uno")];
    const preview = await edits.preview(changes);
    expect(preview.reasons).toEqual([]);
    expect(preview.files.map((file) => [file.shown, file.beforeSha256])).toEqual([
      ["src/a.ts", bench.hash("src/a.ts")],
      ["src/b.ts", bench.hash("src/b.ts")],
    ]);
    expect(preview.files[0]?.diff).toBe(
      "--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1,1 +1,1 @@\n-export const one = 1;\n+export const uno = 1;\n",
    );
    expect(bench.snapshot()).toEqual(before);
    expect((await edits.preview(changes)).token).toBe(preview.token);
  });

  test("reports every reason at once", async () => {
    mkdirSync(join(bench.root, "secret"));
    writeFileSync(join(bench.top, "extra/lib.ts"), "lib\n");
    const preview = await edits.preview([
      edit("src/a.ts", "0".repeat(64), [{ start: 0, end: 1, newText: "" }]),
      edit("src/b.ts", bench.hash("src/b.ts"), [
        { start: 0, end: 6, newText: "x" },
        { start: 3, end: 4, newText: "y" },
      ]),
      edit("src/b.ts", bench.hash("src/b.ts"), [{ start: 0, end: 6000, newText: "x" }]),
      create("../outside/x.ts"),
      create("secret/x.ts"),
      create(join(bench.top, "extra/x.ts")),
      create("src/a.ts"),
      rename("src/none.ts", "src/c.ts"),
      rename("src/b.ts", "src/a.ts"),
      rename("src", "src/inner"),
      remove("src"),
      remove("none"),
      remove("."),
      create("src/a.ts/below.ts"),
      create("bad\0name"),
    ]);
    expect(preview.reasons.map(({ code, path }) => `${code} ${path}`)).toEqual([
      "edit/bad-target .",
      `edit/read-only ${bench.top}/extra/x.ts`,
      "guard/not-a-file change 14",
      "guard/bad-uri change 15",
      "guard/outside-root change 4",
      "guard/denied change 5",
      "edit/missing none",
      "edit/bad-target src",
      "edit/not-empty src",
      "edit/changed src/a.ts",
      "edit/exists src/a.ts",
      "edit/exists src/b.ts",
      "edit/out-of-range src/b.ts",
      "edit/overlap src/b.ts",
      "edit/missing src/none.ts",
    ]);
    expect((await refusalOf(edits.apply(preview))).code).toBe("edit/refused");
  });

  test("names the change, not the file, where a file may not be renamed to that name", async () => {
    const preview = await edits.preview([
      bench.change("src/a.ts", "one", "uno"),
      rename("src/b.ts", "../outside/b.ts"),
      rename("src/b.ts", join(bench.top, "extra/b.ts")),
    ]);
    expect(preview.reasons.map(({ code, path }) => `${code} ${path}`)).toEqual([
      `edit/read-only ${bench.top}/extra/b.ts`,
      "guard/outside-root change 2",
    ]);
  });

  test("says in one sentence that the gate refused a path", async () => {
    const messageOf = async (name: string) =>
      (await refusalOf(edits.apply(await edits.preview([create(name)])))).message;
    expect(await messageOf("../outside/x.ts")).toBe(
      "Nothing was changed: change 1 is refused: the path leads outside the workspace folder `root`.",
    );
    const reasons = [await messageOf("bad\0name"), await messageOf("https://a.b/x.ts")];
    expect(reasons).toEqual([
      "Nothing was changed: change 1 is refused: the file name is empty, too long or contains a NUL character.",
      "Nothing was changed: change 1 is refused: only paths and `file:` URIs without a host are accepted.",
    ]);
    expect(await messageOf("src/a.ts")).toBe("Nothing was changed: src/a.ts exists already.");
  });
});

describe("applying", () => {
  test("changes all files and reports what happened", async () => {
    const { files, undoToken } = await applyNow(edits, [
      bench.change("src/a.ts", "one", "uno"),
      bench.change("src/b.ts", "one", "uno"),
    ]);
    expect(bench.text("src/a.ts")).toBe("export const uno = 1;\n");
    expect(bench.text("src/b.ts")).toContain("import { uno }");
    expect(files.map((file) => [file.shown, file.changes, file.afterSha256])).toEqual([
      ["src/a.ts", 1, bench.hash("src/a.ts")],
      ["src/b.ts", 1, bench.hash("src/b.ts")],
    ]);
    expect(names("src")).toEqual(["a.ts", "b.ts"]);
    expect(undoToken).toMatch(/^undo-/);
  });

  test("refuses whole when a file changed since the preview", async () => {
    const preview = await edits.preview([
      bench.change("src/a.ts", "one", "uno"),
      bench.change("src/b.ts", "one", "uno"),
    ]);
    bench.write("src/b.ts", "other\n");
    const before = bench.snapshot();
    const refusal = await refusalOf(edits.apply(preview));
    expect(refusal.code).toBe("edit/changed");
    expect(reasonsOf(refusal)).toEqual(["edit/changed src/b.ts"]);
    expect(bench.snapshot()).toEqual(before);
  });

  test("holds to the expected hashes", async () => {
    const preview = await edits.preview([
      bench.change("src/a.ts", "one", "uno"),
      bench.change("src/b.ts", "one", "uno"),
    ]);
    const refusal = await refusalOf(
      edits.apply(preview, { expected: { "src/a.ts": "0".repeat(64), "src/c.ts": "0".repeat(64) } }),
    );
    expect(reasonsOf(refusal)).toEqual([
      "edit/changed src/a.ts",
      "edit/unexpected src/b.ts",
      "edit/unexpected src/c.ts",
    ]);
    const expected = { "src/a.ts": bench.hash("src/a.ts"), "src/b.ts": bench.hash("src/b.ts") };
    await edits.apply(preview, { expected });
    expect(bench.text("src/a.ts")).toContain("uno");
  });

  test("applies a preview once", async () => {
    const preview = await edits.preview([bench.change("src/a.ts", "one", "uno")]);
    await edits.apply(preview);
    expect((await refusalOf(edits.apply(preview))).code).toBe("edit/changed");
  });

  test("keeps mode, byte-order mark, line ends and a missing last line end", async () => {
    bench.write("run.sh", "\ufeff#!/bin/sh\r\necho one", 0o751);
    await applyNow(edits, [bench.change("run.sh", "one", "uno\necho due")]);
    expect(bench.text("run.sh")).toBe("\ufeff#!/bin/sh\r\necho uno\r\necho due");
    expect(statSync(join(bench.root, "run.sh")).mode & 0o777).toBe(0o751);
  });

  test("edits the target of a symbolic link and keeps the link", async () => {
    symlinkSync("src/a.ts", join(bench.root, "alias.ts"));
    const { files } = await applyNow(edits, [bench.change("alias.ts", "one", "uno")]);
    expect(files.map((file) => file.shown)).toEqual(["src/a.ts"]);
    expect(lstatSync(join(bench.root, "alias.ts")).isSymbolicLink()).toBe(true);
    expect(bench.text("src/a.ts")).toContain("uno");
  });

  test("breaks a hard link instead of writing through it, and says so", async () => {
    linkSync(join(bench.root, "src/a.ts"), join(bench.top, "outside/a.ts"));
    const preview = await edits.preview([bench.change("src/a.ts", "one", "uno")]);
    expect(preview.files[0]?.otherLinks).toBe(1);
    await edits.apply(preview);
    expect(bench.text("src/a.ts")).toContain("uno");
    expect(bench.text("../outside/a.ts")).toContain("one");
  });

  test("makes backups when asked, and undo takes them back", async () => {
    const before = bench.snapshot();
    const preview = await edits.preview([
      bench.change("src/a.ts", "one", "uno"),
      bench.change("src/b.ts", "one", "uno"),
    ]);
    const applied = await edits.apply(preview, { backupSuffix: ".bak" });
    expect(applied.backups).toEqual(["src/a.ts.bak", "src/b.ts.bak"]);
    expect(applied.files.map((file) => file.shown)).toEqual(["src/a.ts", "src/b.ts"]);
    expect(bench.text("src/a.ts.bak")).toContain("const one");
    expect(bench.text("src/b.ts.bak")).toContain("log(one)");
    await edits.undo(applied.undoToken);
    expect(bench.snapshot()).toEqual(before);
    const again = await edits.preview([bench.change("src/a.ts", "one", "uno")]);
    for (const suffix of ["", "/x", "a:b"])
      expect((await refusalOf(edits.apply(again, { backupSuffix: suffix }))).code).toBe(
        "guard/invalid-arguments",
      );
  });

  test("replaces its own backups, never another file that is called like one", async () => {
    const change = async (from: string, to: string): Promise<unknown> => {
      const preview = await edits.preview([bench.change("src/a.ts", from, to)]);
      return edits.apply(preview, { backupSuffix: ".bak" });
    };
    bench.write("src/a.ts.bak", "somebody's\n");
    expect(reasonsOf(await refusalOf(change("one", "two")))).toEqual(["edit/exists src/a.ts.bak"]);
    expect([bench.text("src/a.ts.bak"), bench.text("src/a.ts")]).toEqual([
      "somebody's\n",
      "export const one = 1;\n",
    ]);
    await applyNow(edits, [remove("src/a.ts.bak")]);
    await change("one", "two");
    await change("two", "three");
    expect(bench.text("src/a.ts.bak")).toBe("export const two = 1;\n");
    bench.write("src/a.ts.bak", "changed since\n");
    expect((await refusalOf(change("three", "four"))).code).toBe("edit/exists");
    // A file that an edit created is not a backup.
    await applyNow(edits, [create("src/a.ts.bak", "made\n", { overwrite: true })]);
    expect((await refusalOf(change("three", "four"))).code).toBe("edit/exists");
    expect(bench.text("src/a.ts.bak")).toBe("made\n");
  });

  test("takes two edits of one text as one, and an edit of the result as the next", async () => {
    const hash = bench.hash("src/a.ts");
    const both = await edits.preview([
      edit("src/a.ts", hash, [{ start: 0, end: 6, newText: "EXPORT" }]),
      edit("src/a.ts", hash, [{ start: 7, end: 12, newText: "CONST" }]),
    ]);
    expect(both.files[0]?.changes).toHaveLength(2);
    const after = both.files[0]?.afterSha256 ?? "";
    await applyNow(edits, [
      edit("src/a.ts", hash, [{ start: 0, end: 6, newText: "EXPORT" }]),
      edit("src/a.ts", hash, [{ start: 7, end: 12, newText: "CONST" }]),
      edit("src/a.ts", after, [{ start: 0, end: 7, newText: "" }]),
    ]);
    expect(bench.text("src/a.ts")).toBe("CONST one = 1;\n");
  });
});

describe("files and folders", () => {
  test("creates, also folders on the way, and undoes both", async () => {
    const before = bench.snapshot();
    const { undoToken, operations } = await applyNow(edits, [create("new/deep/c.ts", "text\n")]);
    expect(bench.text("new/deep/c.ts")).toBe("text\n");
    expect(operations).toMatchObject([{ kind: "create", shown: "new/deep/c.ts" }]);
    await edits.undo(undoToken);
    expect(bench.snapshot()).toEqual(before);
  });

  test("renames a folder with edits in it, and undoes it", async () => {
    bench.write("src/deep/c.ts", "deep one\n", 0o640);
    const before = bench.snapshot();
    const change = bench.change("src/deep/c.ts", "one", "uno");
    if (change.kind !== "edit") throw new Error("not an edit");
    const { undoToken } = await applyNow(edits, [
      rename("src", "lib/source"),
      { ...change, path: "lib/source/deep/c.ts" },
      create("lib/source/new.ts", "new\n"),
      create("src/again.ts", "again\n"),
    ]);
    expect(bench.text("lib/source/deep/c.ts")).toBe("deep uno\n");
    expect(bench.text("lib/source/a.ts")).toContain("one");
    expect(bench.text("lib/source/new.ts")).toBe("new\n");
    expect(bench.text("src/again.ts")).toBe("again\n");
    expect(readdirSync(bench.root).filter((name) => name.startsWith("."))).toEqual([]);
    await edits.undo(undoToken);
    expect(bench.snapshot()).toEqual(before);
  });

  test("swaps two names in one edit", async () => {
    const [a, b] = [bench.text("src/a.ts"), bench.text("src/b.ts")];
    const before = bench.snapshot();
    const { undoToken } = await applyNow(edits, [
      rename("src/a.ts", "src/tmp.ts"),
      rename("src/b.ts", "src/a.ts"),
      rename("src/tmp.ts", "src/b.ts"),
    ]);
    expect([bench.text("src/b.ts"), bench.text("src/a.ts")]).toEqual([a, b]);
    await edits.undo(undoToken);
    expect(bench.snapshot()).toEqual(before);
  });

  test("creates, edits and renames a file in one edit", async () => {
    const before = bench.snapshot();
    const text = "text\n";
    const { undoToken, files } = await applyNow(edits, [
      create("n.ts", text),
      edit("n.ts", sha256(text), [{ start: 0, end: 0, newText: "more " }]),
      rename("n.ts", "m/n.ts"),
    ]);
    expect(bench.text("m/n.ts")).toBe("more text\n");
    expect(files.map((file) => file.shown)).toEqual(["m/n.ts"]);
    await edits.undo(undoToken);
    expect(bench.snapshot()).toEqual(before);
  });

  test("deletes a folder with all that is in it, and undoes it", async () => {
    bench.write("src/deep/bytes.bin", new Uint8Array([0, 255, 1, 254]), 0o600);
    symlinkSync("../outside-nowhere", join(bench.root, "src/link"));
    mkdirSync(join(bench.root, "src/empty"));
    chmodSync(join(bench.root, "src/empty"), 0o711);
    const before = bench.snapshot();
    const preview = await edits.preview([remove("src", { recursive: true })]);
    expect(preview.files.map((file) => file.shown)).toEqual(["src/a.ts", "src/b.ts", "src/deep/bytes.bin"]);
    const { undoToken } = await edits.apply(preview);
    expect(readdirSync(bench.root)).toEqual([]);
    await edits.undo(undoToken);
    expect(bench.snapshot()).toEqual(before);
  });

  test("follows the options of each operation", async () => {
    const before = bench.snapshot();
    const preview = await edits.preview([
      create("src/a.ts", "x", { ignoreIfExists: true }),
      rename("src/a.ts", "src/b.ts", { ignoreIfExists: true }),
      remove("none", { ignoreIfNotExists: true }),
    ]);
    expect(preview.reasons).toEqual([]);
    expect(preview.operations.map((operation) => operation.skipped)).toEqual([true, true, true]);
    await edits.apply(preview);
    expect(bench.snapshot()).toEqual(before);
    const { undoToken } = await applyNow(edits, [
      create("src/a.ts", "x", { overwrite: true, ignoreIfExists: true }),
      rename("src/a.ts", "src/b.ts", { overwrite: true }),
    ]);
    expect(names("src")).toEqual(["b.ts"]);
    expect(bench.text("src/b.ts")).toBe("x");
    await edits.undo(undoToken);
    expect(bench.snapshot()).toEqual(before);
  });

  test("replaces a file that is no text, and edits what it became", async () => {
    bench.write("data", new Uint8Array([0, 159, 1]));
    const before = bench.snapshot();
    const preview = await edits.preview([create("data", "text\n", { overwrite: true })]);
    expect(preview.files[0]?.diff).toBe("Binary file data is replaced\n");
    const { undoToken } = await applyNow(edits, [
      create("data", "text\n", { overwrite: true }),
      edit("data", sha256("text\n"), [{ start: 0, end: 0, newText: "more " }]),
    ]);
    expect(bench.text("data")).toBe("more text\n");
    await edits.undo(undoToken);
    expect(bench.snapshot()).toEqual(before);
    const refusal = await refusalOf(
      applyNow(edits, [edit("data", bench.hash("data"), [{ start: 0, end: 0, newText: "x" }])]),
    );
    expect(refusal.code).toBe("guard/not-a-file");
  });

  test("renames a file that it edits before or after", async () => {
    const before = bench.snapshot();
    const change = bench.change("src/a.ts", "one", "uno");
    if (change.kind !== "edit") throw new Error("not an edit");
    for (const changes of [
      [change, rename("src/a.ts", "src/z.ts")],
      [rename("src/a.ts", "src/z.ts"), { ...change, path: "src/z.ts" }],
    ]) {
      const { undoToken } = await applyNow(edits, changes);
      expect(names("src")).toEqual(["b.ts", "z.ts"]);
      expect(bench.text("src/z.ts")).toContain("uno");
      await edits.undo(undoToken);
      expect(bench.snapshot()).toEqual(before);
    }
  });

  test("renames and deletes a symbolic link, never its target", async () => {
    symlinkSync(join(bench.top, "outside"), join(bench.root, "way-out"));
    writeFileSync(join(bench.top, "outside/x"), "x");
    const before = bench.snapshot();
    const moved = await applyNow(edits, [rename("way-out", "door")]);
    expect(lstatSync(join(bench.root, "door")).isSymbolicLink()).toBe(true);
    const gone = await applyNow(edits, [remove("door")]);
    expect(existsSync(join(bench.root, "door"))).toBe(false);
    expect(existsSync(join(bench.top, "outside/x"))).toBe(true);
    await edits.undo(gone.undoToken);
    await edits.undo(moved.undoToken);
    expect(bench.snapshot()).toEqual(before);
  });

  test("leaves denied files where they are", async () => {
    bench.write("pack/.git/config", "x");
    expect((await edits.preview([remove("pack", { recursive: true })])).reasons[0]?.code).toBe(
      "guard/denied",
    );
    expect((await edits.preview([rename("pack", "other")])).reasons[0]?.code).toBe("guard/denied");
  });
});

describe("undo", () => {
  test("works after a restart, once", async () => {
    const before = bench.snapshot();
    const { undoToken } = await applyNow(edits, [bench.change("src/a.ts", "one", "uno")]);
    const later = await bench.open();
    const undone = await later.undo(undoToken);
    expect(undone.files.map((file) => [file.shown, file.afterSha256])).toEqual([
      ["src/a.ts", bench.hash("src/a.ts")],
    ]);
    expect(bench.snapshot()).toEqual(before);
    expect((await refusalOf(edits.undo(undoToken))).code).toBe("edit/unknown-undo");
    expect((await refusalOf(edits.undo("undo-../../x"))).code).toBe("edit/unknown-undo");
  });

  test("lists every conflict and does nothing then", async () => {
    const { undoToken } = await applyNow(edits, [
      bench.change("src/a.ts", "one", "uno"),
      bench.change("src/b.ts", "one", "uno"),
      create("c.ts", "c"),
      create("d.ts", "d"),
    ]);
    bench.write("src/b.ts", "mine\n");
    bench.write("c.ts", "mine\n");
    const before = bench.snapshot();
    const refusal = await refusalOf(edits.undo(undoToken));
    expect(refusal.code).toBe("edit/undo-conflict");
    expect(reasonsOf(refusal)).toEqual(["edit/undo-conflict c.ts", "edit/undo-conflict src/b.ts"]);
    expect(bench.snapshot()).toEqual(before);
  });

  test("of a delete does not replace what is there anew", async () => {
    const { undoToken } = await applyNow(edits, [remove("src/a.ts")]);
    bench.write("src/a.ts", "new\n");
    expect((await refusalOf(edits.undo(undoToken))).code).toBe("edit/undo-conflict");
    expect(bench.text("src/a.ts")).toBe("new\n");
  });
});
