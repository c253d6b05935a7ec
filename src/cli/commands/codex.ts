/** `codex`: the stanza that makes Codex start this proxy for this config and workspace, or go to its gateway. */
import type { HttpPlan } from "../../abi/plan.js";
import { type ClientView, codexStanza, type GatewayView, type StartedView } from "../../emit/clients.js";
import { readTemplates } from "../../emit/templates.js";
import { addressOf, isLoopback } from "../../mcp/http/address.js";
import {
  type Command,
  exitCodes,
  type Input,
  isOn,
  type Surroundings,
  textFlag,
  UsageError,
} from "../command.js";
import { type Compiled, planConfig, workspaceOf } from "../compile.js";
import { configFlags } from "../flags.js";
import { executable, shippedTemplates } from "../shipped.js";

export const codex: Command = {
  name: "codex",
  summary: "Prints the stanza for Codex's config.toml.",
  usage: "[--config FILE] [--name NAME] [--http]",
  description:
    "Prints a stanza that works from any directory: append it to ~/.codex/config.toml, or to .codex/config.toml of a\n" +
    "project that Codex trusts. It holds no secrets.",
  flags: {
    ...configFlags,
    name: {
      type: "string",
      value: "NAME",
      description: "Codex's name for the server; the config's `mcp.name` when absent.",
    },
    http: {
      type: "boolean",
      description: "For a gateway that `serve --http` runs, instead of a proxy that Codex starts.",
    },
  },
  words: { min: 0, max: 0 },
  examples: ["lsp-proxy codex --config lspi.toml >> ~/.codex/config.toml"],
  async run(input, io) {
    const planned = planConfig(input, io);
    const view: ClientView = {
      name: textFlag(input, "name") ?? planned.plan.mcp.name,
      reach: isOn(input, "http") ? gatewayOf(planned.plan.http) : startOf(input, io, planned),
    };
    io.stdout.write(codexStanza(view, planned.plan, readTemplates(shippedTemplates)));
    return exitCodes.ok;
  },
};

function startOf(input: Input, io: Surroundings, planned: Omit<Compiled, "bundle">): StartedView {
  return {
    command: process.execPath,
    args: [executable, "serve", ...serveArguments(input, io, planned)],
    cwd: planned.loaded.base,
    envVars: planned.plan.allow.env.filter((name) => io.env[name] !== undefined),
  };
}

function gatewayOf({ bind, port, path, tokenEnv }: HttpPlan): GatewayView {
  if (port === 0)
    throw new UsageError("give `http.port` a number: 0 is another port with every start", "codex");
  // Codex runs on this machine; which of its other addresses a client would take is not ours to know.
  const host = isLoopback(bind) ? bind : "127.0.0.1";
  return { url: addressOf(host, port, path), tokenEnv };
}

/** The words after `serve` that mean the same from any directory. */
function serveArguments(input: Input, io: Surroundings, { loaded }: Pick<Compiled, "loaded">): string[] {
  const context = textFlag(input, "context");
  // A file that was named, by flag or environment, is named again; a discovered one is discovered again, and trusted or not.
  const source =
    loaded.main.kind === "named" && loaded.main.file !== null
      ? ["--config", loaded.main.file]
      : ["--workspace", workspaceOf(input, io)];
  return [
    ...source,
    ...(context === undefined ? [] : ["--context", context]),
    ...(isOn(input, "read-only") ? ["--read-only"] : []),
    ...(isOn(input, "trust-workspace") ? ["--trust-workspace"] : []),
  ];
}
