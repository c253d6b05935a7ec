/** `serve` with a runtime in this process: for one client on stdio, or for many over HTTP. */

import type { Plan } from "../abi/plan.js";
import { escapeLine } from "../base/hidden-characters.js";
import { abortOn, type Input, type Io } from "./command.js";
import { openLog } from "./log/log.js";
import { type Opened, openFrom } from "./open.js";
import type { ProtocolStreams } from "./streams.js";

/** How long a client may take to read its last answers. */
const LAST_OUTPUT_MS = 3_000;

export interface ServeOptions {
  /** Undefined for the gateway. */
  streams: ProtocolStreams | undefined;
  /** Ends the service; the signals of the process when absent. */
  signal?: AbortSignal;
  /** Why the servers are not shared, where the command line asks for that. */
  notShared?: string;
  /** Called when the config is read. */
  onOpened?(opened: { plan: Plan; bundle: string }): void;
}

export async function serveAlone(
  input: Input,
  io: Io,
  { streams, notShared, onOpened, ...given }: ServeOptions,
): Promise<void> {
  const shared = notShared === undefined ? {} : { notShared };
  const opened = await openFrom(input, io, { servesUntrusted: streams !== undefined, ...shared });
  const { runtime, trace, found, refusal } = opened;
  const { signal = abortOn("SIGTERM", "SIGINT", "SIGHUP") } = given;
  onOpened?.({ plan: runtime.loaded.plan, bundle: runtime.loaded.manifest.bundle });
  const isTerminal = "isTTY" in io.stdin && io.stdin.isTTY === true;
  if (streams?.input === io.stdin && isTerminal) io.stderr.write(greeting(opened));
  try {
    const warms = input.isOn("warmup") || runtime.loaded.plan.mcp.warmup;
    if (warms && refusal === undefined) void runtime.warmup();
    const options = { log: openLog(input, io), trace, signal };
    if (streams === undefined) {
      const { serveGateway } = await import("./gateway.js");
      await serveGateway(input, io, opened, options);
    } else {
      const { serveStdio } = await import("../mcp/stdio.js");
      // For a bundle the compiler is not loaded.
      const isBundle = input.text("bundle") !== undefined;
      const project = isBundle ? undefined : await import("./client-project.js");
      const trust = project?.trustOf({ found, refusal }, input, io, options.log);
      const openProject = project?.projectOpener(input, io, options.log);
      await serveStdio(runtime, { ...streams, ...options, trust, openProject });
    }
  } finally {
    await runtime.close();
    // Output that the client does not read would keep the process alive.
    io.exitAfter?.(LAST_OUTPUT_MS);
  }
}

/** Printed when a person starts `serve` in a terminal. */
function greeting({ runtime, source, base }: Opened): string {
  const { servers } = runtime.loaded.plan;
  return [
    `lsp-proxy serves ${source} in ${base}`,
    servers.length > 0
      ? "language servers:"
      : "no language server is installed for the files here; see `lsp-proxy explain`",
    ...servers.map(({ id, extensions }) => `  ${id}: ${extensions.map((name) => `.${name}`).join(" ")}`),
    `tools: ${runtime.tools.map((tool) => tool.name).join(", ")}`,
    "Waiting for an MCP client on stdin. Agents start lsp-proxy themselves: see `lsp-proxy client`. Ctrl-C stops it.",
    "",
  ]
    .map(escapeLine)
    .join("\n");
}
