/** `context = "auto"`: the client's name decides whether it gets text, structured content or both. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readClients } from "../../src/config/catalogue/clients.js";
import { diskFiles } from "../../src/config/files.js";
import { program, repository, testEnvironment } from "../live/session.js";
import { planText } from "../plan/config.js";
import { callOf, MODERN } from "./hostile/program.js";

const clients = readClients(join(repository, "configs"), diskFiles);

describe("the known clients", () => {
  it("have a result form each, and page sizes that fit the smallest limit", () => {
    const { mcp, limits } = planText('[mcp]\ncontext = "auto"');
    expect(mcp.clients).toEqual([
      { name: "claude-code", result: "structured" },
      { name: "copilot-cli", result: "text" },
      { name: "gemini-cli-mcp-client", result: "text" },
      { name: "github-copilot-developer", result: "text" },
      { name: "opencode", result: "text" },
      { name: "qwen-cli-mcp-client-*", result: "text" },
      { name: "qwen-code-mcp-client", result: "text" },
    ]);
    expect(limits).toMatchObject({ maxPageChars: 40_000, maxTextChars: 18_000 });
    expect(planText('[mcp]\ncontext = "gemini"').limits).toMatchObject({
      maxPageChars: 36_000,
      maxTextChars: 36_000,
    });
    expect(mcp.listed).toEqual(planText("").mcp.listed);
    const names = clients.flatMap(({ client_info }) => client_info);
    expect(new Set(names).size).toBe(names.length);
  });

  it("are not used where the config sets the result form or names a client", () => {
    expect(planText('[mcp]\ncontext = "auto"\n[dialect]\nresult = "both"').mcp.clients).toEqual([]);
    for (const { context } of clients)
      expect(planText(`[mcp]\ncontext = "${context}"`).mcp.clients).toEqual([]);
  });
});

describe("the result form", () => {
  let folder: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), "lsp-proxy-auto-")));
    writeFileSync(
      join(folder, "lspi.toml"),
      '[mcp]\ncontext = "auto"\n[allow]\ncommands = ["x"]\n[[servers]]\nid = "x"\ncommand = "x"\nextensions = ["x"]\n',
    );
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const start = () => ({
    command: process.execPath,
    args: [program, "serve", "--config", join(folder, "lspi.toml")],
    env: testEnvironment(),
  });

  const forms = {
    "claude-code": [false, true],
    "qwen-cli-mcp-client-lsp": [true, false],
    somebody: [true, true],
  };

  it.each(Object.entries(forms))(
    "for %s has text and structure: %j, with sessions",
    async (name, [text, structure]) => {
      const client = new Client({ name, version: "0" });
      await client.connect(new StdioClientTransport(start()));
      const result = await client.callTool({ name: "get_server_status", arguments: {} });
      await client.close();
      expect((result.content as unknown[]).length > 0).toBe(text);
      expect(result.structuredContent !== undefined).toBe(structure);
    },
  );

  it("is chosen for each request in 2026-07-28, which names its client", async () => {
    const { command, args, env } = start();
    const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "ignore"] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for (const [name, [text, structure]] of Object.entries(forms)) {
      const _meta = { ...MODERN, "io.modelcontextprotocol/clientInfo": { name, version: "0" } };
      child.stdin.write(`${JSON.stringify(callOf(name, _meta, {}, "get_server_status"))}\n`);
      const { value } = await lines.next();
      const { id, result } = JSON.parse(value);
      expect(id).toBe(name);
      expect(result.content.length > 0, name).toBe(text);
      expect(result.structuredContent !== undefined, name).toBe(structure);
    }
    child.stdin.end();
    await once(child, "exit");
  });
});
