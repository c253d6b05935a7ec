/** The texts of `--help`, made from the same declarations that parse the command line. */
import type { Command } from "../command.js";
import { commandGroups } from "../commands.js";
import { commonFlags, type Flag } from "../flags.js";
import { version } from "../shipped.js";
import { definitions, HEADING, USUAL_WIDTH, wrapText } from "./layout.js";
import type { Output, Styled } from "./output.js";

type Pieces = (string | Styled)[];

/** Long lines are hard to read, so help is never wider than this. */
const WIDEST = 100;

/** The width of help texts. They are wrapped in a pipe too, for pagers. */
export function helpWidth({ columns = USUAL_WIDTH }: Pick<Output, "columns">): number {
  return Math.min(columns, WIDEST);
}

export async function programHelp(width: number): Promise<Pieces> {
  const groups = await Promise.all(
    commandGroups.map(async ({ title, commands }) => {
      const loaded = await Promise.all(Object.values(commands).map((load) => load()));
      const rows = loaded.map(({ name, summary }) => [name, summary] as const);
      return [heading(title), ...definitions(rows, width), "\n"];
    }),
  );
  const about = `lsp-proxy ${version()}: an MCP server that gives coding agents access to language servers.`;
  const usage = [
    ["lsp-proxy COMMAND [OPTIONS]", "runs a command"],
    ["lsp-proxy -C DIR COMMAND …", "runs it in that folder"],
    ["lsp-proxy -e EXT -s SERVER …", "serves one language server without a config"],
  ] as const;
  const codes =
    "Exit codes: 0 success, 1 negative result, 2 wrong usage, 3 problems in a config or bundle, 4 a call asks back or " +
    "made no edit, 70 internal error.";
  return [
    ...wrapText(`${about}\n\n`, width),
    heading("Usage"),
    ...definitions(usage, width),
    "\n",
    ...groups.flat(),
    ...wrapText("`lsp-proxy COMMAND --help` shows the options of a command.\n\n", width),
    ...wrapText(`${codes}\n`, width),
  ];
}

export function commandHelp({ name, usage, description, flags, examples }: Command, width: number): Pieces {
  return [
    ...wrapText(`Usage: lsp-proxy ${name} ${usage}`.trimEnd(), width, 7),
    "\n\n",
    ...wrapText(description.replace(/(\S)\n(?=\S)/g, "$1 "), width),
    "\n\n",
    heading("Options"),
    ...definitions(Object.entries({ ...flags, ...commonFlags }).map(flagRow), width),
    "\n",
    heading("Examples"),
    ...examples.map((line) => `  ${line}\n`),
  ];
}

function heading(title: string): Styled {
  return { style: HEADING, text: `${title}:\n` };
}

function flagRow([name, { short, value, description }]: [string, Flag]): readonly [string, string] {
  return [`${short ? `-${short}, ` : "    "}--${name}${value ? ` ${value}` : ""}`, description];
}
