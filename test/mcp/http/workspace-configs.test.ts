/** A gateway for workspaces that have configs of their own, which were found and are trusted: their tools and their trust. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as modern from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
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
/** Only the second workspace has prompts and resources, and only two tools. */
const ofTwo = `
[mcp]
tools.allow = ["get_document_symbols", "get_hover"]
[[prompts]]
name = "review"
messages = [{ text = "Review two." }]
[[resources]]
name = "symbols"
tool = "get_document_symbols"
uri = "lsp://symbols/{path}"
args = { file_path = { from = "uri.path" } }
[[resources]]
name = "symbols_of_a"
tool = "get_document_symbols"
uri = "lsp://symbols_of_a"
args = { file_path = "a.ts" }
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
    writeFileSync(join(top, name, "lspi.toml"), name === "two" ? `${config}${ofTwo}` : config);
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

const rootsIn = (folder: string) => ({ roots: [{ uri: pathToFileURL(join(top, folder)).href }] });

async function connect(path: string, root?: string): Promise<Client> {
  const capabilities = root === undefined ? {} : { roots: {} };
  const client = new Client({ name: "test", version: "0" }, { capabilities });
  clients.push(client);
  if (root !== undefined) client.setRequestHandler(ListRootsRequestSchema, () => rootsIn(root));
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${path}`), { requestInit }));
  return client;
}

/** What a client gets before its first call. */
async function listed(client: Client) {
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { tools } = await client.listTools();
  return {
    names: [...prompts, ...resources, ...resourceTemplates].map(({ name }) => name),
    tools: tools.map(({ name }) => name),
  };
}

it("at the common path, what is listed before the first call is that of the workspace of the client's roots", async () => {
  const two = { names: ["review", "symbols_of_a", "symbols"], tools: ["get_document_symbols", "get_hover"] };
  expect(await listed(await connect("", "two"))).toEqual(two);
  expect(await listed(await connect("/two"))).toEqual(two);
  const one = { names: [], tools: expect.arrayContaining(["find_references"]) };
  expect(await listed(await connect("", "one"))).toEqual(one);
  // Each of the lists may be the first request.
  for (const first of ["listTools", "listPrompts", "listResources", "listResourceTemplates"] as const)
    expect(JSON.stringify(await (await connect("", "two"))[first]())).toMatch(/symbols|review/);
  const prompt = await (await connect("", "two")).getPrompt({ name: "review" });
  expect(JSON.stringify(prompt)).toContain("Review two.");
}, 60_000);

it("a client of 2026-07-28 gets prompts and resources of the workspace of its roots", async () => {
  const client = new modern.Client(
    { name: "modern", version: "0" },
    { versionNegotiation: { mode: "auto" }, capabilities: { roots: {} } },
  );
  clients.push(client);
  client.setRequestHandler("roots/list", async () => rootsIn("two"));
  await client.connect(new modern.StreamableHTTPClientTransport(new URL(url), { requestInit }));
  expect(client.getProtocolEra()).toBe("modern");
  expect(JSON.stringify(await client.getPrompt({ name: "review" }))).toContain("Review two.");
  expect(JSON.stringify(await client.readResource({ uri: "lsp://symbols_of_a" }))).toContain("of_two");
}, 60_000);

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
