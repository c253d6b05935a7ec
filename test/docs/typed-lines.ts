/** The lines of blocks that are not marked `run`: each one with `lsp-proxy` is run on a machine that is prepared for it. */
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Page } from "../../docs/.vitepress/markdown.js";
import { isQuick } from "../../src/cli/quick.js";
import { isConfig, PageConfig } from "./configs.js";
import { CONFIG, type Ended, type Files, type Machine } from "./machine.js";
import { isRun, shownCommands } from "./run-page.js";
import { shellCommands } from "./shell.js";

export interface TypedLine {
  /** Where it stands first: page and line. */
  place: string;
  /** Without its comment. */
  text: string;
  /** The config of that page up to there. */
  config: string | undefined;
}

/** What a line needs that the page does not say. Each entry must be used. */
export interface Notes {
  /** What is typed instead of a part of a line, because the reader's machine has something else there. */
  typedAs: { [part: string]: string };
  /** The saved state of the machine in which a command is typed, if it is not `used`. */
  states: { [command: string]: string };
  /** Files that a line needs, by the beginning of the line. */
  files: { [start: string]: Files };
  /** What a person answers to the questions of a line. */
  answers: { [line: string]: string[] };
  /** Exit codes other than 0, with the reason. */
  codes: { [line: string]: { code: number; why: string } };
}

/** The lines of all pages, each distinct one once. */
export function typedLines(pages: readonly Page[]): TypedLine[] {
  const found = new Map<string, TypedLine>();
  for (const page of pages) {
    const configs = new PageConfig();
    let config: string | undefined;
    for (const block of page.blocks) {
      if (isConfig(block) && block.language === "toml") config = configs.take(block).text;
      if (isRun(block)) continue;
      for (const { at, text } of linesOf(block)) {
        if (!shellCommands(text).some(({ words }) => programWords(words) !== undefined)) continue;
        if (!found.has(text)) found.set(text, { place: `${page.path}:${block.line + at}`, text, config });
      }
    }
  }
  return [...found.values()];
}

function linesOf({ language, text }: { language: string; text: string }): { at: number; text: string }[] {
  if (language === "console")
    return shownCommands(text).map(({ at, command }) => ({ at, text: command.trim() }));
  if (!["sh", "bash"].includes(language)) return [];
  const lines: { at: number; text: string }[] = [];
  let isOpen = false;
  for (const [index, line] of text.split("\n").entries()) {
    const last = lines.at(-1);
    if (isOpen && last !== undefined) last.text += `\n${line}`;
    else lines.push({ at: index + 1, text: line });
    isOpen = line.endsWith("\\");
  }
  return lines.map((line) => ({ ...line, text: line.text.replace(/(?:^|\s+)#(?:\s.*)?$/, "").trim() }));
}

/** The words after the program's name; undefined for another program. */
function programWords(words: readonly string[]): string[] | undefined {
  const own = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
  if (own[0] === "lsp-proxy") return own.slice(1);
  const script = own.findIndex((word) => word.endsWith("dist/cli/bin.js"));
  return own[0] === "node" && script > 0 ? own.slice(script + 1) : undefined;
}

/** Runs a line. Returns what is wrong with it, or undefined. */
export async function lineProblem(
  { place, text, config }: TypedLine,
  machine: Machine,
  notes: Notes,
): Promise<string | undefined> {
  const [command = ""] = shellCommands(text).flatMap(({ words }) => programWords(words) ?? []);
  const files = Object.entries(notes.files).find(([start]) => text.startsWith(start))?.[1];
  await machine.restore(notes.states[command] ?? "used", {
    ...(config === undefined ? {} : { [CONFIG]: config }),
    ...files,
  });
  let line = text;
  for (const [part, other] of Object.entries(notes.typedAs)) line = line.replace(part, other);
  const sign = signOf(line);
  const problem = (ended: Ended, expected: string) =>
    `${place}: ${line}\nexit code ${ended.code}, expected ${expected}\n${ended.output}`;
  try {
    if (sign !== undefined) {
      const ended = await machine.start(line, sign);
      return ended && problem(ended, "that it goes on");
    }
    let ended: Ended = { code: 0, output: "" };
    for (const part of line.split(" && "))
      if (ended.code === 0) ended = await typed(part, machine, notes.answers[text]);
    const { code } = notes.codes[text] ?? { code: 0 };
    return ended.code === code ? undefined : problem(ended, String(code));
  } finally {
    await machine.stopHubs();
  }
}

/** A plain line of the program runs in this process; one that needs a shell, or that starts the program again, does not. */
async function typed(line: string, machine: Machine, answers: string[] | undefined): Promise<Ended> {
  const [, plain = "", file] = /^(lsp-proxy (?!demo|dashboard)[^|<>&;$`]*?)(?: > (\S+))?$/.exec(line) ?? [];
  if (plain === "") return machine.shell(line);
  const words = shellCommands(plain).flatMap((command) => command.words.slice(1));
  const inHome = (word: string) => word.replace(/^~(?=\/|$)/, machine.home);
  const ended = await machine.here(words.map(inHome), answers);
  if (file !== undefined) writeFileSync(resolve(machine.project, inHome(file)), ended.output);
  return ended;
}

/** What a command that does not end by itself prints once it works; undefined for one that ends. */
function signOf(line: string): RegExp | undefined {
  const [command] = shellCommands(line);
  const words = programWords(command?.words ?? []) ?? [];
  if (command?.words.includes("--inspect-brk")) return /Debugger listening/;
  if (words.includes("--http") && words[0] === "serve") return / on http:\/\//;
  if (isQuick(words) || ["serve", "mcp"].includes(words[0] ?? "")) return /"serverInfo"/;
  return words.includes("--watch") ? /^server /m : undefined;
}

/** The entries of the notes that no line uses. */
export function unusedNotes(lines: readonly TypedLine[], notes: Notes): string[] {
  const texts = lines.map(({ text }) => text);
  const isIn = (part: string) => texts.some((text) => text.includes(part));
  const whole = [notes.answers, notes.codes].flatMap(Object.keys);
  return [
    ...Object.keys(notes.typedAs).filter((part) => !isIn(part)),
    ...Object.keys(notes.states).filter((name) => !isIn(`lsp-proxy ${name}`)),
    ...Object.keys(notes.files).filter((start) => !texts.some((text) => text.startsWith(start))),
    ...whole.filter((line) => !texts.includes(line)),
  ];
}
