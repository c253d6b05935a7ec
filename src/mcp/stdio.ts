/** MCP on a pair of streams, from the handshake until the client is gone. Only the protocol is written to the output. */
import type { Readable, Writable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Log, Trace } from "../lsp/types.js";
import type { Runtime } from "../runtime/runtime.js";
import { CallLane } from "./call-lane.js";
import { openCalls, type SessionCalls } from "./calls.js";
import { isModernMessage } from "./era.js";
import { createServer } from "./server.js";
import { StreamTransport } from "./stream-transport.js";

/** The streams of one client, and how the service is ended. */
export interface StdioOptions {
  input: Readable;
  output: Writable;
  log: Log;
  trace?: Trace | undefined;
  /** Ends the service from outside, as a signal to the process does. */
  signal?: AbortSignal;
}

/** A client that closed its side may still read the answers it has asked for; after this it gets none. */
const farewellMs = 2000;

/** Serves one client; resolves when it is gone and the runtime is closed. */
export async function serveStdio(runtime: Runtime, options: StdioOptions): Promise<void> {
  const { signal } = options;
  const session = runtime.openSession();
  const calls = openCalls(runtime, session);
  const transport = new StreamTransport(options.input, options.output, options.trace);
  let close = () => transport.close();
  let isEnded = false;
  const stop = () => void close();
  const leave = async () => {
    const timer = setTimeout(stop, farewellMs);
    // The last messages become calls in this turn of the loop, and the last answers are written in the turn of their calls.
    await nextTurn();
    await calls.idle();
    await nextTurn();
    clearTimeout(timer);
    stop();
  };
  transport.onend = () => {
    isEnded = true;
  };
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();

  const first = await transport.opening();
  if (first !== undefined && !signal?.aborted) {
    const serving = await answer(isModernMessage(first), runtime, calls, transport, options.log);
    close = serving.close;
    transport.onend = () => void leave();
    if (isEnded) void leave();
    if (signal?.aborted) stop();
    await serving.gone;
  }
  await transport.close();
  signal?.removeEventListener("abort", stop);
  session.close();
  await runtime.close();
}

/** A client being answered. */
interface Serving {
  close(): Promise<void>;
  gone: Promise<void>;
}

/** Answers a client in the era that it opened with. */
async function answer(
  isModern: boolean,
  runtime: Runtime,
  calls: SessionCalls,
  transport: StreamTransport,
  log: Log,
): Promise<Serving> {
  const onError = (error: Error) => log("debug", "mcp", { cause: error.message });
  if (isModern) {
    const { serveModernWire } = await import("./modern.js");
    const handle = serveModernWire(runtime, calls, transport, onError);
    return { close: () => handle.close(), gone: transport.closed };
  }
  const server = createServer(runtime, calls);
  server.onerror = onError;
  const lane = new CallLane({
    calls,
    client: () => server.getClientVersion()?.name,
    send: (message) => transport.send(message),
  });
  transport.ontake = (message) => lane.take(message);
  void transport.closed.then(() => lane.close());
  await server.connect(transport);
  return { close: () => server.close(), gone: transport.closed };
}
