/**
 * The agent's side of a session: `tools/list` from the bundle, `tools/call` into the runtime. The list needs no language
 * server and is always the same; an unknown tool is a protocol error, everything else is a tool result.
 */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import type { ToolEntry } from "../abi/bundle.js";
import { Refusal } from "../base/problem.js";
import type { Runtime } from "../runtime/runtime.js";
import type { CallOutcome, Session } from "../runtime/session.js";
import { protocolError } from "../runtime/wording.js";
import { ProtocolError, toolResult } from "./result.js";

/** An MCP server with what its transport needs to know of it. */
export interface SessionServer {
  server: Server;
  /** Resolves when no call is being answered any more. */
  idle(): Promise<void>;
}

/** An MCP server for one session of the runtime. */
export function createServer(runtime: Runtime, session: Session): SessionServer {
  const { mcp, dialect } = runtime.loaded.plan;
  const server = new Server(
    { name: mcp.name, version: mcp.version ?? runtime.version },
    {
      capabilities: { tools: {} },
      ...(mcp.instructions === "" ? {} : { instructions: mcp.instructions }),
    },
  );
  const tools = runtime.tools.map((entry) => listed(entry, dialect.outputSchemas));
  const pending = new Set<Promise<unknown>>();

  server.setRequestHandler(ListToolsRequestSchema, async () => ({ tools }));
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: args, _meta: meta } = request.params;
    const token = meta?.progressToken;
    let progress = 0;
    const onProgress = (message: string): void => {
      if (token === undefined || extra.signal.aborted) return;
      const params = { progressToken: token, progress: ++progress, message };
      // A client that went away cannot be told anything; the transport's end is handled where it is seen.
      extra.sendNotification({ method: "notifications/progress", params }).catch(() => undefined);
    };
    const call = session.call(name, args, { signal: extra.signal, onProgress });
    pending.add(call);
    try {
      const outcome = await call;
      if (outcome.error !== null && dialect.errors.form === "protocol") throw told(outcome.error);
      return toolResult(outcome, dialect);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (dialect.errors.form !== "protocol") throw new McpError(ErrorCode.InvalidParams, error.message);
      throw told(protocolError(error, dialect.errors));
    } finally {
      pending.delete(call);
    }
  });

  return {
    server,
    idle: async () => {
      while (pending.size > 0) await Promise.allSettled([...pending]);
    },
  };
}

function told({ number, message, data }: NonNullable<CallOutcome["error"]>): ProtocolError {
  return new ProtocolError(number, message, data);
}

/** One entry of `tools/list`. */
function listed(entry: ToolEntry, withOutputSchema: boolean): Tool {
  const { outputSchema, ...rest } = entry;
  const tool: object = withOutputSchema ? { ...rest, outputSchema } : rest;
  return tool as Tool;
}
