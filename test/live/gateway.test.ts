/** Fifty agents at one gateway, with a real language server behind it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, it } from "vitest";
import { assertValidAnswers, program, repository, testEnvironment } from "./session.js";

const token = "a-token-for-fifty-agents-0123456789";

it("holds fifty sessions at once on one language server, all with right answers", async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-fifty-")));
  cpSync(join(repository, "test", "fixtures", "python"), folder, { recursive: true });
  const config = join(folder, "lspi.toml");
  writeFileSync(
    config,
    '[allow]\ncommands = ["pyright-langserver"]\n[[servers]]\nid = "py"\nkind = "pyright"\n[http]\nport = 0\n',
  );
  const gateway = spawn(process.execPath, [program, "serve", "--http", "--config", config], {
    env: { ...testEnvironment(), LSP_PROXY_TOKEN: token },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let told = "";
  gateway.stderr.setEncoding("utf8").on("data", (part: string) => {
    told += part;
  });
  try {
    await expect.poll(() => told).toMatch(/http:\/\/\S+/);
    const url = new URL(/http:\/\/\S+/.exec(told)?.[0] ?? "");
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    const clients = await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        const client = new Client({ name: `agent-${index}`, version: "0" });
        const transport = new StreamableHTTPClientTransport(url, { requestInit });
        await client.connect(transport as Parameters<Client["connect"]>[0]);
        return client;
      }),
    );
    const call = async (client: Client, name: string, args: { [name: string]: unknown }) => {
      const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });
      return result.structuredContent;
    };
    const answers = await Promise.all(
      clients.map(async (client, index) => [
        await call(client, "find_definition", { file_path: "app.py", symbol_name: "greet" }),
        await call(client, "get_document_symbols", { file_path: index % 2 === 0 ? "greet.py" : "app.py" }),
      ]),
    );
    for (const [definition, symbols] of answers) {
      expect(definition).toMatchObject({
        ok: true,
        locations: [{ path: "greet.py", line: 4, character: 5 }],
      });
      expect(symbols).toMatchObject({ ok: true });
    }
    const [first] = clients;
    const status = first === undefined ? {} : await call(first, "get_server_status", {});
    expect(status).toMatchObject({ servers: [{ id: "py" }] });
    for (const client of clients) await client.close();
  } finally {
    gateway.kill("SIGTERM");
    if (gateway.exitCode === null) await once(gateway, "exit");
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 200 });
  }
  expect(gateway.exitCode).toBe(0);
  assertValidAnswers(told);
}, 240_000);
