/** `validate`: reads, plans and compiles a config and prints all its problems. */
import { plural } from "../../base/words.js";
import type { Command } from "../command.js";
import { compile } from "../compile.js";
import { configFlags, toggle } from "../flags.js";
import { printProblems } from "../terminal/report.js";

export const validate: Command = {
  name: "validate",
  summary: "Checks a config and shows every problem with its place.",
  usage: "[--config FILE]",
  description: "Reads the config with all its layers, checks it, and compiles it, without starting anything.",
  flags: { ...configFlags, json: toggle("Prints the problems as JSON on stdout.") },
  examples: ["lsp-proxy validate --config lspi.toml", "lsp-proxy validate --json | jq .problems"],
  async run(input, io) {
    const { plan, warnings, loaded } = await compile(input, io, { startsNothing: true });
    const json = input.isOn("json");
    if (json || warnings.length > 0) printProblems(warnings, { json, io });
    const name = loaded.main.file ?? "the embedded default";
    const counts = `${plural(plan.servers.length, "server")}, ${plural(plan.mcp.listed.length, "tool")}`;
    if (!json) io.stdout.writeLine(`${name}: ${counts}, no errors`);
  },
};
