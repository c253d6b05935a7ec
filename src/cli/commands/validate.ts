/** `validate`: reads and plans a config and says what is wrong with it, all at once. */
import { type Command, exitCodes, isOn } from "../command.js";
import { compile } from "../compile.js";
import { configFlags } from "../flags.js";
import { printProblems } from "../terminal/problems.js";
import { visible } from "../terminal/width.js";

export const validate: Command = {
  name: "validate",
  summary: "Checks a config and shows every problem with its place.",
  usage: "[--config FILE]",
  description: "Reads, layers, validates, plans and compiles the config without starting anything.",
  flags: {
    ...configFlags,
    json: { type: "boolean", description: "Prints the problems as JSON on stdout." },
  },
  words: { min: 0, max: 0 },
  examples: ["lsp-proxy validate --config lspi.toml", "lsp-proxy validate --json | jq .problems"],
  async run(input, io) {
    const { plan, warnings, loaded } = await compile(input, io);
    const json = isOn(input, "json");
    if (json || warnings.length > 0) printProblems(warnings, { json, io });
    const name = loaded.main.file ?? "the embedded default";
    if (!json)
      io.stdout.write(
        `${visible(name)}: ${count(plan.servers.length, "server")}, ${count(plan.mcp.listed.length, "tool")}, no errors\n`,
      );
    return exitCodes.ok;
  },
};

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
