/**
 * The short command line: `lsp-proxy -e rs -s rust-analyzer -w DIR` serves one language server without any file. What
 * follows `-s` is the server's command until `-e` or `-w`; after `--` everything is.
 */
import { existsSync } from "node:fs";
import { basename, isAbsolute, join, resolve } from "node:path";
import type { JsonObject } from "../base/json.js";
import { type Input, type Surroundings, UsageError } from "./command.js";
import { shippedConfigs } from "./shipped.js";

const flags: { readonly [word: string]: "extension" | "server" | "workspace" } = {
  "-e": "extension",
  "--extension": "extension",
  "-s": "server",
  "--server": "server",
  "-w": "workspace",
  "--workspace": "workspace",
};

/** The tool surface that is served, and how long a server has for one answer. */
const profile = "pathfinder";
const requestTimeoutMs = 15_000;

/** Whether a command line is of the short form. */
export function isQuick(argv: readonly string[]): boolean {
  const [first = ""] = argv;
  return Object.hasOwn(flags, first) || first.startsWith("--extension=") || first.startsWith("--server=");
}

/** What `serve` is run with. */
export function quickInput(argv: readonly string[], io: Surroundings): Input {
  const words = readWords(argv);
  const workspace = resolve(io.cwd, words.workspace ?? ".");
  return {
    flags: { workspace, warmup: true },
    words: [],
    config: quickConfig(words.extensions, words.command, io.cwd),
  };
}

interface Words {
  extensions: string[];
  command: string[];
  workspace: string | undefined;
}

function readWords(argv: readonly string[]): Words {
  const words: Words = { extensions: [], command: [], workspace: undefined };
  const rest = [...argv];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [name = "", inline] = word.startsWith("--") && word.includes("=") ? splitOnce(word) : [word];
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined) throw wrong(`\`${word}\` stands where -e, -s or -w is expected`);
    if (flag === "server") {
      if (inline !== undefined) words.command.push(inline);
      takeCommand(rest, words.command);
      continue;
    }
    const value = inline ?? rest.shift();
    if (value === undefined) throw wrong(`\`${name}\` needs a value`);
    if (flag === "extension") words.extensions.push(value.replace(/^\./, ""));
    else words.workspace = value;
  }
  if (words.extensions.length === 0) throw wrong("-e names no extension");
  if (words.command.length === 0) throw wrong("-s names no server");
  return words;
}

/** The words of the server: up to the next flag of ours, or all of them after `--`. */
function takeCommand(rest: string[], command: string[]): void {
  for (let next = rest[0]; next !== undefined; next = rest[0]) {
    if (next === "--") {
      command.push(...rest.splice(0).slice(1));
      return;
    }
    if (Object.hasOwn(flags, splitOnce(next)[0] ?? next) && flags[splitOnce(next)[0] ?? next] !== "server")
      return;
    command.push(...rest.splice(0, 1));
  }
}

function splitOnce(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** The config that the words mean. */
function quickConfig(extensions: string[], [program = "", ...args]: string[], cwd: string): JsonObject {
  const isPath = /[\\/]/.test(program);
  const command = isPath && !isAbsolute(program) ? resolve(cwd, program) : program;
  const id = basename(program)
    .replaceAll(/[^A-Za-z0-9_.-]/g, "-")
    .replace(/^[^A-Za-z0-9]+/, "")
    .slice(0, 64);
  const hasPreset = !isPath && existsSync(join(shippedConfigs, "servers", `${program}.toml`));
  return {
    mcp: { context: profile },
    allow: { commands: [command], effects: ["read"] },
    servers: [
      {
        id: id === "" ? "server" : id,
        ...(hasPreset ? { kind: program } : {}),
        command,
        args,
        extensions,
        request_timeout_ms: requestTimeoutMs,
      },
    ],
  };
}

function wrong(message: string): UsageError {
  return new UsageError(`${message}; usage: lsp-proxy -e EXTENSION [-e …] -s COMMAND [ARGUMENT …] [-w DIR]`);
}
