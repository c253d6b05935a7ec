import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readPlainFile, readRegularFile } from "../../src/base/guarded-open.js";

const folder = mkdtempSync(join(tmpdir(), "lsp-proxy-guarded-"));
const at = (name: string) => join(folder, name);
const read = (path: string, maxBytes: number) => readRegularFile(path, maxBytes)?.bytes.toString();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a regular file is read up to the limit, also through a link", () => {
  writeFileSync(at("file"), "12345");
  writeFileSync(at("empty"), "");
  symlinkSync(at("file"), at("link"));
  expect([read(at("file"), 9), read(at("file"), 3), read(at("link"), 9)]).toEqual(["12345", "123", "12345"]);
  expect(read(at("empty"), 9)).toBe("");
  expect(readRegularFile(at("file"), 3)?.stats.size).toBe(5);
});

test("a missing file is an error; a folder or a pipe has no content", () => {
  expect(() => readRegularFile(at("none"), 9)).toThrow("ENOENT");
  expect(readRegularFile(folder, 9)).toBeUndefined();
  execFileSync("mkfifo", [at("pipe")]);
  expect(readRegularFile(at("pipe"), 9)).toBeUndefined();
});

test("a plain file is read; a link, a folder and a missing file are none", () => {
  writeFileSync(at("plain"), "12345");
  symlinkSync(at("plain"), at("other-link"));
  expect(readPlainFile(at("plain"), 3)?.toString()).toBe("123");
  for (const path of [at("other-link"), folder, at("none")]) expect(readPlainFile(path, 9)).toBeUndefined();
});

test.skipIf(process.platform !== "linux")("a virtual file has content although its size is 0", () => {
  expect(read("/proc/self/status", 5)).toBe("Name:");
});
