/** Files are read on the spot while that is quick, and elsewhere while it holds others up. */
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { readText } from "../../src/lsp/documents/file.js";
import { afterThis, workspace } from "./support.js";

/** Counts where files are opened; each opening on the spot takes so long. */
function watchOpens(slowMs: number): { here: number; elsewhere: number } {
  const opened = { here: 0, elsewhere: 0 };
  const { openSync } = fs;
  const { open } = fs.promises;
  fs.openSync = (...args: Parameters<typeof openSync>) => {
    opened.here++;
    for (const until = performance.now() + slowMs; performance.now() < until; );
    return openSync(...args);
  };
  fs.promises.open = (...args: Parameters<typeof open>) => {
    opened.elsewhere++;
    return open(...args);
  };
  syncBuiltinESMExports();
  afterThis(() => {
    fs.openSync = openSync;
    fs.promises.open = open;
    syncBuiltinESMExports();
  });
  return opened;
}

test("a disk that is slow is waited for elsewhere, and tried again after a while", async () => {
  const path = join(workspace({ "a.txt": "text" }), "a.txt");
  const read = async () => (await readText(path, "it", 1_000)).lines.text;
  const opened = watchOpens(30);
  const readUntil = (holds: () => boolean) =>
    vi.waitFor(
      async () => {
        expect(await read()).toBe("text");
        expect(holds()).toBe(true);
      },
      { timeout: 20_000, interval: 20 },
    );
  await readUntil(() => opened.here > 0);
  const { elsewhere } = opened;
  await readUntil(() => opened.elsewhere > elsewhere);
  const { here } = opened;
  await readUntil(() => opened.here > here);
});

test("of very many files in one turn only the first are read on the spot", async () => {
  const names = Array.from({ length: 40 }, (_, n) => `f${n}.txt`);
  const root = workspace(Object.fromEntries(names.map((name) => [name, name])));
  const opened = watchOpens(1);
  const texts = await Promise.all(names.map((name) => readText(join(root, name), "it", 1_000)));
  expect(texts.map(({ lines }) => lines.text)).toEqual(names);
  expect(opened.here).toBeLessThan(10);
  expect(opened.here + opened.elsewhere).toBe(names.length);
});
