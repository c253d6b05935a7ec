/** Texts that are kept are those of files that have not changed, and no more of them than there is room for. */
import { renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { readText } from "../../src/lsp/documents/file.js";
import { KnownTexts } from "../../src/lsp/documents/known-texts.js";
import { afterThis, workspace, write } from "./support.js";

const read = (path: string) => readText(path, "it", 10_000);
/** A file that was written two seconds ago and more is known by its stamp. */
function later(): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 });
  afterThis(() => {
    vi.useRealTimers();
  });
}

describe("a text that was read", () => {
  test("is there while the file is as it was", async () => {
    const path = join(workspace({ "a.txt": "one" }), "a.txt");
    later();
    const texts = new KnownTexts();
    expect(texts.get(path)).toBeUndefined();
    texts.put(path, await read(path));
    expect(texts.get(path)?.text).toBe("one");
    write(path, "two");
    expect(texts.get(path)).toBeUndefined();
  });

  test("is not trusted when the file was written just before: it may be once more, in the same moment", async () => {
    const path = join(workspace({ "a.txt": "one" }), "a.txt");
    const texts = new KnownTexts();
    texts.put(path, await read(path));
    later();
    expect(texts.get(path)).toBeUndefined();
  });

  test("is forgotten when the file cannot be read any more", async () => {
    const path = join(workspace({ "a.txt": "one" }), "a.txt");
    later();
    const texts = new KnownTexts();
    texts.put(path, await read(path));
    texts.put(path, undefined);
    expect(texts.get(path)).toBeUndefined();
  });

  test("is there no longer once somebody took it, and is taken only as the file is", async () => {
    const path = join(workspace({ "a.txt": "one" }), "a.txt");
    later();
    const texts = new KnownTexts(2_400);
    const text = await read(path);
    texts.put(path, text);
    const taken = texts.take(path);
    expect([taken?.hash, taken?.stamp, taken?.lines.cuts]).toEqual([text.hash, text.stamp, text.lines.cuts]);
    expect(taken?.lines.text).toBe("one");
    expect(texts.get(path)).toBeUndefined();
    expect(texts.take(path)).toBeUndefined();
    // What was taken takes no room.
    for (let times = 0; times < 9; times++) {
      texts.put(path, text);
      texts.take(path);
    }
    texts.put(path, text);
    expect(texts.get(path)?.text).toBe("one");
    write(path, "two");
    expect(texts.take(path)).toBeUndefined();
  });

  test("is not taken through a link to where its folder was moved", async () => {
    const root = workspace({ "folder/a.txt": "one", "elsewhere/b.txt": "" });
    const path = join(root, "folder/a.txt");
    later();
    const texts = new KnownTexts();
    texts.put(path, await read(path));
    renameSync(join(root, "folder"), join(root, "elsewhere/folder"));
    symlinkSync(join(root, "elsewhere/folder"), join(root, "folder"));
    expect(texts.take(path)).toBeUndefined();
  });

  test("stays as it was read, whatever was read since", async () => {
    const names = Array.from({ length: 30 }, (_, number) => `${number}.txt`);
    const textOf = (name: string) => `${name} é\r\n`.repeat(1 + Number.parseInt(name, 10) * 3);
    const root = workspace(Object.fromEntries(names.map((name) => [name, textOf(name)])));
    later();
    const texts = new KnownTexts(8_000);
    for (let round = 0; round < 200; round++) {
      const name = names[(round * 7 + round ** 2) % names.length] ?? "";
      const path = join(root, name);
      if (round % 3 === 0) texts.put(path, await read(path));
      for (const other of names) {
        const lines = texts.get(join(root, other));
        if (lines === undefined) continue;
        expect(lines.text).toBe(textOf(other));
        expect([lines.count, lines.line(0), lines.oddCount]).toEqual([
          lines.oddCount + 1,
          `${other} é`,
          lines.count - 1,
        ]);
      }
    }
  });

  test("that is used again and again is not read again, however many others are", async () => {
    const names = Array.from({ length: 30 }, (_, number) => `${number}.txt`);
    const root = workspace(Object.fromEntries(names.map((name) => [name, "x".repeat(1_500)])));
    const path = (name: string) => join(root, name);
    later();
    const texts = new KnownTexts(10_000);
    for (const name of names) {
      texts.put(path(name), await read(path(name)));
      expect(texts.get(path("0.txt"))?.text).toBe("x".repeat(1_500));
    }
    expect(texts.get(path("1.txt"))).toBeUndefined();
  });

  test("makes room for others, those that were not used lately first, counted in bytes", async () => {
    const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
    const plain = Object.fromEntries(names.map((name) => [name, "x".repeat(1900)]));
    // Two bytes a character.
    const root = workspace({
      ...plain,
      "e.txt": "é".repeat(950),
      "large.txt": "x".repeat(2600),
      "lines.txt": "\n".repeat(600),
    });
    const path = (name: string) => join(root, name);
    later();
    const texts = new KnownTexts(10_000);
    const keep = async (name: string) => texts.put(path(name), await read(path(name)));
    const known = () =>
      [...names, "e.txt", "large.txt", "lines.txt"].filter((name) => texts.get(path(name)) !== undefined);
    for (const name of names) await keep(name);
    expect(known()).toEqual(names);
    texts.get(path("a.txt"));
    await keep("e.txt");
    expect(known()).toEqual(["a.txt", "c.txt", "d.txt", "e.txt"]);
    // The same file again counts once.
    await keep("a.txt");
    expect(known()).toEqual(["a.txt", "c.txt", "d.txt", "e.txt"]);
    // One that would drive the others out is not kept, nor one with so many lines.
    await keep("large.txt");
    await keep("lines.txt");
    expect(known()).toEqual(["a.txt", "c.txt", "d.txt", "e.txt"]);
  });
});
