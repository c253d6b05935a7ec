/** Texts that are kept are those of files that have not changed, and no more of them than there is room for. */
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

  test("makes room for others, the least recently used first, counted in bytes", async () => {
    const names = ["a.txt", "b.txt", "c.txt", "d.txt"];
    const plain = Object.fromEntries(names.map((name) => [name, "x".repeat(1900)]));
    // Two bytes a character.
    const root = workspace({ ...plain, "e.txt": "é".repeat(950), "large.txt": "x".repeat(2100) });
    const path = (name: string) => join(root, name);
    later();
    const texts = new KnownTexts(10_000);
    const keep = async (name: string) => texts.put(path(name), await read(path(name)));
    const known = () =>
      [...names, "e.txt", "large.txt"].filter((name) => texts.get(path(name)) !== undefined);
    for (const name of names) await keep(name);
    expect(known()).toEqual(names);
    texts.get(path("a.txt"));
    await keep("e.txt");
    expect(known()).toEqual(["a.txt", "c.txt", "d.txt", "e.txt"]);
    // The same file again takes its own room, once.
    for (let times = 0; times < 5; times++) await keep("a.txt");
    expect(known()).toEqual(["a.txt", "c.txt", "d.txt", "e.txt"]);
    // One that would drive the others out is not kept.
    await keep("large.txt");
    expect(known()).toEqual(["a.txt", "c.txt", "d.txt", "e.txt"]);
  });
});
