/**
 * Serves one MCP client on a pair of streams until it disconnects. Nothing but the protocol is written to the output.
 */
import type { Readable, Writable } from "node:stream";
import { nextTurn, whenAborted, withTimeout } from "../base/timing.js";
import type { Log, Trace } from "../lsp/types.js";
import type { Runtime } from "../runtime/runtime.js";
import { SessionCalls } from "./calls.js";
import { isModernMessage } from "./client-metadata.js";
import { createSessionServer } from "./session-server.js";
import { StreamTransport } from "./stream-transport.js";
import type { SwitchProject, TrustOffer } from "./trust-question.js";

/** The streams of one client, and how the service is stopped. */
interface StdioOptions {
  input: Readable;
  output: Writable;
  log: Log;
  trace?: Trace | undefined;
  signal?: AbortSignal;
  /** How a call that is refused for lack of trust may ask for it. */
  trust?: TrustOffer | undefined;
  /** If the proxy was not started in a project: switches to the client's project. */
  switchProject?: SwitchProject | undefined;
  /** Opens a second channel, for the program that started the proxy. The service then lasts as long as either side. */
  openHost?: OpenHost | undefined;
}

/** The channel of the program that started the proxy. */
export interface HostLink {
  /** Says that the host may ask. */
  ready(): Promise<void>;
  /** Resolves when the host has closed its side. */
  ended: Promise<void>;
  /** Resolves when the host has said that the proxy shall end, or is gone after it has used the channel. */
  left: Promise<void>;
  close(): void;
}

export type OpenHost = (calls: SessionCalls) => HostLink;

const NO_CLIENT =
  "the input ended before an MCP client sent a message; agents start lsp-proxy themselves, see `lsp-proxy client`";
/** How long running calls may take after the client has closed its side. */
const FINAL_ANSWERS_MS = 2000;

/** Serves one client; resolves when it is gone and the runtime is closed. */
export async function serveStdio(runtime: Runtime, options: StdioOptions): Promise<void> {
  const { input, output, trace, log, signal, trust, switchProject } = options;
  const calls = new SessionCalls(runtime, runtime.openSession(), { trust, switchProject, limit: "own" });
  const transport = new StreamTransport(input, output, trace);
  const end = () => void transport.close();
  runtime.memory.watchClients(() => [{ heldBytes: output.writableLength, end }]);
  const host = options.openHost?.(calls);
  const isUsed = await serveClient({ runtime, calls, transport, log, signal, host });
  if (!isUsed && signal?.aborted !== true && host === undefined) log("warn", NO_CLIENT);
  await calls.close();
}

/** One client on a transport. */
interface ServedClient {
  runtime: Runtime;
  calls: SessionCalls;
  transport: StreamTransport;
  log: Log;
  signal?: AbortSignal | undefined;
  /** The program that started the proxy, where it has a channel of its own. */
  host?: HostLink | undefined;
}

/** Serves a client until it is gone; gives whether it has sent a message. */
export async function serveClient(client: ServedClient): Promise<boolean> {
  const { calls, transport, log, signal, host } = client;
  void transport.closed.then((reason) => {
    if (reason !== undefined) log("warn", reason);
  });
  const aborted = signal === undefined ? transport.closed : whenAborted(signal);
  const stopped = host === undefined ? aborted : Promise.race([aborted, host.left]);
  const opening = transport.firstMessage();
  await host?.ready();
  const first = await Promise.race([opening, stopped]);
  if (first !== undefined && typeof first !== "string") {
    const close = await connect(isModernMessage(first), client);
    const answered = transport.ended.then(() => withTimeout(lastAnswers(calls), FINAL_ANSWERS_MS));
    await Promise.race([transport.closed, stopped, answered]);
    await close();
  }
  if (host !== undefined) await Promise.race([host.ended, stopped]);
  host?.close();
  await transport.close();
  return first !== undefined;
}

/** Resolves when the calls in the last messages have been answered. */
async function lastAnswers(calls: SessionCalls): Promise<void> {
  // The SDKs start a call in the turn of its message, and send an answer in the turn in which its call ends.
  await nextTurn();
  await calls.idle();
  await nextTurn();
}

/** Connects the SDK that speaks the client's protocol version; gives the function that disconnects it. */
async function connect(
  isModern: boolean,
  { runtime, calls, transport, log }: ServedClient,
): Promise<() => Promise<void>> {
  const onerror = (error: Error) => log("debug", "mcp", { cause: error.message });
  if (isModern) {
    const { serveModernTransport } = await import("./modern-server.js");
    return serveModernTransport(runtime, calls, transport, onerror).close;
  }
  const server = createSessionServer(runtime, calls, { narrow: false, log });
  server.onerror = onerror;
  await server.connect(transport);
  return () => server.close();
}
