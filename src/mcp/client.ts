/** An MCP client that starts a proxy over stdio as an agent would, for `lsp-proxy demo`. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { JsonObject } from "../base/json.js";

export interface ConnectedClient {
  handshake: { name: string; version: string; instructions: string };
  listTools(): Promise<{ name: string; description: string }[]>;
  callTool(
    name: string,
    args: JsonObject,
    onProgress?: (message: string) => void,
  ): Promise<{ isError: boolean; text: string }>;
  close(): Promise<void>;
}

const CALL_TIMEOUT_MS = 120_000;

export async function connectClient(
  command: string,
  args: string[],
  options: { cwd: string; env: { [name: string]: string | undefined }; version: string },
): Promise<ConnectedClient> {
  const env = Object.fromEntries(
    Object.entries(options.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const transport = new StdioClientTransport({ command, args, cwd: options.cwd, env, stderr: "inherit" });
  const client = new Client({ name: "lsp-proxy-demo", version: options.version });
  await client.connect(transport);
  return {
    handshake: {
      name: client.getServerVersion()?.name ?? "",
      version: client.getServerVersion()?.version ?? "",
      instructions: client.getInstructions() ?? "",
    },
    listTools: async () =>
      (await client.listTools()).tools.map((tool) => ({
        name: tool.name,
        description: tool.description ?? "",
      })),
    callTool: async (name, toolArguments, onProgress) => {
      const result = await client.callTool({ name, arguments: toolArguments }, undefined, {
        timeout: CALL_TIMEOUT_MS,
        ...(onProgress ? { onprogress: (progress) => onProgress(progress.message ?? "") } : {}),
      });
      const content = result.content as { type: string; text?: string }[];
      return { isError: result.isError === true, text: content.map((part) => part.text ?? "").join("\n") };
    },
    close: () => client.close(),
  };
}
