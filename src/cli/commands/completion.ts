/** `completion`: prints a script that completes commands, flags and names in a shell. */
import { codes } from "../../base/codes.js";
import { sortedSet } from "../../base/order.js";
import { ConfigError } from "../../base/problem.js";
import { knownClients } from "../clients/client-files.js";
import { type Command, didYouMean, type Input, type Io, type NameKind, UsageError } from "../command.js";
import { commands } from "../commands.js";
import { planConfig } from "../compile.js";
import { configFlags, option } from "../flags.js";
import { openCatalogue } from "../presets.js";
import { completionScripts, type Shell } from "../terminal/completion-scripts.js";

const shells = Object.keys(completionScripts);

export const completion: Command = {
  name: "completion",
  summary: "Prints the script that completes commands in bash, zsh or fish.",
  usage: "bash|zsh|fish",
  description:
    "Load the script where your shell starts, as the examples show. It completes commands, flags and their values, and the\n" +
    "names of servers, clients, tools and problem codes. Tools are those of the config of the current folder, if it is trusted.",
  flags: {
    ...configFlags,
    names: option("servers|clients|tools|codes", "Prints these names instead; the scripts ask for them."),
  },
  words: { min: 0, max: 1 },
  completes: shells,
  examples: [
    `eval "$(lsp-proxy completion bash)"    # in ~/.bashrc`,
    `eval "$(lsp-proxy completion zsh)"     # in ~/.zshrc, after compinit`,
    "lsp-proxy completion fish > ~/.config/fish/completions/lsp-proxy.fish",
  ],
  async run(input, io) {
    const [shell] = input.words;
    const kind = input.text("names");
    if (kind !== undefined) {
      if (!Object.hasOwn(names, kind)) throw new UsageError(`--names takes ${Object.keys(names).join(", ")}`);
      for (const name of await names[kind as NameKind](input, io)) io.stdout.write(`${name}\n`);
    } else if (shell === undefined || !shells.includes(shell)) {
      const hint = shell === undefined ? "" : didYouMean(shell, shells);
      throw new UsageError(`give the shell: ${shells.join(", ")}${hint}`);
    } else {
      const all = await Promise.all(Object.values(commands).map((load) => load()));
      io.stdout.write(completionScripts[shell as Shell](all));
    }
  },
};

const names: {
  readonly [kind in NameKind]: (input: Input, io: Io) => readonly string[] | Promise<readonly string[]>;
} = {
  servers: () =>
    sortedSet(
      openCatalogue()
        .facts()
        .map(({ id }) => id),
    ),
  clients: () => knownClients().map(({ id }) => id),
  codes: () => Object.keys(codes),
  async tools(input, io) {
    try {
      return sortedSet((await planConfig(input, io, { startsNothing: true })).plan.mcp.listed);
    } catch (error) {
      // Completion has nowhere to show the problems of a config.
      if (error instanceof ConfigError) return [];
      throw error;
    }
  },
};
