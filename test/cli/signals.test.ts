import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { program, testEnvironment } from "../live/session.js";

let folder: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-signals-")));
  writeFileSync(join(folder, "lspi.toml"), '[[servers]]\nid = "py"\nkind = "pyright"\n');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const handshake = `${JSON.stringify({
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "0" } },
})}\n`;

/** Starts `serve`, waits for the handshake, does something to it, and tells how it ended. */
function ended(command: string, args: string[], act: (child: ReturnType<typeof spawn>) => void) {
  return new Promise<{ code: number | null; signal: string | null }>((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: folder,
      env: testEnvironment(),
      stdio: ["pipe", "pipe", "ignore"],
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.stdout?.once("data", () => act(child));
    child.stdin?.write(handshake);
  });
}

const serve = [program, "serve", "--config", "lspi.toml"];

describe("serve ends", () => {
  it.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
    "on %s, while its stdin is still open",
    async (signal) => {
      expect(await ended(process.execPath, serve, (child) => child.kill(signal))).toEqual({
        code: 0,
        signal: null,
      });
    },
  );

  it("when its client closes stdin", async () => {
    expect(await ended(process.execPath, serve, (child) => child.stdin?.end())).toEqual({
      code: 0,
      signal: null,
    });
  });

  it("when its client is gone and nothing can be written", async () => {
    const outcome = ended(process.execPath, serve, (child) => {
      child.stdout?.destroy();
      child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`);
    });
    expect(await outcome).toMatchObject({ signal: null });
  });
});
