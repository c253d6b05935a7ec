/** MCP on a pair of streams, from the handshake until the client is gone. Only the protocol is written to the output. */
import type { Readable, Writable } from "node:stream";
import type { Log, Trace } from "../lsp/types.js";
import type { Runtime } from "../runtime/runtime.js";
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
  const { log, signal } = options;
  const session = runtime.openSession();
  const { server, idle } = createServer(runtime, session);
  const transport = new StreamTransport(options.input, options.output, options.trace);
  server.onerror = (error) => log("debug", "mcp", { cause: error.message });

  const stop = () => void server.close();
  const gone = new Promise<void>((resolve) => {
    server.onclose = resolve;
  });
  transport.onend = () => {
    const timer = setTimeout(stop, farewellMs);
    void idle().then(() => {
      clearTimeout(timer);
      // The answers of the last calls are written in this turn of the loop; close in the next.
      setImmediate(stop);
    });
  };
  signal?.addEventListener("abort", stop, { once: true });
  await server.connect(transport);
  if (signal?.aborted) stop();
  await gone;
  signal?.removeEventListener("abort", stop);
  session.close();
  await runtime.close();
}
