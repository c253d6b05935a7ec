/** A subscription to the diagnostics of a file, with real clients, a real server and the built program, on stdio and HTTP. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, it } from "vitest";
import { publishing } from "./profiles/support.js";
import { openSession, program, repository, testEnvironment } from "./session.js";

const config = `${publishing("default")}
[http]
port = 0

[[resources]]
name = "diagnostics"
uri = "lsp://diagnostics/{path}"
tool = "get_diagnostics"
args = { file_path = { from = "uri.path" } }
`;
const uri = "lsp://diagnostics/src/greet.ts";
const wait = { timeout: 60_000 };

/** Subscribes, writes an error into the file, and reads it once the client is told. */
async function drive(client: Client, write: (file: string, text: string) => void): Promise<void> {
  const told: string[] = [];
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    told.push(params.uri);
  });
  const read = async () => {
    const [content] = (await client.readResource({ uri }, wait)).contents;
    return JSON.parse(content !== undefined && "text" in content ? content.text : "{}") as unknown;
  };
  expect(client.getServerCapabilities()?.resources).toEqual({ listChanged: true, subscribe: true });
  await client.subscribeResource({ uri }, wait);
  // A server that is kept from its work is said to know nothing yet.
  await expect.poll(read, wait).toMatchObject({ status: "clean", diagnostics: [] });
  write("src/greet.ts", "export const wrong: number = 'a text';\n");
  await expect.poll(() => told, wait).toContain(uri);
  await expect.poll(read, wait).toMatchObject({
    diagnostics: [{ line: 1, severity: "error", message: expect.stringContaining("string") }],
  });
}

it("over stdio, a client is notified of an error that appears in a file", async () => {
  const session = await openSession("typescript", config);
  try {
    await drive(session.client, session.write);
  } finally {
    await session.close();
  }
}, 240_000);

it("over HTTP too", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-told-")));
  cpSync(join(repository, "test", "fixtures", "typescript"), folder, { recursive: true });
  writeFileSync(join(folder, "lspi.toml"), config);
  const token = "a-token-for-subscriptions-0123456789";
  const gateway = spawn(
    process.execPath,
    [program, "serve", "--http", "--config", join(folder, "lspi.toml")],
    {
      env: { ...testEnvironment(), LSP_PROXY_TOKEN: token },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  let printed = "";
  gateway.stderr.setEncoding("utf8").on("data", (part: string) => {
    printed += part;
  });
  try {
    await expect.poll(() => printed).toMatch(/http:\/\/\S+/);
    const url = new URL(/http:\/\/\S+/.exec(printed)?.[0] ?? "");
    const client = new Client({ name: "subscriber", version: "0" });
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const transport = new StreamableHTTPClientTransport(url, { requestInit });
    await client.connect(transport as Parameters<Client["connect"]>[0]);
    await drive(client, (file, text) => writeFileSync(join(folder, file), text));
    await client.close();
  } finally {
    gateway.kill("SIGTERM");
    if (gateway.exitCode === null) await once(gateway, "exit");
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
  expect(gateway.exitCode).toBe(0);
}, 240_000);
