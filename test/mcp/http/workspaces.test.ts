/** One gateway for several workspaces: by path, or by the client's roots; one set of tokens. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { program, testEnvironment } from "../../live/session.js";
import { callOf, initialize, send } from "./support.js";

const token = "a-token-of-the-workspaces-0123456789";
const authorization = `Bearer ${token}`;
let top: string;
let child: ChildProcess;
let url = "";
const clients: Client[] = [];

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-workspaces-")));
  for (const name of ["one", "two", "other"]) {
    mkdirSync(join(top, name));
    writeFileSync(join(top, name, "a.ts"), `export const of_${name} = 1;\n`);
  }
  const args = ["serve", "--http", "--port", "0", "--trust-workspace", "--serve-workspace", "../two"];
  const env = { ...testEnvironment(), XDG_STATE_HOME: join(top, "state"), LSP_PROXY_TOKEN: token };
  child = spawn(process.execPath, [program, ...args], {
    cwd: join(top, "one"),
    env,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr?.setEncoding("utf8");
  for await (const part of child.stderr ?? []) {
    text += String(part);
    const [, found] = /serves two on (\S+)\/two\n/.exec(text) ?? [];
    if (found === undefined) continue;
    url = found;
    break;
  }
}, 120_000);
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  rmSync(top, { recursive: true, force: true });
});

/** The answer of a client at a path, with roots in these folders or without any. */
async function symbols(path: string, ...roots: string[]): Promise<string> {
  const client = new Client(
    { name: "test", version: "0" },
    { capabilities: roots.length === 0 ? {} : { roots: {} } },
  );
  clients.push(client);
  if (roots.length > 0)
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((root) => ({ uri: pathToFileURL(join(top, root)).href })),
    }));
  const requestInit = { headers: { authorization } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${path}`), { requestInit }));
  return JSON.stringify(
    await client.callTool({ name: "get_document_symbols", arguments: { file_path: "a.ts" } }),
  );
}

it("each workspace has a path of its own", async () => {
  expect(await symbols("/one")).toContain("of_one");
  expect(await symbols("/two")).toContain("of_two");
});

it("at the common path the client's roots choose", async () => {
  expect(await symbols("", "two")).toContain("of_two");
  expect(await symbols("", "one")).toContain("of_one");
});

it("a client whose roots choose no workspace gets the paths", async () => {
  for (const roots of [[], ["other"], ["two", "one"], ["one", "two"]]) {
    const answer = await symbols("", ...roots);
    expect(answer).toContain("http/no-workspace");
    expect(answer).toContain("/mcp/one, /mcp/two");
  }
});

it("a session belongs to its workspace's path, and other paths are unknown", async () => {
  const { headers } = await send(`${url}/one`, { headers: { authorization }, body: initialize() });
  const session = { authorization, "mcp-session-id": String(headers["mcp-session-id"]) };
  expect((await send(`${url}/two`, { headers: session, body: callOf(1) })).status).toBe(404);
  const wrong = await send(`${url}/three`, { headers: { authorization }, body: initialize() });
  expect(wrong.status).toBe(404);
  expect(JSON.parse(wrong.text)).toEqual({
    ...{ jsonrpc: "2.0", id: null },
    error: { code: -32000, message: "Not found: this gateway serves /mcp, /mcp/one, /mcp/two" },
  });
  const others = [{ authorization: "Bearer x" }, { authorization, host: "evil.example" }];
  for (const headers of others) {
    const { status, text } = await send(`${url}/three`, { headers, body: initialize() });
    expect([status, JSON.parse(text).error.message]).toEqual([404, "Not found"]);
  }
  expect(
    (await send(`${url}/two`, { headers: { authorization: "Bearer x" }, body: initialize() })).status,
  ).toBe(401);
});
