/**
 * A session's calls in the protocol's era without sessions, from the revision 2026-07-28 on. Only this file imports the
 * package that speaks it, and it is loaded when a client opens that way.
 */

import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  createMcpHandler,
  inputRequired,
  inputResponse,
  type McpHttpHandler,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { type StdioServerHandle, serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Runtime } from "../runtime/runtime.js";
import type { SessionCalls } from "./calls.js";
import { clientNameIn, hasRoots } from "./era.js";
import { tellProgress } from "./progress.js";
import { urisOf } from "./roots.js";

/** How the calls of a client are found. */
interface Caller {
  /** The calls that see these roots; those of a client without roots when there are none. */
  callsOf(roots: readonly string[] | undefined): Promise<SessionCalls>;
  /** Whether a client's roots narrow what it sees. */
  narrow: boolean;
  /** Hears what was said beside a call that is as it should be. */
  onPassed?(envelope: unknown): void;
}

function createModernServer(runtime: Runtime, { callsOf, narrow, onPassed }: Caller): Server {
  const { mcp } = runtime.loaded.plan;
  const server = new Server(
    { name: mcp.name, version: runtime.version },
    {
      capabilities: { tools: {} },
      ...(mcp.instructions === "" ? {} : { instructions: mcp.instructions }),
    },
  );
  server.setRequestHandler("tools/list", async ({ params }) => ({
    tools: (await callsOf(undefined)).list(params?.cursor) as Tool[],
  }));
  server.setRequestHandler("tools/call", async (request, { mcpReq }) => {
    const { name, arguments: args } = request.params;
    const { signal } = mcpReq;
    onPassed?.(mcpReq.envelope);
    const onProgress = tellProgress(mcpReq._meta?.progressToken, signal, (params) =>
      mcpReq.notify({ method: "notifications/progress", params }),
    );
    const roots = narrow ? rootsOf(mcpReq) : undefined;
    if (roots === "not told") return inputRequired({ inputRequests: { roots: inputRequired.listRoots() } });
    const client = clientNameIn(mcpReq.envelope) ?? server.getClientVersion()?.name;
    const calls = await callsOf(roots);
    return calls.call(name, args, { signal, onProgress }, client);
  });
  return server;
}

/**
 * The roots that come with a call. Without sessions they come with each one: it is answered with a question for them, and
 * asked again with the answer. One that comes back without a list sees nothing; a client without roots is not asked.
 */
function rootsOf({
  envelope,
  inputResponses,
}: Pick<ServerContext["mcpReq"], "envelope" | "inputResponses">): string[] | "not told" | undefined {
  if (!hasRoots(envelope)) return undefined;
  if (inputResponses === undefined) return "not told";
  const told = inputResponse(inputResponses, "roots");
  return told.kind === "roots" ? urisOf(told.roots) : [];
}

/** Serves one client on a wire; one that falls back to the older handshake is served as well. */
export function serveModernWire(
  runtime: Runtime,
  calls: SessionCalls,
  wire: Transport,
  onError: (error: Error) => void,
): StdioServerHandle {
  const caller: Caller = { callsOf: async () => calls, narrow: false };
  return serveStdio(() => createModernServer(runtime, caller), { transport: wire, onerror: onError });
}

/** Answers requests over HTTP, each on its own. */
export function openModernHandler(
  runtime: Runtime,
  options: Caller & { maxSubscriptions: number; onError: (error: Error) => void },
): McpHttpHandler {
  return createMcpHandler(() => createModernServer(runtime, options), {
    legacy: "reject",
    maxSubscriptions: options.maxSubscriptions,
    onerror: options.onError,
  });
}
