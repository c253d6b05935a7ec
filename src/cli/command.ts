/**
 * Shared by all commands: the declaration of a command, its parsed input, exit codes, common flags and output helpers.
 */
import type { Readable } from "node:stream";
import { type Code, codes } from "../base/codes.js";
import type { JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { ConfigError } from "../base/problem.js";
import type { Flags } from "./flags.js";
import type { Output, OutputStream } from "./terminal/output.js";

/** The environment and working directory of a run. */
export interface Surroundings {
  env: { [name: string]: string | undefined };
  cwd: string;
  /** Ends the process after this time, even if its output is not read. Absent where the process is not ours alone. */
  exitAfter?: (milliseconds: number) => void;
}

/** The streams and surroundings of a run. Tests pass their own. */
export interface Streams extends Surroundings {
  stdin: Readable;
  stdout: OutputStream;
  stderr: OutputStream;
}

/** The streams and the surroundings of a command. */
export interface Io extends Surroundings {
  stdin: Readable;
  stdout: Output;
  stderr: Output;
}

/** Names that completion asks the program for. */
export type NameKind = "servers" | "clients" | "tools" | "codes";

export interface Command {
  name: string;
  summary: string;
  /** The usage line after the command's name. */
  usage: string;
  description: string;
  flags: Flags;
  /** Completions of its first positional argument: these values, or names of a kind. */
  completes?: readonly string[] | NameKind;
  /** Shows more than `--help` of the command when there are positional arguments; false when it does not know them. */
  helpOn?(input: Input, io: Io): Promise<boolean>;
  /** How many positional arguments it takes; default: none. */
  words?: { min: number; max: number };
  examples: string[];
  /** Returns the exit code; nothing means success. */
  run(input: Input, io: Io): Promise<ExitCode | undefined>;
}

/** A parsed command line. */
export class Input {
  constructor(
    readonly flags: { readonly [name: string]: string | boolean | (string | boolean)[] | undefined },
    readonly words: string[] = [],
    /** A whole config given by the command line itself. No config file is searched for then. */
    readonly config?: JsonObject,
    /** The config that overrides the one that is found. */
    readonly overrides: JsonObject = {},
  ) {}

  isOn(name: string): boolean {
    return this.flags[name] === true;
  }

  text(name: string): string | undefined {
    const value = this.flags[name];
    return typeof value === "string" ? value : undefined;
  }

  integer(name: string, min: number, max: number): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = /^-?\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new UsageError(`--${name} takes a number from ${min} to ${max}`);
  }

  /** The values of a flag that may be repeated. */
  texts(name: string): string[] {
    const value = this.flags[name];
    return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
  }

  withConfig(config: JsonObject): Input {
    return new Input(this.flags, this.words, config);
  }
}

export const exitCodes = { ok: 0, no: 1, usage: 2, problems: 3, open: 4, fault: 70, stopped: 130 } as const;
/** The meanings of the exit codes. */
export const exitCodeMeanings: { readonly [name in keyof typeof exitCodes]: string } = {
  ok: "success",
  no: "a negative result: a check failed, a call was refused",
  usage: "wrong usage",
  problems: "problems in a config or bundle",
  open: "a call needs a choice, or made no edit",
  fault: "internal error",
  stopped: "stopped with Ctrl-C",
};
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A wrong command line. It is printed with a pointer to `--help`. */
export class UsageError extends Error {}

/** The user pressed Ctrl-C at a question: the whole command ends. The message says what was kept. */
export class Stopped extends Error {}

/** A ConfigError with one problem, whose fix is the one in the catalogue of codes. */
export function configError(code: Code, message: string): ConfigError {
  return new ConfigError([{ code, severity: "error", message, pointer: "", fix: codes[code].fix }]);
}

/** Prints an error message and returns the exit code for a negative result. */
export function failure(io: Io, message: string): ExitCode {
  io.stderr.writeLine(`lsp-proxy: ${message}`);
  return exitCodes.no;
}

export function printJson(io: Io, value: unknown): void {
  io.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** The hint at the most similar name, or an empty text. */
export function didYouMean(word: string, names: readonly string[]): string {
  const near = nearest(word, names);
  return near === undefined ? "" : `; did you mean \`${near}\`?`;
}
