/** `export`: the servers of a config in the words of another program. */
import { resolve } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { claudeServers, type Exported, helixLanguages } from "../../emit/exports.js";
import { type Command, exitCodes, textFlag, UsageError } from "../command.js";
import { planConfig } from "../compile.js";
import { mayWrite, writeUserFile } from "../files/user-file.js";
import { configFlags } from "../flags.js";

const formats: { readonly [name: string]: (servers: readonly ServerPlan[]) => Exported } = {
  claude: claudeServers,
  helix: helixLanguages,
};

export const exportCommand: Command = {
  name: "export",
  summary: "Writes the servers of a config for Claude Code (.lsp.json) or Helix (languages.toml).",
  usage: "claude|helix [--config FILE] [--output FILE]",
  description:
    "Prints the servers with every default filled in, as the other program reads them. What it has no words for is told on\n" +
    "stderr. `claude` is the .lsp.json of Claude Code and qwen-code; `helix` are entries for languages.toml.",
  flags: {
    ...configFlags,
    output: { type: "string", short: "o", value: "FILE", description: "Writes a file instead of stdout." },
    force: { type: "boolean", description: "Replaces the file when there is one." },
  },
  words: { min: 1, max: 1 },
  examples: ["lsp-proxy export claude --output .lsp.json", "lsp-proxy export helix --config lspi.toml"],
  async run(input, io) {
    const [name = ""] = input.words;
    const write = Object.hasOwn(formats, name) ? formats[name] : undefined;
    if (write === undefined)
      throw new UsageError(`no format \`${name}\`; it takes ${Object.keys(formats).join(" or ")}`, "export");
    const { plan, loaded } = planConfig(input, io);
    const disabled = (loaded.config.servers ?? []).filter(({ enabled }) => enabled === false);
    const { text, notes: lost } = write(plan.servers);
    const notes = [...disabled.map(({ id }) => `${id}: it is not enabled; left out`), ...lost];
    const output = textFlag(input, "output");
    if (output !== undefined) {
      const file = resolve(io.cwd, output);
      if (!mayWrite(file, input, io)) return exitCodes.no;
      writeUserFile(file, text);
      io.stdout.write(`wrote ${file}\n`);
    } else io.stdout.write(text);
    for (const note of notes) io.stderr.write(`not carried over: ${note}\n`);
    return exitCodes.ok;
  },
};
