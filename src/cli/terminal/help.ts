/** The texts of `--help`, made from the same declarations that parse the command line. */
import type { Command } from "../command.js";
import { type Flags, toggle } from "../flags.js";

export function programHelp(commands: readonly Command[], version: string): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    `lsp-proxy ${version}: an MCP server that gives coding agents access to language servers.`,
    "",
    "Usage: lsp-proxy COMMAND [OPTIONS]",
    "       lsp-proxy -e EXTENSION -s SERVER [ARGUMENT …] [-w DIR]   serves one language server without a config",
    "",
    "Commands:",
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    "",
    "`lsp-proxy COMMAND --help` shows the options of a command.",
    "",
    "Exit codes: 0 success, 1 negative result, 2 wrong usage, 3 problems in a config or bundle, 70 internal error.",
    "",
  ].join("\n");
}

export function commandHelp({ name, usage, description, flags, examples }: Command): string {
  return [
    `Usage: lsp-proxy ${name} ${usage}`.trimEnd(),
    "",
    description,
    "",
    "Options:",
    ...flagLines({ ...flags, help: toggle("Shows this text.", "h") }),
    ...(examples.length > 0 ? ["", "Examples:", ...examples.map((line) => `  ${line}`)] : []),
    "",
  ].join("\n");
}

function flagLines(flags: Flags): string[] {
  const rows = Object.entries(flags).map(([name, flag]) => ({
    left: `${flag.short ? `-${flag.short}, ` : "    "}--${name}${flag.value ? ` ${flag.value}` : ""}`,
    right: flag.description,
  }));
  const width = Math.max(...rows.map((row) => row.left.length));
  return rows.map((row) => `  ${row.left.padEnd(width)}  ${row.right}`);
}
