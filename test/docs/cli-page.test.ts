/** docs/cli.md has every command, every option and every exit code, from the declarations that `--help` shows. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { exitCodes } from "../../src/cli/command.js";
import { commands } from "../../src/cli/commands.js";
import { commonFlags } from "../../src/cli/flags.js";
import { commandHelp } from "../../src/cli/terminal/help.js";
import { renderText } from "../../src/cli/terminal/output.js";

const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
const sections = new Map(
  page.split(/^#{2,3} /m).map((text) => [text.slice(0, text.indexOf("\n")), text] as const),
);

/** The text of a command's section, and of the sections of shared options that it links to. */
function sectionOf(name: string): string {
  const own = sections.get(name) ?? "";
  const linked = [...own.matchAll(/\[(\w+ options)\]/g)].map(([, title = ""]) => {
    const heading = title.charAt(0).toUpperCase() + title.slice(1);
    return sections.get(heading) ?? `no section ${heading}`;
  });
  return [own, ...linked, sections.get("Options of every command")].join("\n");
}

it.each(Object.keys(commands))("%s", async (name) => {
  const command = await commands[name]?.();
  if (command === undefined) throw new Error(name);
  const text = sectionOf(name);
  const help = renderText(commandHelp(command, 10_000), false);
  for (const example of command.examples) expect(text).toContain(`\n${example}\n`);
  for (const [flag, { description, absent: words }] of Object.entries({
    ...command.flags,
    ...commonFlags,
  })) {
    const rows = text.split("\n").filter((line) => new RegExp(`^\\|.*\`--${flag}[ \`]`).test(line));
    expect(rows, flag).toHaveLength(1);
    const cells = rows[0]?.replaceAll("\\", "").split(/ \| /) ?? [];
    expect(cells.at(-2), flag).toBe(description);
    // A default has a cell of its own, and `--help` has it too.
    expect(description).not.toMatch(/default/i);
    if (words === undefined) continue;
    expect(cells.at(-1), flag).toBe(`${words} |`);
    expect(help, flag).toContain(`; default: ${words}.`);
  }
});

it("has the exit codes", () => {
  for (const code of Object.values(exitCodes)) expect(sections.get("Exit codes")).toContain(`\n| ${code} | `);
});
