/**
 * The short command line `lsp-proxy -e rs -s rust-analyzer -w DIR`, which serves one language server without a config
 * file. The words after `-s` up to `-e` or `-w` are the server's command; after `--` all remaining words are.
 */
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import type { JsonObject } from "../base/json.js";
import { Input, type Io, UsageError } from "./command.js";
import { logLevels } from "./flags.js";
import { shippedConfigs } from "./shipped.js";

type Flag = "extension" | "server" | "workspace";

const shortFlags: { readonly [word: string]: Flag } = {
  "-e": "extension",
  "-s": "server",
  "-w": "workspace",
};

/** Splits `--flag=value`, `--flag` and `-f` into the flag and its value. Undefined for any other word. */
function parseFlag(word: string): { flag: Flag; value: string | undefined } | undefined {
  const long = /^--(extension|server|workspace)(?:=(.*))?$/s.exec(word);
  const flag = Object.hasOwn(shortFlags, word) ? shortFlags[word] : (long?.[1] as Flag | undefined);
  return flag && { flag, value: long?.[2] };
}

/** Whether a command line has the short form. */
export function isQuick([first = ""]: readonly string[]): boolean {
  return parseFlag(first) !== undefined;
}

export function quickInput(argv: readonly string[], io: Pick<Io, "cwd" | "env">): Input {
  const { extension, server, workspace } = parse(argv);
  const level = io.env.LOG_LEVEL?.toLowerCase();
  const flags = {
    workspace: resolve(io.cwd, workspace.at(-1) ?? "."),
    warmup: true,
    // As in pathfinder. Other programs read this variable too, so a level that we do not have is ignored.
    ...(logLevels.some((known) => known === level) ? { "log-level": level } : {}),
  };
  const extensions = extension.map((name) => name.replace(/^\./, ""));
  return new Input(flags, [], configFor(extensions, server, io.cwd));
}

function parse(argv: readonly string[]): { [flag in Flag]: string[] } {
  const words: { [flag in Flag]: string[] } = { extension: [], server: [], workspace: [] };
  /** The flag that the next word belongs to. */
  let open: Flag | undefined;
  for (const [index, word] of argv.entries()) {
    if (open === "server" && word === "--") {
      words.server.push(...argv.slice(index + 1));
      break;
    }
    const parsed = parseFlag(word);
    const isPart = open === "server" ? parsed === undefined || parsed.flag === "server" : open !== undefined;
    if (open !== undefined && isPart) {
      words[open].push(word);
      if (open !== "server") open = undefined;
      continue;
    }
    if (parsed === undefined) throw usage(`unexpected \`${word}\`: expected -e, -s or -w`);
    if (parsed.value !== undefined) words[parsed.flag].push(parsed.value);
    open = parsed.value === undefined || parsed.flag === "server" ? parsed.flag : undefined;
  }
  if (open !== undefined && open !== "server") throw usage(`\`${argv.at(-1)}\` needs a value`);
  if (words.extension.length === 0) throw usage("no extension: give -e");
  if (words.server.length === 0) throw usage("no server: give -s");
  return words;
}

function configFor(extensions: string[], [program = "", ...args]: string[], cwd: string): JsonObject {
  const isPath = /[\\/]/.test(program);
  const command = isPath ? resolve(cwd, program) : program;
  const id = basename(program)
    .replaceAll(/[^A-Za-z0-9_.-]/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
  const hasPreset = !isPath && existsSync(join(shippedConfigs, "servers", `${program}.toml`));
  const server = {
    id: id === "" ? "server" : id,
    ...(hasPreset ? { kind: program } : {}),
    command,
    args,
    extensions,
  };
  return {
    mcp: { context: "pathfinder" },
    allow: { commands: [command], effects: ["read"] },
    servers: [server],
  };
}

function usage(message: string): UsageError {
  return new UsageError(`${message}; usage: lsp-proxy -e EXTENSION [-e …] -s COMMAND [ARGUMENT …] [-w DIR]`);
}
