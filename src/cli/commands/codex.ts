/** `codex`: the short form of `client codex`. */
import type { Command } from "../command.js";
import { client } from "./client.js";

export const codex: Command = {
  ...client,
  name: "codex",
  summary: "Sets the proxy up in Codex: the short form of `client codex`.",
  usage: client.usage.replace("[NAME] ", ""),
  description:
    "Prints a stanza that works from any directory; --write merges it into ~/.codex/config.toml, or with --scope project into\n" +
    ".codex/config.toml of a project that Codex trusts. It holds no secrets.",
  words: { min: 0, max: 0 },
  examples: ["lsp-proxy codex --config lspi.toml", "lsp-proxy codex --write", "lsp-proxy codex --remove"],
  run: (input, io) => client.run({ ...input, words: ["codex"] }, io),
};
