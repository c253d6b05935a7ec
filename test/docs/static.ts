/** What can be said about a page without running it: its commands exist, its data can be parsed, its marks are known. */
import { parse as parseYaml } from "yaml";
import { type Block, inlineCode, type Page } from "../../docs/.vitepress/markdown.js";
import { commandProblem, declaredTools, type Surrounding } from "./command-lines.js";
import { parsed } from "./configs.js";
import { shownCommands } from "./run-page.js";
import { type ShellCommand, shellCommands } from "./shell.js";

/** The marks of each language, as lists of words. */
const knownMarks: { [language: string]: string[] } = {
  sh: ["", "run"],
  bash: ["", "run"],
  console: ["", "run"],
  toml: ["", "config", "config part", "lines"],
  json: ["", "config", "config part"],
  jsonc: ["", "config", "config part"],
};

/** The problems of a page, each with its place. */
export async function staticProblems(page: Page): Promise<string[]> {
  const around: Surrounding = { tools: page.blocks.flatMap(toolsOf) };
  const found: string[] = [];
  const check = async (line: number, { words }: ShellCommand, surrounding: Surrounding) => {
    const problem = await commandProblem(words, surrounding);
    if (problem !== undefined) found.push(`${page.path}:${line}: ${problem}`);
  };
  for (const block of page.blocks) {
    try {
      assertMarks(block);
      assertParses(block);
      for (const command of commandsOf(block)) await check(block.line + command.line, command, around);
    } catch (error) {
      found.push(`${page.path}:${block.line}: ${(error as Error).message}`);
    }
  }
  for (const { line, text } of inlineCode(page)) {
    if (!/^(?:lsp-proxy|npm run|npx) /.test(text)) continue;
    for (const command of shellCommands(text)) await check(line, command, { ...around, isMention: true });
  }
  return found;
}

function assertMarks({ language, marks }: Block): void {
  const known = knownMarks[language] ?? [""];
  if (!known.includes(marks.join(" "))) throw new Error(`\`${language}\` has no mark \`${marks.join(" ")}\``);
}

function assertParses(block: Block): void {
  const { language, marks, text } = block;
  if (language === "yaml") parseYaml(text);
  if (!["toml", "json", "jsonc"].includes(language)) return;
  // Alternatives: each line is a document of its own.
  const texts = marks[0] === "lines" ? text.split("\n") : [text];
  for (const part of texts) parsed({ ...block, text: part });
}

function commandsOf({ language, text }: Block): ShellCommand[] {
  if (["sh", "bash"].includes(language)) return shellCommands(text);
  if (language !== "console") return [];
  return shownCommands(text).flatMap(({ at, command }) =>
    shellCommands(command).map(({ line, words }) => ({ line: at + line - 1, words })),
  );
}

function toolsOf({ language, marks, text }: Block): string[] {
  try {
    return language === "toml" && marks[0] !== "lines" ? declaredTools(text) : [];
  } catch {
    // It is reported where the block is parsed.
    return [];
  }
}
