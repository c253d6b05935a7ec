/**
 * `mcp`: `serve` on stdio with lspi's command line and its profiles, for clients that are configured for `lspi mcp`.
 */
import { type Command, Input, UsageError } from "../command.js";
import { configFlags, option, toggle, withDefault } from "../flags.js";
import { serve } from "./serve.js";

/** lspi's contexts and modes → profiles. */
const contexts = new Map([
  ["full", "lspi"],
  ["codex", "lspi-codex"],
  ["navigation", "lspi-navigation"],
]);
const modes = new Map([
  ["navigation", "lspi-navigation"],
  ["refactor", "lspi"],
]);

export const mcp: Command = {
  name: "mcp",
  summary: "Serves lspi's tools on stdio, with the command line of `lspi mcp`.",
  usage: "[--config FILE] [--workspace-root DIR]",
  description: "The same as `serve` with one of the profiles lspi, lspi-codex and lspi-navigation.",
  flags: {
    config: configFlags.config,
    "workspace-root": withDefault(
      option("DIR", "The workspace."),
      "the folder of the config, or the current one",
    ),
    warmup: toggle("Starts the language servers at once instead of at the first call."),
    context: {
      ...option("NAME", "full, codex or navigation."),
      absent: "full",
      values: [...contexts.keys()],
    },
    mode: option(
      "navigation|refactor",
      "navigation: only tools that read; refactor: all. Ignored with --context.",
    ),
    "read-only": toggle("Hides and refuses every tool that does more than read."),
    "read-write": toggle("Allows tools that edit files or restart servers, whatever the config says."),
  },
  examples: ["lsp-proxy mcp --workspace-root .", "lsp-proxy mcp --mode navigation --warmup"],
  async run(input, io) {
    if (input.isOn("read-only") && input.isOn("read-write"))
      throw new UsageError("give --read-only or --read-write, not both");
    const { "workspace-root": workspace, mode, ...rest } = input.flags;
    const context = profileOf(input, "context", contexts) ?? profileOf(input, "mode", modes) ?? "lspi";
    const flags = { ...rest, context, ...(workspace === undefined ? {} : { workspace }) };
    return serve.run(new Input(flags, []), io);
  },
};

function profileOf(input: Input, flag: string, profiles: ReadonlyMap<string, string>): string | undefined {
  const name = input.text(flag);
  if (name === undefined) return undefined;
  const profile = profiles.get(name);
  if (profile === undefined) throw new UsageError(`--${flag} takes ${[...profiles.keys()].join(", ")}`);
  return profile;
}
