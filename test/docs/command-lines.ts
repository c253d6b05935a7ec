/** Checks a documented command by the program's own definitions: the command, its options, their values, the names that it takes. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { parse } from "smol-toml";
import { codes } from "../../src/base/codes.js";
import { knownClients } from "../../src/cli/clients/client-files.js";
import type { Command, NameKind } from "../../src/cli/command.js";
import { commands } from "../../src/cli/commands.js";
import { commonFlags, type Flags, valuesOf } from "../../src/cli/flags.js";
import { candidatesFor, openCatalogue } from "../../src/cli/presets.js";
import { isQuick } from "../../src/cli/quick.js";
import { repository } from "../live/session.js";

const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  scripts: { [name: string]: string };
};

export interface Surrounding {
  /** Tools that the page itself declares. */
  tools: readonly string[];
  /** Whether it stands in a sentence, which may name a command without its arguments. */
  isMention?: boolean;
}

/** What is wrong with a command; undefined when nothing is, or when it is a command of another program. */
export async function commandProblem(
  words: readonly string[],
  around: Surrounding,
): Promise<string | undefined> {
  const [name = "", ...rest] = words.slice(words.findIndex((word) => !/^\w+=/.test(word)));
  if (name === "npx" || name === "sudo" || name === "exec")
    return commandProblem(rest.slice(rest.findIndex((word) => !word.startsWith("-"))), around);
  if (name === "npm" || name === "pnpm") return scriptProblem(rest);
  if (name === "node")
    return rest[0]?.endsWith("dist/cli/bin.js") ? lineProblem(rest.slice(1), around) : undefined;
  return name === "lsp-proxy" ? lineProblem(rest, around) : undefined;
}

function scriptProblem([name = "", script]: readonly string[]): string | undefined {
  const named =
    name === "run" || name === "run-script" ? script : ["test", "start"].includes(name) ? name : undefined;
  if (named === undefined || Object.hasOwn(scripts, named) || isPlaceholder(named)) return undefined;
  return `package.json has no script \`${named}\``;
}

async function lineProblem(words: readonly string[], around: Surrounding): Promise<string | undefined> {
  const [name, ...args] = words;
  if (name === "-C" || name === "--directory") return lineProblem(args.slice(1), around);
  if (name === undefined || isPlaceholder(name) || isQuick(words)) return undefined;
  if (name === "help")
    return args[0] === undefined ? undefined : lineProblem(args, { ...around, isMention: true });
  if (["--help", "-h", "--version", "-v", "-V", "version"].includes(name)) return undefined;
  const command = Object.hasOwn(commands, name) ? await commands[name]?.() : undefined;
  if (command === undefined) return `there is no command \`${name}\``;
  return argumentProblem(command, args, around);
}

function argumentProblem(command: Command, args: string[], around: Surrounding): string | undefined {
  const options: Flags = { ...command.flags, ...commonFlags };
  let parsed: ReturnType<typeof parseArgs>;
  try {
    parsed = parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // A sentence names an option without its value.
    if (around.isMention && (error as Error).message.includes("argument missing")) return undefined;
    return `\`${command.name}\`: ${(error as Error).message.split(". ")[0]}`;
  }
  for (const [flag, value] of Object.entries(parsed.values)) {
    const allowed = options[flag] === undefined ? [] : valuesOf(options[flag]);
    const wrong = [value]
      .flat()
      .find((one) => typeof one === "string" && !isPlaceholder(one) && !allowed.includes(one));
    if (allowed.length > 0 && wrong !== undefined)
      return `\`--${flag}\` takes ${allowed.join(", ")}, not \`${wrong}\``;
  }
  const { min, max } = command.words ?? { min: 0, max: 0 };
  const count = parsed.positionals.length;
  const isShort = count < min && !around.isMention && parsed.values.help !== true;
  if (isShort || count > max) return `usage: lsp-proxy ${command.name} ${command.usage}`;
  return wordProblem(command, parsed.positionals[0], around);
}

/** What is wrong with the first argument of a command that takes names. */
function wordProblem({ name, completes }: Command, word: string | undefined, { tools }: Surrounding) {
  if (completes === undefined || word === undefined || isPlaceholder(word)) return undefined;
  if (takesOtherWords.includes(name)) return undefined;
  const isKnown = typeof completes === "string" ? names[completes](word, tools) : completes.includes(word);
  return isKnown ? undefined : `\`lsp-proxy ${name}\` does not know \`${word}\``;
}

/** Commands that complete names of servers and take other words too: ids of a config, and a part of a name. */
const takesOtherWords = ["remove", "servers"];

const names: { [kind in NameKind]: (word: string, tools: readonly string[]) => boolean } = {
  servers: (word) => candidatesFor(word, facts()).length > 0,
  clients: (word) => knownClients().some(({ id }) => id === word),
  tools: (word, tools) => tools.includes(word) || shippedTools().includes(word),
  codes: (word) => Object.hasOwn(codes, word),
};

let presets: ReturnType<ReturnType<typeof openCatalogue>["facts"]> | undefined;
/** The presets of the catalogue. */
export function facts() {
  presets ??= openCatalogue().facts();
  return presets;
}

let tools: string[] | undefined;
/** The names of all tools that come with the program, those of profiles too. */
function shippedTools(): string[] {
  tools ??= ["tools", "profiles"].flatMap((folder) =>
    readdirSync(join(repository, "configs", folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".toml"))
      .flatMap((file) => declaredTools(readFileSync(join(repository, "configs", folder, file), "utf8"))),
  );
  return tools;
}

/** The names of the tools that a TOML config declares. */
export function declaredTools(toml: string): string[] {
  const { tools = [] } = parse(toml) as { tools?: { name?: string }[] };
  return tools.flatMap(({ name }) => name ?? []);
}

/** A word that the reader replaces: `DIR`, `<file>`, `…`. */
function isPlaceholder(word: string): boolean {
  return /^[A-Z][A-Z_]*$|^<|…|^\$/.test(word);
}
