/** Where hubs listen: a socket in the user's folder, a named pipe on Windows. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { platforms } from "../../src/base/platform.js";
import { HubUnavailable, hubFolder, socketOf } from "../../src/hub/hub-folder.js";

it("on Windows a hub listens on a pipe of its user, and its folder is in the user's own data", () => {
  const folder = hubFolder({ LOCALAPPDATA: "C:\\Users\\me\\AppData\\Local" }, platforms.win32);
  expect(folder).toBe("C:\\Users\\me\\AppData\\Local\\lsp-proxy\\hub");
  expect(socketOf(folder, "0123abcd", platforms.win32)).toBe(
    `\\\\.\\pipe\\lsp-proxy-${userInfo().username}-0123abcd`,
  );
  // A pipe is in no folder, so the length of the folder's path does not matter.
  expect(socketOf("x".repeat(300), "0123abcd", platforms.win32)).toBe(
    socketOf(folder, "0123abcd", platforms.win32),
  );
});

it("elsewhere a hub listens on a socket in the folder of the user's session, or of temporary files", () => {
  const runtime = mkdtempSync(join(tmpdir(), "lsp-proxy-run-"));
  expect(hubFolder({ XDG_RUNTIME_DIR: runtime }, platforms.linux)).toBe(join(runtime, "lsp-proxy"));
  rmSync(runtime, { recursive: true });
  for (const missing of [undefined, "", "relative", runtime])
    expect(hubFolder({ XDG_RUNTIME_DIR: missing, TMPDIR: "/t" }, platforms.linux)).toBe(
      `/t/lsp-proxy-${process.geteuid?.()}`,
    );
  expect(hubFolder({ TMPDIR: "relative" }, platforms.linux)).toBe(
    `${tmpdir()}/lsp-proxy-${process.geteuid?.()}`,
  );
  expect(socketOf("/t/hubs", "0123abcd", platforms.linux)).toBe("/t/hubs/0123abcd.sock");
  expect(() => socketOf(`/${"x".repeat(100)}`, "0123abcd", platforms.linux)).toThrow(HubUnavailable);
});
