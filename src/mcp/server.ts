/** A session's calls in the session era of the protocol, up to the revision 2025-11-25. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ResultSchema,
  RootsListChangedNotificationSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import { isTable } from "../base/json.js";
import type { Log } from "../lsp/types.js";
import type { Runtime } from "../runtime/runtime.js";
import type { SessionCalls } from "./calls.js";
import { acceptsStream } from "./http/media.js";
import { tellProgress } from "./progress.js";

/** A client that says it has roots and does not tell them is not waited for any longer. */
const rootsMs = 5000;

/** An MCP server for the calls of one session. `narrow` lets the client's roots narrow what the session sees. */
export function createServer(
  runtime: Runtime,
  calls: SessionCalls,
  options: { narrow: boolean; log: Log } = { narrow: false, log: () => undefined },
): Server {
  const { mcp } = runtime.loaded.plan;
  const server = new Server(
    { name: mcp.name, version: mcp.version ?? runtime.version },
    {
      capabilities: { tools: {} },
      ...(mcp.instructions === "" ? {} : { instructions: mcp.instructions }),
    },
  );
  let narrowed: Promise<void> | undefined;

  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => ({
    tools: calls.list(params?.cursor) as Tool[],
  }));
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: args, _meta: meta } = request.params;
    const { signal } = extra;
    const onProgress = tellProgress(meta?.progressToken, signal, (params) =>
      extra.sendNotification({ method: "notifications/progress", params }),
    );
    // A question of ours travels on the stream of the call's own answer: where there is none, it cannot be asked.
    const canAsk =
      server.getClientCapabilities()?.roots !== undefined && acceptsStream(extra.requestInfo?.headers.accept);
    if (options.narrow && canAsk) {
      narrowed ??= extra
        .sendRequest({ method: "roots/list" }, ResultSchema, { timeout: rootsMs, signal: calls.isCut })
        .then(({ roots }) => calls.session.narrow(urisOf(roots)))
        .catch(async (error: unknown) => {
          options.log("info", "a client did not tell its roots and sees nothing", {
            cause: error instanceof Error ? error.name : "",
          });
          await calls.session.narrow([]);
          narrowed = undefined;
        });
      await narrowed;
    }
    return calls.call(name, args, { signal, onProgress }, server.getClientVersion()?.name);
  });
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    narrowed = undefined;
  });
  return server;
}

/** The roots that a client told. One that is no folder of this machine leaves those that are; what is no list is none. */
function urisOf(roots: unknown): string[] {
  if (!Array.isArray(roots)) throw new TypeError("no list of roots");
  return roots.flatMap((root) => (isTable(root) && typeof root.uri === "string" ? [root.uri] : []));
}
