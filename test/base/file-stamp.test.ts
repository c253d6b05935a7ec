/** Stamps tell whether a file changed without reading it. */
import { mkdtempSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { stampOf } from "../../src/base/file-stamp.js";
import { afterThis } from "../after-this.js";

function file(): string {
  const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-stamp-"));
  afterThis(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "a.txt");
  writeFileSync(path, "one");
  return path;
}

it("differs after a write of the same size whose modification time was set back", async () => {
  const path = file();
  utimesSync(path, 1_000, 1_000);
  const before = stampOf(path);
  const { ctimeMs } = statSync(path);
  while (statSync(path).ctimeMs === ctimeMs) {
    writeFileSync(path, "two");
    utimesSync(path, 1_000, 1_000);
    await new Promise((done) => setTimeout(done, 5));
  }
  expect(stampOf(path)?.text).not.toBe(before?.text);
});

it("is only of regular files: not of a folder, of nothing, or of what a link leads to", () => {
  const path = file();
  symlinkSync(path, `${path}.link`);
  expect([join(path, ".."), `${path}.none`, `${path}.link`].map(stampOf)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
