/** A session's calls in the session era of the protocol, up to the revision 2025-11-25. */
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  ListToolsRequestSchema,
  ResultSchema,
  RootsListChangedNotificationSchema,
  type Tool,
} from "@modelcontextprotocol/sdk/types.js";
import type { Log } from "../lsp/types.js";
import type { Runtime } from "../runtime/runtime.js";
import type { SessionCalls } from "./calls.js";
import { acceptsStream } from "./http/media.js";
import { tellProgress } from "./progress.js";
import { urisOf } from "./roots.js";

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
  const showNothing = (cause: string): Promise<void> => {
    options.log("info", "a client did not tell its roots and sees nothing", { cause });
    return calls.session.narrow([]);
  };

  server.setRequestHandler(ListToolsRequestSchema, async ({ params }) => ({
    tools: calls.list(params?.cursor) as Tool[],
  }));
  server.setRequestHandler(CallToolRequestSchema, async (request, extra) => {
    const { name, arguments: args, _meta: meta } = request.params;
    const { signal } = extra;
    const onProgress = tellProgress(meta?.progressToken, signal, (params) =>
      extra.sendNotification({ method: "notifications/progress", params }),
    );
    if (options.narrow && server.getClientCapabilities()?.roots !== undefined) {
      // A question of ours travels on the stream of the call's own answer: where there is none, it cannot be asked.
      if (acceptsStream(extra.requestInfo?.headers.accept))
        narrowed ??= extra
          .sendRequest({ method: "roots/list" }, ResultSchema, { timeout: rootsMs, signal: calls.isCut })
          .then(({ roots }) => calls.session.narrow(urisOf(roots)))
          .catch(async (error: unknown) => {
            await showNothing(error instanceof Error ? error.name : "");
            narrowed = undefined;
          });
      await (narrowed ?? showNothing("it reads no stream"));
    }
    return calls.call(name, args, { signal, onProgress }, server.getClientVersion()?.name);
  });
  server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
    narrowed = undefined;
  });
  return server;
}
