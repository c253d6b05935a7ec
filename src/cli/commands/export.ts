/** `export`: prints the servers of a config in the format of another program. */
import { resolve } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";
import { claudeServers, type Exported, helixLanguages } from "../../emit/export-servers.js";
import { type Command, exitCodes, UsageError } from "../command.js";
import { planConfig } from "../compile.js";
import { guardedFolders } from "../files/link-guard.js";
import { mayOverwrite, writeUserFile } from "../files/user-file.js";
import { configFlags, option, toggle } from "../flags.js";

const formats: { readonly [name: string]: (servers: readonly ServerPlan[]) => Exported } = {
  claude: claudeServers,
  helix: helixLanguages,
};

export const exportCommand: Command = {
  name: "export",
  summary: "Writes the servers of a config for Claude Code (.lsp.json) or Helix (languages.toml).",
  usage: "claude|helix [--config FILE] [--output FILE]",
  description:
    "Prints the servers with all defaults in the other program's format. Settings that the format lacks are listed on\n" +
    "stderr. `claude` is the .lsp.json of Claude Code and qwen-code; `helix` prints entries for languages.toml.",
  flags: {
    ...configFlags,
    output: option("FILE", "Writes a file instead of stdout.", "o"),
    force: toggle("Replaces an existing file."),
  },
  words: { min: 1, max: 1 },
  completes: Object.keys(formats),
  examples: ["lsp-proxy export claude --output .lsp.json", "lsp-proxy export helix --config lspi.toml"],
  async run(input, io) {
    const [name = ""] = input.words;
    const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
    if (format === undefined)
      throw new UsageError(`no format \`${name}\`; use ${Object.keys(formats).join(" or ")}`);
    const { plan, loaded } = await planConfig(input, io);
    const disabled = (loaded.config.servers ?? []).filter(({ enabled }) => enabled === false);
    const { text, notes } = format(plan.servers);
    const output = input.text("output");
    if (output === undefined) io.stdout.write(text);
    else {
      const file = resolve(io.cwd, output);
      if (!mayOverwrite(file, input, io)) return exitCodes.no;
      writeUserFile(file, text, guardedFolders(input, io));
      io.stdout.writeLine(`wrote ${file}`);
    }
    for (const { id } of disabled) io.stderr.writeLine(`not exported: ${id}: it is disabled`);
    for (const note of notes) io.stderr.writeLine(`not exported: ${note}`);
  },
};
