import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { diskFiles, readOrExplain } from "../../src/config/files.js";

let folder: string;
beforeEach(() => {
  folder = diskFiles.realpath(mkdtempSync(join(tmpdir(), "files-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the disk", () => {
  test("reads existing files, and distinguishes absence from failure", () => {
    writeFileSync(join(folder, "a"), "é");
    expect(Buffer.from(diskFiles.read(join(folder, "a")) ?? "").toString()).toBe("é");
    expect(diskFiles.read(join(folder, "none"))).toBeUndefined();
    expect(diskFiles.read(join(folder, "a", "b"))).toBeUndefined();
    expect(readOrExplain(diskFiles, folder)).toEqual({ failure: "cannot be read (ENOTFILE)", absent: false });
  });

  test("never waits for a pipe, and reads no more of a huge file than shows its size", () => {
    execFileSync("mkfifo", [join(folder, "pipe")]);
    expect(readOrExplain(diskFiles, join(folder, "pipe"))).toHaveProperty("failure");
    writeFileSync(join(folder, "huge"), Buffer.alloc(3_000_000));
    expect(diskFiles.read(join(folder, "huge"))).toHaveLength(1_048_577);
  });

  test("lists kinds, follows no link while listing, and resolves links when asked", () => {
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "file"), "");
    symlinkSync(join(folder, "sub"), join(folder, "link"));
    expect(diskFiles.list(folder).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
      { name: "file", kind: "file" },
      { name: "link", kind: "other" },
      { name: "sub", kind: "folder" },
    ]);
    expect(diskFiles.list(join(folder, "none"))).toEqual([]);
    expect(diskFiles.realpath(join(folder, "link"))).toBe(join(folder, "sub"));
    expect(diskFiles.realpath(join(folder, "none"))).toBe(join(folder, "none"));
  });

  test("leaves nothing behind when it cannot replace a file", () => {
    mkdirSync(join(folder, "taken", "inner"), { recursive: true });
    expect(() => diskFiles.replace(join(folder, "taken"), "x")).toThrow();
    expect(readdirSync(folder)).toEqual(["taken"]);
  });
});
