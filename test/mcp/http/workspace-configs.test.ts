/** A gateway for workspaces that have configs of their own, which were found and are trusted: their tools and their trust. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, afterEach, beforeAll, expect, it, vi } from "vitest";
import { run } from "../../cli/run.js";
import { program, testEnvironment } from "../../live/session.js";

const token = "a-token-of-the-workspaces-0123456789";
const requestInit = { headers: { authorization: `Bearer ${token}` } };
const config = `[allow]
commands = ["tsc"]
[[servers]]
id = "ts"
kind = "typescript"
`;
let top: string;
let child: ChildProcess;
let url = "";
let env: { [name: string]: string };
const clients: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-configs-")));
  env = { ...testEnvironment(), XDG_STATE_HOME: join(top, "state"), LSP_PROXY_TOKEN: token };
  for (const name of ["one", "two"]) {
    mkdirSync(join(top, name));
    writeFileSync(join(top, name, "a.ts"), `export const of_${name} = 1;\n`);
    writeFileSync(join(top, name, "lspi.toml"), config);
    expect((await run(["trust", "--yes"], { cwd: join(top, name), env })).code).toBe(0);
  }
  const args = ["serve", "--http", "--port", "0", "--serve-workspace", "../two"];
  const cwd = join(top, "one");
  child = spawn(process.execPath, [program, ...args], { cwd, env, stdio: ["ignore", "ignore", "pipe"] });
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (part: string) => {
    text += part;
    url = /serves two on (\S+)\/two\n/.exec(text)?.[1] ?? "";
  });
  await vi.waitUntil(() => url !== "", { timeout: 60_000 });
}, 120_000);
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  child.kill("SIGTERM");
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  rmSync(top, { recursive: true, force: true });
});

async function connect(path: string): Promise<Client> {
  const client = new Client({ name: "test", version: "0" });
  clients.push(client);
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${path}`), { requestInit }));
  return client;
}

it("a workspace whose config loses its trust refuses calls, and the others do not", async () => {
  const symbols = async (client: Client) =>
    JSON.stringify(await client.callTool({ name: "get_document_symbols", arguments: { file_path: "a.ts" } }));
  const [one, two] = [await connect("/one"), await connect("/two")];
  expect([await symbols(one), await symbols(two)]).toEqual([
    expect.stringContaining("of_one"),
    expect.stringContaining("of_two"),
  ]);
  for (const [client, name, other] of [
    [two, "two", one],
    [one, "one", two],
  ] as const) {
    const here = { cwd: join(top, name), env };
    expect((await run(["trust", "--remove"], here)).code).toBe(0);
    await expect.poll(() => symbols(client), { timeout: 60_000 }).toContain("config/untrusted");
    expect(await symbols(other)).not.toContain("config/untrusted");
    expect((await run(["trust", "--yes"], here)).code).toBe(0);
    await expect.poll(() => symbols(client), { timeout: 60_000 }).toContain(`of_${name}`);
  }
}, 180_000);
