/** `serve`: serves MCP on stdio, on inherited descriptors or over HTTP. Everything but the protocol goes to stderr. */
import { ConfigError } from "../../base/problem.js";
import { type Command, type Input, type Io, UsageError } from "../command.js";
import { bundleFlags, configFlags, logFlags, option, toggle, traceFlags, withDefault } from "../flags.js";
import { openStreams } from "../streams.js";

export const serve: Command = {
  name: "serve",
  summary: "Serves the tools of a config to an MCP client on stdio, or to many over HTTP.",
  usage: "[--config FILE | --bundle DIR]",
  description:
    "Serves a config, or a bundle written by `generate`. If there is neither, the installed language servers for the\n" +
    "workspace's languages are served, read-only. stdout carries the protocol and nothing else. A changed config is used as\n" +
    "soon as it is saved. Servers keep running unless something changed that they were started with: their settings,\n" +
    "`[workspace]`, `allow.effects`, `mcp.read_only`, `allow.env`, `limits.max_message_bytes`, `limits.max_file_bytes` or\n" +
    "`limits.max_open_documents`. If the changed config has problems, the old one is still used, and the server status says\n" +
    "why. If a config that was found has problems at the start, every call is refused until they are corrected; one that is\n" +
    "named with --config ends the program.",
  flags: {
    ...configFlags,
    ...bundleFlags,
    shared: toggle(
      "Shares the language servers with all sessions of this user in the workspace, by a background process.",
    ),
    warmup: toggle("Starts the language servers at once instead of at the first call."),
    http: toggle("Serves many clients over HTTP, as configured in `[http]`, instead of one on stdio."),
    port: withDefault(option("N", "With --http: the port."), "the config's"),
    bind: withDefault(option("ADDRESS", "With --http: the address."), "the config's"),
    "serve-workspace": {
      ...option("DIR", "With --http: serves this workspace too, at `/mcp/NAME`; may be repeated."),
      multiple: true,
    },
    below: option("DIR", "With --http: serves all trusted workspaces below this folder too."),
    "allow-remote": toggle("With --http: allows an address that other machines can reach."),
    "fd-in": option("N", "Reads the protocol from this inherited descriptor."),
    "fd-out": option("N", "Writes the protocol to this inherited descriptor."),
    ...logFlags,
    ...traceFlags,
  },
  examples: [
    "lsp-proxy serve --config lspi.toml",
    "lsp-proxy serve --shared",
    "lsp-proxy serve --bundle .lspi/bundle --expect sha256-…",
    "lsp-proxy serve --http --config lspi.toml",
    "lsp-proxy -e rs -s rust-analyzer -w ~/project   # one server and one tool, without a config",
  ],
  async run(input, io) {
    if (input.text("bundle") !== undefined && input.text("config") !== undefined)
      throw new UsageError("give --config or --bundle, not both");
    for (const name of ["port", "bind", "allow-remote", "serve-workspace", "below"])
      if (input.flags[name] !== undefined && !input.isOn("http"))
        throw new UsageError(`--${name} is for a gateway: add --http`);
    if (input.isOn("shared") && input.isOn("http"))
      throw new UsageError("a gateway shares its servers already: leave out --shared");
    if (input.isOn("shared") && input.text("trace") !== undefined)
      throw new UsageError("--trace is for a session with servers of its own: leave out --shared");
    try {
      await serveWith(input, io);
    } catch (error) {
      if (error instanceof ConfigError)
        io.stderr.writeLine("lsp-proxy serves nothing until this is corrected:");
      throw error;
    }
  },
};

async function serveWith(input: Input, io: Io): Promise<void> {
  const streams = input.isOn("http") ? undefined : await openStreams(input, io);
  if (streams !== undefined && input.isOn("shared")) {
    const { serveShared } = await import("../hub/serve-shared.js");
    await serveShared(input, io, streams);
  } else {
    const { serveAlone } = await import("../serve-alone.js");
    await serveAlone(input, io, { streams });
  }
}
