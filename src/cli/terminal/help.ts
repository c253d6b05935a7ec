/** `--help`, for the program and for each command, from the same declarations that parse the command line. */
import type { Command, Flags } from "../command.js";

/** The program's help. */
export function programHelp(commands: readonly Command[], version: string): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    `lsp-proxy ${version}: gives coding agents the sight of a language server.`,
    "",
    "Usage: lsp-proxy COMMAND [OPTIONS]",
    "       lsp-proxy -e EXTENSION -s SERVER [ARGUMENT …] [-w DIR]   serves one language server without a config",
    "",
    "Commands:",
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    "",
    "`lsp-proxy COMMAND --help` tells more of each.",
    "",
    "Exit codes: 0 done, 1 the answer is no, 2 wrong use, 3 problems in a config or bundle, 70 a bug of lsp-proxy.",
    "",
  ].join("\n");
}

/** One command's help. */
export function commandHelp(command: Command): string {
  return [
    `Usage: lsp-proxy ${[command.name, command.usage].filter(Boolean).join(" ")}`,
    "",
    command.description,
    "",
    "Options:",
    ...flagLines({
      ...command.flags,
      help: { type: "boolean", short: "h", description: "Shows this text." },
    }),
    ...(command.examples.length > 0 ? ["", "Examples:", ...command.examples.map((line) => `  ${line}`)] : []),
    "",
  ].join("\n");
}

function flagLines(flags: Flags): string[] {
  const rows = Object.entries(flags).map(([name, flag]) => ({
    left: `${flag.short ? `-${flag.short}, ` : "    "}--${name}${flag.type === "string" ? ` ${flag.value ?? "TEXT"}` : ""}`,
    right: flag.description,
  }));
  const width = Math.max(...rows.map((row) => row.left.length));
  return rows.map((row) => `  ${row.left.padEnd(width)}  ${row.right}`);
}
