/**
 * A session's calls in the protocol's era without sessions, from the revision 2026-07-28 on. Only this file imports the
 * package that speaks it, and it is loaded when a client opens that way.
 */

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createMcpHandler, type McpHttpHandler, Server, type Tool } from "@modelcontextprotocol/server";
import { type StdioServerHandle, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Runtime } from "../runtime/runtime.js";
import type { SessionCalls } from "./calls.js";
import { clientNameIn } from "./era.js";
import { tellProgress } from "./progress.js";

function createModernServer(runtime: Runtime, calls: SessionCalls): Server {
  const { mcp } = runtime.loaded.plan;
  const server = new Server(
    { name: mcp.name, version: runtime.version },
    {
      capabilities: { tools: {} },
      ...(mcp.instructions === "" ? {} : { instructions: mcp.instructions }),
    },
  );
  server.setRequestHandler("tools/list", async ({ params }) => ({
    tools: calls.list(params?.cursor) as Tool[],
  }));
  server.setRequestHandler("tools/call", async (request, { mcpReq }) => {
    const { name, arguments: args } = request.params;
    const { signal } = mcpReq;
    const onProgress = tellProgress(mcpReq._meta?.progressToken, signal, (params) =>
      mcpReq.notify({ method: "notifications/progress", params }),
    );
    const client = clientNameIn(mcpReq.envelope) ?? server.getClientVersion()?.name;
    return calls.call(name, args, { signal, onProgress }, client);
  });
  return server;
}

/** Serves one client on a wire; one that falls back to the older handshake is served as well. */
export function serveModernWire(
  runtime: Runtime,
  calls: SessionCalls,
  wire: Transport,
  onError: (error: Error) => void,
): StdioServerHandle {
  return serveStdio(() => createModernServer(runtime, calls), { transport: wire, onerror: onError });
}

/** Answers requests over HTTP, each on its own. */
export function openModernHandler(
  runtime: Runtime,
  calls: SessionCalls,
  options: { maxSubscriptions: number; onError: (error: Error) => void },
): McpHttpHandler {
  return createMcpHandler(() => createModernServer(runtime, calls), {
    legacy: "reject",
    maxSubscriptions: options.maxSubscriptions,
    onerror: options.onError,
  });
}
