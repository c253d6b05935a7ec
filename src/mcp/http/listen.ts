/**
 * Runs the gateway as an HTTP server, with limits on time and connections, and a shutdown that answers running calls.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { HttpPlan } from "../../abi/plan.js";
import { isLoopback } from "../../base/listen-address.js";
import { nextTurn, whenAborted, withTimeout } from "../../base/timing.js";
import type { Log, Trace } from "../../lsp/types.js";
import { addressOf } from "./address.js";
import { authenticator, type TokenSource, tokenProblem } from "./bearer-tokens.js";
import { pathOf } from "./checks.js";
import { Connections } from "./connections.js";
import { Gateways } from "./gateways.js";
import type { Workspace } from "./workspaces.js";

/** Answers what is not MCP: the dashboard and the metrics. */
export interface OtherPages {
  /** Whether it answers requests for a path. */
  handles(path: string): boolean;
  /** Answers a request; gives whether it was allowed. */
  handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<boolean>;
  /** Ends the open event streams. */
  close(reason: string): Promise<void>;
}

export interface HttpOptions {
  tokens: TokenSource;
  log: Log;
  trace?: Trace | undefined;
  /** The address to listen on, instead of the plan's. */
  bind?: string | undefined;
  port: number;
  /** Whether the user allows an address that other machines can reach. */
  allowRemote: boolean;
  signal: AbortSignal;
  pages?: OtherPages | undefined;
  /** Called once with the gateway's URL. */
  onListening?(url: string): void;
}

/** Connections that may wait to be accepted. A short queue would drop clients that all reconnect after a restart. */
const MAX_WAITING = 1024;
/** How long a client may leave a response unread before its connection is closed. */
const UNREAD_MS = 15_000;
/** How often connections are checked for requests that arrive too slowly. */
const CONNECTION_CHECK_MS = 500;
/** How long clients may take to read their last answers. */
const FINAL_ANSWERS_MS = 1000;

/** Serves clients over HTTP until the signal aborts; resolves when the gateways and the runtimes are closed. */
export async function serveHttp(
  workspaces: readonly [Workspace, ...Workspace[]],
  options: HttpOptions,
): Promise<void> {
  const { log, trace, signal, pages } = options;
  const http = { ...workspaces[0].runtime.loaded.plan.http };
  http.bind = options.bind ?? http.bind;
  // A config alone may not open an address that other machines can reach.
  if (!options.allowRemote && !isLoopback(http.bind)) {
    const message = `\`http.bind\` is ${JSON.stringify(http.bind)}, which other machines can reach`;
    throw tokenProblem("http/remote-bind", message);
  }
  // Unusable tokens must stop the start, not only each request.
  options.tokens.digests();
  const gateway = new Gateways(workspaces, { tokens: authenticator(options.tokens, log), log, trace });
  const server = createServer(
    {
      headersTimeout: Math.min(http.headersTimeoutMs, http.bodyTimeoutMs),
      requestTimeout: http.bodyTimeoutMs,
      connectionsCheckingInterval: CONNECTION_CHECK_MS,
    },
    (request, response) => {
      // A listener keeps Node from closing the connection of a call that merely takes long.
      response.on("timeout", (socket) => {
        if (socket.writableLength > 0) socket.destroy();
      });
      const path = pathOf(request);
      if (pages?.handles(path) === true && !gateway.serves(path))
        void pages.handle(request, response).then((isAllowed) => {
          if (isAllowed && !response.closed) connections.admit(request.socket, response);
        });
      else if (gateway.handle(request, response)) connections.admit(request.socket, response);
    },
  );
  server.timeout = UNREAD_MS;
  const connections = new Connections(server);
  try {
    const url = await listen(server, http, options.port);
    log("info", "listening", { url });
    options.onListening?.(url);
    await whenAborted(signal);
    await pages?.close("the gateway ends");
    await shutDown(server, gateway, http.drainMs);
  } finally {
    await gateway.close();
    await Promise.all(workspaces.map(({ runtime }) => runtime.close()));
  }
}

/** Answers running calls, then closes all connections. New requests get 503 until the server stops listening. */
async function shutDown(server: Server, gateway: Gateways, drainMs: number): Promise<void> {
  await withTimeout(gateway.drain(), drainMs);
  await withTimeout(gateway.abortCalls(), FINAL_ANSWERS_MS);
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // The last answers are written in this turn.
  await nextTurn();
  await gateway.close();
  server.closeIdleConnections();
  await withTimeout(closed, FINAL_ANSWERS_MS);
  server.closeAllConnections();
  await closed;
}

function listen(server: Server, { bind, path }: HttpPlan, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(tokenProblem("http/listen-failed", `cannot listen on ${bind} port ${port} (${error.code})`)),
    );
    server.listen({ port, host: bind, backlog: MAX_WAITING }, () => {
      const { port: actual } = server.address() as AddressInfo;
      resolve(addressOf(bind, actual, path));
    });
  });
}
