/** Paths that lead nowhere: below a file, or through a link to itself. The user gets a message, not an internal error. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { INSTALL_RECORD, installedVersions } from "../../src/lsp/process/search.js";
import { runHere } from "./terminal.js";

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-nowhere-")));
  writeFileSync(join(top, "file"), "");
  symlinkSync("loop", join(top, "loop"));
  mkdirSync(join(top, "w"));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe.each(["file/x", "loop"])("%s", (path) => {
  it.each([
    [["-C", path, "doctor"], "-C takes a folder"],
    [["explain", "--workspace", path], "--workspace: "],
    [["status", "--workspace", path], "--workspace: "],
    [["init", "--workspace", path], "--workspace: "],
    [["add", "typescript", "--workspace", path], "--workspace: "],
    [["trust", "--yes", "--workspace", path], "--workspace: "],
    [["verify", "--modules", path, "typescript"], "--modules takes a folder"],
    [["export", "claude", "--workspace", "w", "--output", `${path}/x`], "cli/not-writable"],
    [["generate", "--workspace", "w", "--out", `${path}/x`], "cli/not-writable"],
    [["generate", "--workspace", "w", "--out", `${path}/x`, "--check"], "There is no bundle"],
  ])("%j says: %s", async (words, message) => {
    const { code, stdout, stderr } = await runHere(words, {
      cwd: top,
      env: { HOME: top, XDG_STATE_HOME: join(top, "state"), XDG_CONFIG_HOME: join(top, "config") },
    });
    expect(stdout + stderr).not.toContain("internal error");
    expect(stdout + stderr).toContain(message);
    expect(code).not.toBe(0);
  });
});

it("a file among the installed versions of a server is none of them", () => {
  const version = join(top, "servers", "1.0.0");
  mkdirSync(version, { recursive: true });
  writeFileSync(join(version, INSTALL_RECORD), "{}");
  writeFileSync(join(top, "servers", "notes.txt"), "");
  expect(installedVersions(join(top, "servers"))).toEqual([version]);
});
