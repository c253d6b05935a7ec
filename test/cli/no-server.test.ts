/** A workspace that no language server serves: every answer says that nothing was searched, and what to install. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runHere } from "./terminal.js";

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "lsp-proxy-no-server-"));
  for (const [name, text] of Object.entries({
    "none/notes.xyz": "hello\n",
    "zig/main.zig": "pub fn main() void {}\n",
    "other/main.zig": "pub fn main() void {}\n",
    "other/lspi.toml": '[[servers]]\nid = "mine"\ncommand = "cat"\nextensions = ["mine"]\n',
  })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const call = (workspace: string, ...words: string[]) =>
  runHere(["call", ...words, "--trust-workspace"], {
    cwd: join(folder, workspace),
    // No language server that this machine has is found.
    env: { PATH: dirname(process.execPath), HOME: folder, XDG_STATE_HOME: join(folder, "state") },
  });

describe("without a language server", () => {
  it.each([
    ["a symbol", "find_definition", "symbol_name=x"],
    ["a search", "search_workspace_symbols", "query=x"],
  ])("%s is refused: nothing was searched", async (_what, ...words) => {
    const { code, stdout } = await call("none", ...words);
    expect(code).toBe(1);
    expect(stdout).toContain("Error route/no-server: No language server is configured or was found");
    expect(stdout).toContain("so nothing was searched.");
    expect(stdout).toContain("lsp-proxy add NAME");
  });

  it("the servers for the files that are here are named", async () => {
    const { stdout } = await call("zig", "find_definition", "symbol_name=main");
    expect(stdout).toContain("so nothing was searched. `zls` would serve files that are here.");
    expect(stdout).toContain("Next: lsp-proxy install zls");
    expect(stdout).not.toContain("lsp-proxy add");
  });

  it("the status says what to do", async () => {
    const { stdout } = await call("zig", "get_server_status");
    expect(stdout).toContain("no servers\n");
    expect(stdout).toContain("Warning answer/no-server: No language server is configured or was found");
    expect(stdout).toContain("Next: lsp-proxy install zls");
  });
});

it("a configured server without a file here was not asked", async () => {
  const { code, stdout } = await call("other", "search_workspace_symbols", "query=x");
  expect(code).toBe(1);
  expect(stdout).toContain("Error route/no-server: The workspace has no file for mine, so nothing was");
  expect(stdout).toContain("Next: lsp-proxy add zls");
});
