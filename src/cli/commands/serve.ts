/** `serve`: serves MCP on stdio, on inherited descriptors or over HTTP. Everything but the protocol goes to stderr. */
import { escapeLine } from "../../base/hidden-characters.js";
import type { Log } from "../../lsp/types.js";
import type { OpenHost } from "../../mcp/stdio.js";
import { abortOn, type Command, type Input, type Io, UsageError } from "../command.js";
import type { Streams } from "../descriptors.js";
import { bundleFlags, configFlags, HOST, logFlags, option, toggle, traceFlags } from "../flags.js";
import { openLog } from "../log/log.js";
import { type Opened, openFrom } from "../open.js";
import type { ServedConfig } from "../served-config.js";

/** How long a client may take to read its last answers. */
const LAST_OUTPUT_MS = 3_000;

export const serve: Command = {
  name: "serve",
  summary: "Serves the tools of a config to an MCP client on stdio, or to many over HTTP.",
  usage: "[--config FILE | --bundle DIR]",
  description:
    "Serves a config, or a bundle written by `generate`. If there is neither, the installed language servers for the\n" +
    "workspace's languages are served, read-only. stdout carries the protocol and nothing else.\n" +
    "A changed config is used as soon as it is saved: servers that are the same keep running. If it has problems, the old\n" +
    "one counts, and the status says why.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    warmup: toggle("Starts the language servers at once instead of at the first call."),
    http: toggle("Serves many clients over HTTP, as configured in `[http]`, instead of one on stdio."),
    port: option("N", "With --http: the port, instead of the config's."),
    bind: option("ADDRESS", "With --http: the address, instead of the config's."),
    "allow-remote": toggle("With --http: allows an address that other machines can reach."),
    "fd-in": option("N", "Reads the protocol from this inherited descriptor."),
    "fd-out": option("N", "Writes the protocol to this inherited descriptor."),
    ...logFlags,
    ...traceFlags,
  },
  examples: [
    "lsp-proxy serve --config lspi.toml",
    "lsp-proxy serve --bundle .lspi/bundle --expect sha256-…",
    "lsp-proxy serve --config lspi.toml --http",
    "lsp-proxy -e rs -s rust-analyzer -w ~/project   # one server and one tool, without a config",
  ],
  async run(input, io) {
    if (input.text("bundle") !== undefined && input.text("config") !== undefined)
      throw new UsageError("give --config or --bundle, not both");
    for (const name of ["port", "bind", "allow-remote"])
      if (input.flags[name] !== undefined && !input.isOn("http"))
        throw new UsageError(`--${name} is for a gateway: add --http`);
    const streams = input.isOn("http") ? undefined : await openStreams(input, io);
    const opened = await openFrom(input, io, { servesUntrusted: streams !== undefined, reloads: true });
    const { runtime, trace, config, refusal } = opened;
    const isTerminal = "isTTY" in io.stdin && io.stdin.isTTY === true;
    if (streams?.input === io.stdin && isTerminal) io.stderr.write(greeting(opened));
    const signal = abortOn("SIGTERM", "SIGINT", "SIGHUP");
    try {
      const warms = input.isOn("warmup") || runtime.loaded.plan.mcp.warmup;
      if (warms && refusal === undefined) void runtime.warmup();
      const options = { log: openLog(input, io), trace, signal };
      if (streams === undefined) {
        const { serveGateway } = await import("../gateway.js");
        await serveGateway(input, io, opened, options);
      } else {
        const { serveStdio } = await import("../../mcp/stdio.js");
        const project = config && (await clientProject(opened, config, input, io, options.log));
        const openHost = await hostOf(opened, streams, io, options.log);
        await serveStdio(runtime, { ...streams, ...options, ...project, openHost });
      }
    } finally {
      await runtime.close();
      // Output that the client does not read would keep the process alive.
      io.exitAfter?.(LAST_OUTPUT_MS);
    }
  },
};

/** What a session on stdio can do about its config. For a bundle the compiler is not loaded. */
async function clientProject(opened: Opened, config: ServedConfig, input: Input, io: Io, log: Log) {
  const { trustOf, projectEntrance } = await import("../client-project.js");
  const trust = trustOf(opened, config, io, log);
  return { trust, enterProject: projectEntrance(config, input, io, log) };
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

/** The channel of the host on stdin and stdout, where the config has one and the protocol is elsewhere. */
async function hostOf(opened: Opened, streams: Streams, io: Io, log: Log): Promise<OpenHost | undefined> {
  const tools = opened.runtime.loaded.plan.mcp.hostChannel;
  if (tools === null || streams.input === io.stdin) return undefined;
  const { hostOpener } = await import("../host-channel.js");
  return hostOpener(opened, tools, { input: io.stdin, output: io.stdout.stream }, log);
}

/** The streams of the protocol: stdin and stdout, or two inherited descriptors. */
async function openStreams(input: Input, io: Io): Promise<Streams> {
  const host = input.text(HOST);
  const [from, to] = [input.text("fd-in"), input.text("fd-out")];
  if (from === undefined && to === undefined && host === undefined)
    return { input: io.stdin, output: io.stdout.stream };
  const descriptors = await import("../descriptors.js");
  if (host !== undefined) return host === "mcp" ? descriptors.eitherWay("3", "4") : descriptors.noStreams();
  if (from === undefined || to === undefined)
    throw new UsageError("give both --fd-in and --fd-out, or neither");
  return descriptors.openDescriptors(from, to);
}
