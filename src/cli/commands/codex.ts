/** `codex`: the stanza that makes Codex start this proxy for this config and workspace. */
import type { ClientView } from "../../emit/clients.js";
import { codexStanza } from "../../emit/clients.js";
import { readTemplates } from "../../emit/templates.js";
import { type Command, exitCodes, type Input, isOn, type Surroundings, textFlag } from "../command.js";
import { type Compiled, planConfig, workspaceOf } from "../compile.js";
import { configFlags } from "../flags.js";
import { executable, shippedTemplates } from "../shipped.js";

export const codex: Command = {
  name: "codex",
  summary: "Prints the stanza for Codex's config.toml.",
  usage: "[--config FILE] [--name NAME]",
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
  },
  words: { min: 0, max: 0 },
  examples: ["lsp-proxy codex --config lspi.toml >> ~/.codex/config.toml"],
  async run(input, io) {
    const planned = planConfig(input, io);
    const view: ClientView = {
      name: textFlag(input, "name") ?? planned.plan.mcp.name,
      command: process.execPath,
      args: [executable, "serve", ...serveArguments(input, io, planned)],
      cwd: planned.loaded.base,
      envVars: planned.plan.allow.env.filter((name) => io.env[name] !== undefined),
    };
    io.stdout.write(codexStanza(view, planned.plan, readTemplates(shippedTemplates)));
    return exitCodes.ok;
  },
};

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
