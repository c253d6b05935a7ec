/** `serve` with a runtime in this process: for one client on stdio, or for many over HTTP. */

import type { Plan } from "../abi/plan.js";
import { escapeLine } from "../base/hidden-characters.js";
import type { Log } from "../lsp/types.js";
import type { OpenHost } from "../mcp/stdio.js";
import type { Input, Io } from "./command.js";
import type { Streams } from "./descriptors.js";
import { openLog } from "./log/log.js";
import { type Opened, openFrom } from "./open.js";
import type { ServedConfig } from "./served-config.js";
import { abortOn } from "./signals.js";

/** How long a client may take to read its last answers. */
const LAST_OUTPUT_MS = 3_000;

interface ServeOptions {
  /** Undefined for the gateway. */
  streams: Streams | undefined;
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
  const opened = await openFrom(input, io, { servesUntrusted: true, reloads: true, ...shared });
  const { runtime, trace, config } = opened;
  const { signal = abortOn("SIGTERM", "SIGINT", "SIGHUP") } = given;
  onOpened?.({ plan: runtime.loaded.plan, bundle: runtime.loaded.manifest.bundle });
  const isTerminal = "isTTY" in io.stdin && io.stdin.isTTY === true;
  if (streams?.input === io.stdin && isTerminal) io.stderr.write(greeting(opened));
  try {
    if (input.isOn("warmup") || runtime.loaded.plan.mcp.warmup) void runtime.warmup();
    const options = { log: openLog(input, io), trace, signal };
    if (streams === undefined) {
      const { serveGateway } = await import("./gateway.js");
      await serveGateway(input, io, opened, options);
    } else {
      const { serveStdio } = await import("../mcp/stdio.js");
      const project = config && (await clientProject(opened, config, input, io, options.log));
      const openHost = await hostOf(opened, streams, io, options.log);
      await serveStdio(runtime, { ...streams, ...options, ...project, openHost });
    }
  } finally {
    await runtime.close();
    // Output that the client does not read would keep the process alive.
    io.exitAfter?.(LAST_OUTPUT_MS);
  }
}

/** The actions of a session on stdio for its config. For a bundle the compiler is not loaded. */
async function clientProject(opened: Opened, config: ServedConfig, input: Input, io: Io, log: Log) {
  const { trustOfferFor, projectSwitch } = await import("./client-project.js");
  const trust = trustOfferFor(opened, config, io, log);
  return { trust, switchProject: projectSwitch(config, input, io, log) };
}

/** The channel of the host on stdin and stdout, where the config has one and the protocol is elsewhere. */
async function hostOf(opened: Opened, streams: Streams, io: Io, log: Log): Promise<OpenHost | undefined> {
  const channel = opened.runtime.loaded.plan.mcp.hostChannel;
  if (channel === null || streams.input === io.stdin) return undefined;
  const { hostOpener } = await import("./host-channel.js");
  return hostOpener(opened, channel, { input: io.stdin, output: io.stdout.stream }, log);
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
