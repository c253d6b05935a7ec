/** An MCP session as Codex would start it: by the entry in its file, with the part of the environment that it passes on. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { parse } from "smol-toml";

const clients = parse(readFileSync(new URL("../../configs/clients.toml", import.meta.url), "utf8")).clients;
const { inherits } = clients.find(({ id }) => id === "codex").environment;

/** Opens a session in a folder of the project. `ask` returns the text, the structured answer and its list of items. */
export async function openSession(machine, cwd) {
  const file = join(machine.home, ".codex", "config.toml");
  const entry = parse(readFileSync(file, "utf8")).mcp_servers["lsp-proxy"];
  const names = [...inherits, ...(entry.env_vars ?? [])].filter((name) => machine.env[name] !== undefined);
  const env = Object.fromEntries(names.map((name) => [name, machine.env[name]]));
  const transport = new StdioClientTransport({
    ...{ command: entry.command, args: entry.args, stderr: "pipe" },
    ...{ cwd: entry.cwd ?? cwd, env: { ...env, ...entry.env } },
  });
  let errors = "";
  transport.stderr?.on("data", (chunk) => {
    errors = (errors + chunk).slice(-4000);
  });
  const client = new Client({ name: "first-hour", version: "1" });
  await client.connect(transport, { timeout: entry.startup_timeout_sec * 1000 });
  return {
    errors: () => errors,
    close: () => client.close(),
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    async ask(name, input) {
      const options = { timeout: entry.tool_timeout_sec * 1000 };
      const result = await client.callTool({ name, arguments: input }, undefined, options);
      const text = result.content.map((part) => part.text ?? "").join("\n");
      const data = result.structuredContent ?? {};
      const items = data.locations ?? data.symbols ?? data.calls ?? [];
      return { text, data, items, isError: result.isError === true };
    },
  };
}
