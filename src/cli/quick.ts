/**
 * The short command line `lsp-proxy -e rs -s rust-analyzer -w DIR`, which serves one language server without a config
 * file. The words after `-s` up to `-e` or `-w` are the server's command; after `--` all remaining words are.
 */
import { existsSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import type { JsonObject } from "../base/json.js";
import { Input, type Io, UsageError } from "./command.js";
import { shippedConfigs } from "./shipped.js";

const flags: { readonly [word: string]: "extension" | "server" | "workspace" } = {
  "-e": "extension",
  "--extension": "extension",
  "-s": "server",
  "--server": "server",
  "-w": "workspace",
  "--workspace": "workspace",
};

const PROFILE = "pathfinder";
const REQUEST_TIMEOUT_MS = 15_000;

/** Whether a command line has the short form. */
export function isQuick(argv: readonly string[]): boolean {
  const [first = ""] = argv;
  return Object.hasOwn(flags, first) || first.startsWith("--extension=") || first.startsWith("--server=");
}

/** The input for `serve`. */
export function quickInput(argv: readonly string[], io: Pick<Io, "cwd">): Input {
  const { extensions, command, workspace } = parse(argv);
  const flags = { workspace: resolve(io.cwd, workspace ?? "."), warmup: true };
  return new Input(flags, [], configFor(extensions, command, io.cwd));
}

function parse(argv: readonly string[]) {
  const extensions: string[] = [];
  const command: string[] = [];
  let workspace: string | undefined;
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name, inline] = word.startsWith("--") ? splitFlag(word) : [word, undefined];
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) throw usage(`unexpected \`${word}\`: expected -e, -s or -w`);
    if (flag === "server") {
      if (inline !== undefined) command.push(inline);
      command.push(...takeCommand(rest));
      continue;
    }
    const value = inline ?? rest.shift();
    if (value === undefined) throw usage(`\`${name}\` needs a value`);
    if (flag === "extension") extensions.push(value.replace(/^\./, ""));
    else workspace = value;
  }
  if (extensions.length === 0) throw usage("no extension: give -e");
  if (command.length === 0) throw usage("no server: give -s");
  return { extensions, command, workspace };
}

/** Removes and returns the words of the server's command. */
function takeCommand(rest: string[]): string[] {
  const isEnd = (word: string) => {
    const [name] = splitFlag(word);
    return word === "--" || (Object.hasOwn(flags, name) && flags[name] !== "server");
  };
  const end = rest.findIndex(isEnd);
  if (end >= 0 && rest[end] === "--") {
    const words = rest.splice(0);
    return [...words.slice(0, end), ...words.slice(end + 1)];
  }
  return rest.splice(0, end < 0 ? rest.length : end);
}

function splitFlag(word: string): [string, string | undefined] {
  const at = word.indexOf("=");
  return at < 0 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)];
}

function configFor(extensions: string[], [program = "", ...args]: string[], cwd: string): JsonObject {
  const isPath = /[\\/]/.test(program);
  const command = isPath && !isAbsolute(program) ? resolve(cwd, program) : program;
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
    request_timeout_ms: REQUEST_TIMEOUT_MS,
  };
  return {
    mcp: { context: PROFILE },
    allow: { commands: [command], effects: ["read"] },
    servers: [server],
  };
}

function usage(message: string): UsageError {
  return new UsageError(`${message}; usage: lsp-proxy -e EXTENSION [-e …] -s COMMAND [ARGUMENT …] [-w DIR]`);
}
