/** A config that changes while it is served: the session switches to it, its servers keep running, problems are shown. */
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { ToolListChangedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { codes } from "../../src/base/codes.js";
import { binaries, program, testEnvironment } from "../live/session.js";
import { run } from "./run.js";

const servers = `[allow]
commands = ["tsc", "pyright-langserver"]
[[servers]]
id = "ts"
kind = "typescript"
`;
const python = '[[servers]]\nid = "py"\nkind = "pyright"\n';
const tool = `[[tools]]
name = "count_uses"
title = "Count uses"
description = "The uses of a symbol."
input = ["position", "symbol"]
output = "locations"
request = { method = "textDocument/references", params = { base = "text_document_position", set = { context = { includeDeclaration = true } } } }
`;

let top: string;
let client: Client;
let changes = 0;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-reload-")));
  for (const name of ["home", "w"]) mkdirSync(join(top, name));
  writeFileSync(join(top, "w/a.ts"), "export const one = 1;\n");
  writeFileSync(join(top, "w/a.py"), "def two():\n    return 2\n");
  changes = 0;
});
afterEach(async () => {
  await client.close();
  rmSync(top, { recursive: true, force: true });
});

const env = () => ({
  ...testEnvironment(),
  HOME: join(top, "home"),
  XDG_STATE_HOME: join(top, "state"),
  XDG_CONFIG_HOME: join(top, "config"),
});
const write = (text: string) => {
  writeFileSync(join(top, "w/next"), text);
  renameSync(join(top, "w/next"), join(top, "w/lspi.toml"));
};

const connect = (...args: string[]) => connectWith(env(), ...args);

async function connectWith(env: { [name: string]: string }, ...args: string[]): Promise<void> {
  client = new Client({ name: "test", version: "0" });
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    changes++;
  });
  const start = {
    command: process.execPath,
    args: [program, "serve", ...args],
    cwd: join(top, "w"),
    env,
  };
  await client.connect(new StdioClientTransport({ ...start, stderr: "ignore" }));
}

const call = async (name: string, args: object = {}) =>
  JSON.stringify((await client.callTool({ name, arguments: { ...args } })).structuredContent);
const tools = async () => (await client.listTools()).tools.map(({ name }) => name);
const pidOf = async (id: string): Promise<number> => {
  const { structuredContent } = await client.callTool({ name: "get_server_status", arguments: {} });
  const { servers } = structuredContent as { servers: { id: string; pid: number }[] };
  return servers.find((server) => server.id === id)?.pid ?? 0;
};
const status = () => call("get_server_status");

it("a named config: tools and servers come and go, an unchanged server keeps running, problems change nothing", async () => {
  write(servers);
  await connect("--config", "lspi.toml");
  expect(await call("get_document_symbols", { file_path: "a.ts" })).toContain("one");
  const pid = await pidOf("ts");
  expect(pid).toBeGreaterThan(0);
  expect(await tools()).not.toContain("count_uses");

  write(`${servers}${python}${tool}`);
  await vi.waitUntil(() => changes === 1, { timeout: 60_000 });
  expect(await tools()).toContain("count_uses");
  expect(await call("get_document_symbols", { file_path: "a.py" })).toContain("two");
  expect(await pidOf("ts")).toBe(pid);
  expect(await call("count_uses", { file_path: "a.ts", symbol_name: "one" })).toContain('"total":1');
  const python1 = await pidOf("py");
  // The refusal to edit a config says so too.
  expect(codes["edit/own-config"].fix).toContain("used without a restart");

  write(`${servers}nonsense = 1\n`);
  await vi.waitUntil(async () => (await status()).includes("answer/config-not-used"), { timeout: 60_000 });
  expect(await status()).toMatch(
    /not used, it has 1 problem: config\/unknown-key in \S*lspi\.\w+:\d+: .*nonsense/,
  );
  expect(await tools()).toContain("count_uses");
  expect(await pidOf("py")).toBe(python1);
  expect(changes).toBe(1);

  write(servers);
  await vi.waitUntil(() => changes === 2, { timeout: 60_000 });
  expect(await status()).not.toContain("config-not-used");
  expect(await tools()).not.toContain("count_uses");
  expect(await pidOf("ts")).toBe(pid);
  // The server that is no longer declared is ended.
  await vi.waitUntil(() => !isAlive(python1), { timeout: 60_000 });
  expect(await call("get_document_symbols", { file_path: "a.ts" })).toContain("one");
}, 180_000);

it("a found config: a change needs trust, and trust that is given elsewhere is noticed", async () => {
  write(servers);
  await connect();
  expect(await call("get_document_symbols", { file_path: "a.ts" })).toContain("config/untrusted");
  await run(["trust", "--yes"], { cwd: join(top, "w"), env: env() });
  await vi.waitUntil(
    async () => (await call("get_document_symbols", { file_path: "a.ts" })).includes("one"),
    { timeout: 60_000, interval: 500 },
  );
  write(`${servers}${tool}`);
  await vi.waitUntil(async () => (await status()).includes("answer/config-not-used"), { timeout: 60_000 });
  // The agent does not read what the config says.
  expect(await status()).not.toContain("count_uses");
  expect(await tools()).not.toContain("count_uses");
  await run(["trust", "--yes"], { cwd: join(top, "w"), env: env() });
  await vi.waitUntil(async () => (await tools()).includes("count_uses"), { timeout: 60_000, interval: 500 });
}, 180_000);

it("a found config that loses its trust: calls are refused until it is trusted again, also where it has problems", async () => {
  const here = { cwd: join(top, "w"), env: env() };
  const symbols = () => call("get_document_symbols", { file_path: "a.ts" });
  write(servers);
  await run(["trust", "--yes"], here);
  await connect();
  for (const [content, code] of [
    [servers, "config/untrusted"],
    ["not = [a config", "config/unusable"],
  ] as const) {
    expect(await symbols()).toContain("one");
    write(content);
    await run(["trust", "--remove"], here);
    await vi.waitUntil(async () => (await symbols()).includes(code), { timeout: 60_000 });
    write(servers);
    await run(["trust", "--yes"], here);
    await vi.waitUntil(async () => (await symbols()).includes("one"), { timeout: 60_000 });
    expect(await status()).not.toContain("answer/config-not-used");
  }
}, 180_000);

it("no config: a server is found for a language that is new, and for one whose server was installed meanwhile", async () => {
  rmSync(join(top, "w/a.py"));
  const bin = join(top, "bin");
  mkdirSync(bin);
  for (const name of ["tsc", "node"])
    symlinkSync(name === "node" ? process.execPath : join(binaries, name), join(bin, name));
  await connectWith({ ...env(), PATH: bin });
  const symbols = (file: string) => call("get_document_symbols", { file_path: file });
  expect(await symbols("a.ts")).toContain("one");
  const pid = await pidOf("typescript");
  writeFileSync(join(top, "w/a.py"), "def two():\n    return 2\n");
  expect(await symbols("a.py")).toContain("lsp-proxy install pyright");
  symlinkSync(join(binaries, "pyright-langserver"), join(bin, "pyright-langserver"));
  // Where it takes long to look, a call does not wait for that; it says so.
  await vi.waitUntil(
    async () => {
      const answer = await symbols("a.py");
      if (answer.includes("two")) return true;
      expect(answer).toMatch(/call again: the workspace is looked at again (soon|in \d+ s)/);
      return false;
    },
    { timeout: 60_000, interval: 200 },
  );
  expect(await pidOf("typescript")).toBe(pid);
  expect(changes).toBe(1);
}, 180_000);

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
