/**
 * The gateway as a server: on the machine's own address unless a person says otherwise, with limits on time and
 * connections, and an end that lets calls under way be answered.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { HttpPlan } from "../../abi/plan.js";
import { isLoopback } from "../../base/loopback.js";
import type { Log, Trace } from "../../lsp/types.js";
import type { Runtime } from "../../runtime/runtime.js";
import { addressOf } from "./address.js";
import { Gateway } from "./gateway.js";
import { authenticator, type TokenSource, tokenProblem } from "./tokens.js";

/** What the gateway needs from its surroundings. */
export interface HttpOptions {
  tokens: TokenSource;
  log: Log;
  trace?: Trace | undefined;
  /** Where to listen, over what the plan says. */
  bind?: string | undefined;
  port: number;
  /** Whether a person said that other machines may reach the gateway. */
  allowRemote: boolean;
  /** Ends the service from outside, as a signal to the process does. */
  signal: AbortSignal;
  /** Told once: where the gateway listens. */
  onListening?(url: string): void;
}

const mostConnections = 1024;
/** How often connections are looked at for requests that take too long to arrive. */
const checkMs = 500;

/** Serves clients over HTTP until the signal; resolves when the last call is answered, or its time is up, and the runtime is closed. */
export async function serveHttp(runtime: Runtime, options: HttpOptions): Promise<void> {
  const { log, signal } = options;
  const http = { ...runtime.loaded.plan.http };
  http.bind = options.bind ?? http.bind;
  refuseRemote(http, options.allowRemote);
  // Tokens that cannot be used stop the start, and not only each request.
  options.tokens.digests();
  const gateway = new Gateway(runtime, {
    tokens: authenticator(options.tokens, log),
    log,
    trace: options.trace,
  });
  const server = createServer(
    {
      headersTimeout: Math.min(http.headersTimeoutMs, http.bodyTimeoutMs),
      requestTimeout: http.bodyTimeoutMs,
      connectionsCheckingInterval: checkMs,
    },
    (request, response) => void gateway.handle(request, response),
  );
  server.maxConnections = mostConnections;
  try {
    const url = await listen(server, http, options.port);
    log("info", "listening", { url });
    options.onListening?.(url);
    await aborted(signal);
    // Whoever comes meanwhile is told so, and `/health` too; only then nobody listens any more.
    await within(http.drainMs, gateway.drain());
    await within(farewellMs, gateway.cut());
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    // The answers of the last calls are written in this turn of the loop; close in the next.
    await nextTurn();
    await gateway.close();
    server.closeIdleConnections();
    // What a client does not read within this time is not waited for.
    await within(farewellMs, closed);
    server.closeAllConnections();
    await closed;
  } finally {
    await gateway.close();
    await runtime.close();
  }
}

/** How long clients may take to read their last answers. */
const farewellMs = 1000;

/** An address that other machines can reach is nothing a config decides alone. */
function refuseRemote({ bind }: HttpPlan, allowRemote: boolean): void {
  if (allowRemote || isLoopback(bind)) return;
  throw tokenProblem(
    "http/remote-bind",
    `\`http.bind\` is ${JSON.stringify(bind)}, which other machines can reach`,
  );
}

function listen(server: Server, { bind, path }: HttpPlan, port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(tokenProblem("http/listen-failed", `cannot listen on ${bind} port ${port} (${error.code})`)),
    );
    // A burst of clients, as after a restart, waits its turn: with a shorter queue the system drops some unheard.
    server.listen({ port, host: bind, backlog: mostConnections }, () => {
      const { port: actual } = server.address() as AddressInfo;
      resolve(addressOf(bind, actual, path));
    });
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Waits for work, but not longer than this. */
async function within(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
