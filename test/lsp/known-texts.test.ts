/** Texts that are kept are those of files that have not changed, and no more of them than there is room for. */
import { utimesSync } from "node:fs";
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
    const root = workspace({ "a.txt": "a".repeat(400), "b.txt": "b".repeat(400), "c.txt": "é".repeat(250) });
    const [a = "", b = "", c = ""] = ["a.txt", "b.txt", "c.txt"].map((name) => join(root, name));
    for (const path of [a, b, c]) utimesSync(path, 1, 1);
    later();
    const texts = new KnownTexts(1000);
    for (const path of [a, b]) texts.put(path, await read(path));
    expect(texts.get(a)?.text).toHaveLength(400);
    // Two bytes a character: it does not fit beside both.
    texts.put(c, await read(c));
    expect(texts.get(b)).toBeUndefined();
    expect(texts.get(a)?.text).toHaveLength(400);
    expect(texts.get(c)?.text).toHaveLength(250);
    // The same file again takes its own room, once.
    for (let times = 0; times < 5; times++) texts.put(a, await read(a));
    expect(texts.get(c)?.text).toHaveLength(250);
  });
});
