/** The texts of `--help`, made from the same declarations that parse the command line. */
import type { Command } from "../command.js";
import { commands } from "../commands.js";
import { toggle } from "../flags.js";
import { version } from "../shipped.js";

export async function programHelp(): Promise<string> {
  const all = await Promise.all(Object.values(commands).map((load) => load()));
  return [
    `lsp-proxy ${version()}: an MCP server that gives coding agents access to language servers.`,
    "",
    "Usage: lsp-proxy COMMAND [OPTIONS]",
    "       lsp-proxy -e EXTENSION -s SERVER [ARGUMENT …] [-w DIR]   serves one language server without a config",
    "",
    "Commands:",
    ...columns(all.map(({ name, summary }) => [name, summary])),
    "",
    "`lsp-proxy COMMAND --help` shows the options of a command.",
    "",
    "Exit codes: 0 success, 1 negative result, 2 wrong usage, 3 problems in a config or bundle, 70 internal error.",
    "",
  ].join("\n");
}

export function commandHelp({ name, usage, description, flags, examples }: Command): string {
  const rows = Object.entries({ ...flags, help: toggle("Shows this text.", "h") }).map(
    ([flag, { short, value, description }]): [string, string] => [
      `${short ? `-${short}, ` : "    "}--${flag}${value ? ` ${value}` : ""}`,
      description,
    ],
  );
  return [
    `Usage: lsp-proxy ${name} ${usage}`.trimEnd(),
    "",
    description,
    "",
    "Options:",
    ...columns(rows),
    "",
    "Examples:",
    ...examples.map((line) => `  ${line}`),
    "",
  ].join("\n");
}

function columns(rows: readonly [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`);
}
