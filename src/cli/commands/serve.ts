/** `serve`: the main job. MCP on stdin and stdout, language servers behind it; everything else goes to stderr. */
import { type Command, exitCodes, isOn, type Surroundings, textFlag, UsageError } from "../command.js";
import { descriptorFlags, openStreams } from "../descriptors.js";
import { configFlags } from "../flags.js";
import { logFlags, openLog } from "../log/log.js";
import { traceFlags } from "../log/trace.js";
import { bundleFlags, type Opened, openFrom } from "../open.js";

export const serve: Command = {
  name: "serve",
  summary: "Serves the tools of a config to an MCP client on stdio, or to many over HTTP.",
  usage: "[--config FILE | --bundle DIR]",
  description:
    "Compiles the config in memory and serves it, or serves a bundle that `generate` wrote. Without either, the config is\n" +
    "found as the documentation says; with none at all, the workspace's languages are served by the language servers that\n" +
    "are installed, read-only. stdout carries the protocol and nothing else.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    warmup: {
      type: "boolean",
      description: "Starts the language servers at once instead of at the first call.",
    },
    http: {
      type: "boolean",
      description: "Serves many clients over HTTP, as `[http]` says, instead of one on stdio.",
    },
    port: { type: "string", value: "N", description: "With --http: the port, over what the config says." },
    bind: {
      type: "string",
      value: "ADDRESS",
      description: "With --http: the address, over what the config says.",
    },
    "allow-remote": {
      type: "boolean",
      description: "With --http: lets the address be an address that other machines can reach.",
    },
    ...descriptorFlags,
    ...logFlags,
    ...traceFlags,
  },
  words: { min: 0, max: 0 },
  examples: [
    "lsp-proxy serve --config lspi.toml",
    "lsp-proxy serve --bundle .lspi/bundle --expect sha256-…",
    "lsp-proxy serve --workspace ~/project --trust-workspace",
    "lsp-proxy serve --config lspi.toml --http",
    "lsp-proxy serve --context llxprt --fd-in 3 --fd-out 4",
    "lsp-proxy -e rs -s rust-analyzer -w ~/project   # one server, without a config",
  ],
  async run(input, io) {
    if (textFlag(input, "bundle") !== undefined && textFlag(input, "config") !== undefined) {
      throw new UsageError("give --config or --bundle, not both", "serve");
    }
    const isHttp = isOn(input, "http");
    const streams = isHttp ? undefined : openStreams(input, io);
    const opened = await openFrom(input, io);
    const { runtime } = opened;
    if (streams?.input === io.stdin && isTerminal(io)) io.stderr.write(greeting(opened));
    const stop = new AbortController();
    const end = () => stop.abort();
    process.once("SIGTERM", end);
    process.once("SIGINT", end);
    process.once("SIGHUP", end);
    try {
      if (isOn(input, "warmup") || runtime.loaded.plan.mcp.warmup) void runtime.warmup();
      const log = openLog(input, io);
      const { trace } = opened;
      if (streams === undefined) {
        const { serveGateway } = await import("../gateway.js");
        await serveGateway(input, io, opened, { log, trace, signal: stop.signal });
      } else {
        const { serveStdio } = await import("../../mcp/stdio.js");
        await serveStdio(runtime, { ...streams, log, trace, signal: stop.signal });
      }
    } finally {
      await runtime.close();
    }
    return exitCodes.ok;
  },
};

function isTerminal(io: Surroundings): boolean {
  return "isTTY" in io.stdin && io.stdin.isTTY === true;
}

/** What a person sees who starts `serve` by hand. */
function greeting({ runtime, source, base }: Opened): string {
  const { plan } = runtime.loaded;
  const servers = plan.servers.map(
    (server) => `  ${server.id}: ${server.extensions.map((extension) => `.${extension}`).join(" ")}`,
  );
  return [
    `lsp-proxy serves ${source} in ${base}`,
    servers.length > 0
      ? "language servers:"
      : "no language server is installed for what is here; see `lsp-proxy explain`",
    ...servers,
    `tools: ${runtime.tools.map((tool) => tool.name).join(", ")}`,
    "Waiting for an MCP client on stdin. An agent starts this by itself: see `lsp-proxy client`. Ctrl-C ends it.",
    "",
  ].join("\n");
}
