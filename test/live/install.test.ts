/**
 * Real installations from npm and PyPI into an empty home, and an answer from what was installed. Each is skipped, with the
 * reason, where its package manager is not installed or its registry cannot be reached. `npm run first-hour` installs from
 * the Go proxy and with Rust too, which compiles what it installs.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const bin = fileURLToPath(new URL("../../dist/cli/bin.js", import.meta.url));
let top = "";
beforeAll(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-real-install-")));
  for (const name of ["data", "ws"]) mkdirSync(join(top, name));
});
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** PATH without this project's own packages, which have some of the servers. */
const path = (process.env.PATH ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .join(delimiter);
const env = () => ({
  ...process.env,
  PATH: path,
  XDG_DATA_HOME: join(top, "data"),
  XDG_STATE_HOME: join(top, "state"),
  XDG_CONFIG_HOME: join(top, "config"),
  LSPI_CONFIG_PATH: "",
});
const proxy = (...args: string[]) =>
  spawnSync(process.execPath, [bin, ...args], {
    ...{ cwd: join(top, "ws"), env: env(), encoding: "utf8", timeout: 570_000 },
  });

interface Real {
  id: string;
  /** A question to the registry; where it fails, nothing can be installed. */
  reach: [string, ...string[]];
  file: string;
  text: string;
  symbol: string;
}

const reals: Real[] = [
  {
    id: "bash-language-server",
    reach: ["npm", "view", "bash-language-server", "version", "--fetch-retries=0"],
    file: "a.sh",
    text: "greet() {\n  echo hello\n}\n",
    symbol: "greet",
  },
  {
    id: "jedi-language-server",
    reach: ["python3", "-m", "pip", "index", "versions", "jedi-language-server", "--retries=0"],
    file: "a.py",
    text: "def greet():\n    return 1\n",
    symbol: "greet",
  },
];

describe.each(reals)("$id", ({ id, reach: [program, ...args], file, text, symbol }) => {
  it("is installed, answers, and is removed", { timeout: 600_000 }, ({ skip }) => {
    const reached = spawnSync(program, args, { cwd: tmpdir(), env: env(), timeout: 60_000 });
    skip(reached.error !== undefined, `${program} is not installed`);
    skip(reached.status !== 0, `the registry of ${program} cannot be reached`);
    const installed = proxy("install", id);
    // A server that the system has already is not installed again.
    const isOwn = !installed.stdout.includes("already installed");
    expect([installed.status, installed.stderr]).toEqual([0, ""]);
    if (isOwn) expect(readdirSync(join(top, "data/lsp-proxy/servers", id))).toHaveLength(1);
    writeFileSync(join(top, "ws", file), text);
    writeFileSync(join(top, "lspi.json"), JSON.stringify({ servers: [{ id, kind: id }] }));
    const words = ["--config", join(top, "lspi.json"), "--workspace", join(top, "ws"), "--trust-workspace"];
    const call = proxy("call", "get_document_symbols", JSON.stringify({ file_path: file }), ...words);
    expect(call.stdout + call.stderr).toContain(symbol);
    expect(call.status).toBe(0);
    if (!isOwn) return;
    expect(proxy("install", "--list").stdout).toContain(id);
    expect(proxy("uninstall", id).status).toBe(0);
    expect(readdirSync(join(top, "data/lsp-proxy/servers"))).toEqual([]);
  });
});
