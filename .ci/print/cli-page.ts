/** Renders `docs/cli.md` from the declarations that parse the command line and that `--help` shows. */
import type { Command } from "../../src/cli/command.js";
import { commandGroups } from "../../src/cli/commands.js";
import {
  bundleFlags,
  commonFlags,
  configFlags,
  type Flag,
  type Flags,
  logFlags,
  traceFlags,
} from "../../src/cli/flags.js";
import { exitCodeRows, flagText } from "../../src/cli/terminal/help.js";
import { markdownText, render, type Templates } from "../../src/emit/render.js";

/** Options that several commands take. They are described once. */
const sharedSets: readonly { title: string; anchor: string; flags: Flags }[] = [
  { title: "Config options", anchor: "config-options", flags: configFlags },
  { title: "Bundle options", anchor: "bundle-options", flags: bundleFlags },
  { title: "Log options", anchor: "log-options", flags: logFlags },
  { title: "Trace options", anchor: "trace-options", flags: traceFlags },
];

/** `docs/cli.md`: every command with its options and examples. */
export async function cliDocs(templates: Templates): Promise<string> {
  const groups = await Promise.all(
    commandGroups.map(async ({ title, commands }) => ({
      title,
      commands: (await Promise.all(Object.values(commands).map((load) => load()))).map(commandView),
    })),
  );
  return render(templates, "docs/cli.md", {
    groups,
    common: Object.entries(commonFlags).map(row),
    shared: sharedSets.map(({ title, flags }) => ({ title, rows: Object.entries(flags).map(row) })),
    exitCodes: exitCodeRows().map(([code, meaning]) => ({ code, meaning })),
  });
}

function commandView({ name, summary, usage, description, flags, examples }: Command) {
  const sets = sharedSets.filter((set) =>
    Object.entries(set.flags).every(([flag, facts]) => flags[flag] === facts),
  );
  const isShared = (flag: string) => sets.some((set) => Object.hasOwn(set.flags, flag));
  const own = Object.entries(flags).filter(([flag]) => !isShared(flag));
  const links = sets.map(({ title, anchor }) => `[${title.toLowerCase()}](#${anchor})`);
  return {
    name,
    summary,
    usage: `lsp-proxy ${name} ${usage}`.trimEnd(),
    paragraphs: description.split(/\n{2,}/).map(paragraph),
    options: own.map(row),
    hasOptions: own.length > 0,
    shared: links.length < 2 ? links.join("") : `${links.slice(0, -1).join(", ")} and ${links.at(-1)}`,
    examples,
  };
}

/** A paragraph of a description in Markdown. Indented lines are a list of names. */
function paragraph(text: string): string {
  if (!text.startsWith("  ")) return markdownText(text.replaceAll("\n", " "));
  const items = text.split("\n").map((line) => /^\s*(\S+)\s+(.*)$/.exec(line) ?? ["", "", line]);
  return items.map(([, name = "", what = ""]) => `- \`${name}\`: ${markdownText(what)}`).join("\n");
}

function row([name, flag]: [string, Flag]) {
  return {
    flag: `${flag.short === undefined ? "" : `\`-${flag.short}\`, `}\`${flagText(name, flag).replaceAll("|", "\\|")}\``,
    meaning: flag.description,
    default: flag.absent ?? (flag.type === "boolean" ? "off" : "none"),
  };
}
