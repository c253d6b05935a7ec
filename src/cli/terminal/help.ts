/** The texts of `--help`, made from the same declarations that parse the command line. */
import { type Command, type ExitCode, exitCodeMeanings, exitCodes } from "../command.js";
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
  const codes = exitCodeRows().map(([code, meaning]) => [String(code), meaning] as const);
  return [
    ...wrapText(`${about}\n\n`, width),
    heading("Usage"),
    ...definitions(usage, width),
    "\n",
    ...groups.flat(),
    ...wrapText("`lsp-proxy COMMAND --help` shows the options of a command.\n\n", width),
    heading("Exit codes"),
    ...definitions(codes, width),
  ];
}

export function commandHelp({ name, usage, description, flags, examples }: Command, width: number): Pieces {
  return [
    ...wrapText(`Usage: lsp-proxy ${name} ${usage}`.trimEnd(), width, 7),
    "\n\n",
    ...wrapText(unwrapped(description), width),
    "\n\n",
    heading("Options"),
    ...definitions(Object.entries({ ...flags, ...commonFlags }).map(flagRow), width),
    "\n",
    heading("Examples"),
    ...examples.map((line) => `  ${line}\n`),
  ];
}

/** A description without its line breaks, which only keep the source's lines short. An empty line is kept. */
function unwrapped(description: string): string {
  return description.replace(/(\S)\n(?=\S)/g, "$1 ");
}

function heading(title: string): Styled {
  return { style: HEADING, text: `${title}:\n` };
}

/** Every exit code with its meaning. */
export function exitCodeRows(): (readonly [code: ExitCode, meaning: string])[] {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return names.map((name) => [exitCodes[name], exitCodeMeanings[name]] as const);
}

function flagRow([name, flag]: [string, Flag]): readonly [string, string] {
  const { short, description, absent: words } = flag;
  const meaning = words === undefined ? description : `${description.replace(/\.$/, "")}; default: ${words}.`;
  return [`${short ? `-${short}, ` : "    "}${flagText(name, flag)}`, meaning];
}

/** `--port N`. */
export function flagText(name: string, { value }: Flag): string {
  return `--${name}${value ? ` ${value}` : ""}`;
}
