/** `serve --http --below`: the trusted workspaces of a folder on one gateway, with the tokens and limits of its own config. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { uniqueNames } from "../../../src/cli/workspaces.js";
import { runHere } from "../../cli/terminal.js";
import { program, testEnvironment } from "../../live/session.js";
import { initialize, send } from "./support.js";

const token = "a-token-of-the-gateway-0123456789";
const headers = { authorization: `Bearer ${token}` };
let top: string;
let env: { [name: string]: string };
const children: ChildProcess[] = [];

beforeEach(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-below-")));
  env = {
    ...testEnvironment(),
    XDG_STATE_HOME: join(top, "state"),
    OWN_TOKEN: token,
    OTHER_TOKEN: "x".repeat(32),
  };
  for (const name of ["gateway", "work", "work/one", "work/two", "work/three"]) mkdirSync(join(top, name));
  writeFileSync(
    join(top, "gateway/lspi.toml"),
    '[http]\ntoken_env = "OWN_TOKEN"\nmax_sessions = 1\npath = "/here"\n',
  );
  writeFileSync(
    join(top, "work/one/lspi.toml"),
    '[http]\ntoken_env = "OTHER_TOKEN"\nmax_sessions = 64\npath = "/there"\n',
  );
  for (const name of ["one", "two"]) await trust(name);
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill("SIGTERM");
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  }
  rmSync(top, { recursive: true, force: true });
});

const trust = (name: string) => runHere(["trust", "--yes"], { cwd: join(top, "work", name), env });

/** Starts the gateway; what it says until it listens or ends. */
async function start(below = "../work"): Promise<string> {
  const words = ["serve", "--http", "--port", "0", "--config", "lspi.toml", "--below", below];
  const child = spawn(process.execPath, [program, ...words], {
    cwd: join(top, "gateway"),
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  let text = "";
  child.stderr?.setEncoding("utf8");
  for await (const part of child.stderr ?? []) {
    text += String(part);
    if (/Clients need a token.*\n/.test(text)) break;
  }
  return text;
}

it("serves the trusted ones; address, tokens and limits are those of the gateway's own config", async () => {
  const text = await start();
  const names = [...text.matchAll(/serves (\S+) on/g)].map(([, name]) => name);
  expect(names).toEqual(["gateway", "one", "two"]);
  expect(text).toContain("OWN_TOKEN");
  const url = /serves one on (\S+)\/here\/one\n/.exec(text)?.[1] ?? "";
  const open = async (path: string, more: object = headers) =>
    send(`${url}${path}`, { headers: { ...more }, body: initialize() });
  expect((await open("/there/one")).status).toBe(404);
  expect((await open("/here/three")).status).toBe(404);
  expect((await open("/here/one", { authorization: `Bearer ${env.OTHER_TOKEN}` })).status).toBe(401);

  // There is one session for all workspaces together. An idle one makes room for the next, wherever it is.
  const first = await open("/here/one");
  expect(first.status).toBe(200);
  const list = { jsonrpc: "2.0", id: 5, method: "tools/list" };
  const again = (path: string, { headers: answered }: typeof first) =>
    send(`${url}${path}`, {
      headers: { ...headers, "mcp-session-id": String(answered["mcp-session-id"]) },
      body: list,
    });
  expect((await again("/here/one", first)).status).toBe(200);
  const second = await open("/here/two");
  expect(second.status).toBe(200);
  await expect.poll(async () => (await again("/here/one", first)).status).toBe(404);
  expect((await again("/here/two", second)).status).toBe(200);
});

it("is refused where the config of one of them does not allow HTTP", async () => {
  writeFileSync(join(top, "work/two/lspi.toml"), "[http]\nenabled = false\n");
  await trust("two");
  const text = await start();
  expect(text).toContain("http/disabled");
  expect(text).toContain("two: the config has `http.enabled = false`");
  expect(text).not.toMatch(/serves \S+ on /);
});

it.each([
  ["../nope", (folder: string) => `--below: ${folder} does not exist\n`],
  [
    "../work/three",
    (folder: string) =>
      `--below: there is no trusted workspace below ${folder}; run \`lsp-proxy trust\` in each that is to be served\n`,
  ],
])("is refused for %s, with what to do", async (below, expected) => {
  const text = await start(below);
  expect(text).toContain(expected(join(top, "gateway", below)));
  expect(text).not.toMatch(/serves \S+ on /);
});

it("refuses the calls of one whose config is no longer trusted", async () => {
  writeFileSync(join(top, "work/one/lspi.toml"), "[http]\nmax_sessions = 3\n");
  const text = await start();
  const url = /serves one on (\S+)\n/.exec(text)?.[1] ?? "";
  const { headers: answered } = await send(url, { headers, body: initialize() });
  const params = { name: "get_hover", arguments: { file_path: "a.ts", line: 1, character: 1 } };
  const session = { ...headers, "mcp-session-id": String(answered["mcp-session-id"]) };
  const { text: answer } = await send(url, {
    headers: session,
    body: { jsonrpc: "2.0", id: 6, method: "tools/call", params },
  });
  expect(answer).toContain("config/untrusted");
});

it("names of equal folders have the folders above them, so that none changes when another one is served", () => {
  const names = (folders: string[]) => folders.map(uniqueNames(folders));
  expect(names(["/g/b/api", "/g/web"])).toEqual(["api", "web"]);
  expect(names(["/g/a/api", "/g/b/api", "/g/web"])).toEqual(["a-api", "b-api", "web"]);
  expect(names(["C:\\work\\my app"])).toEqual(["my-app"]);
  const alike = names(["/a b", "/a-b", "/"]);
  expect(new Set(alike).size).toBe(3);
});
