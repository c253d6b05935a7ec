/** What a command is: one file in `commands/`, all of the same silhouette. */
import { homedir } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { ParseArgsConfig } from "node:util";
import type { JsonObject } from "../base/json.js";

/** The surroundings of a run, passed in so that a test can be the terminal. */
export interface Surroundings {
  stdin: Readable;
  stdout: Writable & { isTTY?: boolean };
  stderr: Writable & { isTTY?: boolean };
  env: { [name: string]: string | undefined };
  cwd: string;
}

/** One flag, as `node:util` parses it and as `--help` shows it. */
export interface Flag {
  type: "string" | "boolean";
  short?: string;
  multiple?: boolean;
  /** What stands for the value in the help text. */
  value?: string;
  description: string;
}

export type Flags = { [name: string]: Flag };

export interface Command {
  name: string;
  summary: string;
  /** The words after the command's name in the usage line. */
  usage: string;
  description: string;
  flags: Flags;
  /** How many words may follow, besides flags. */
  words: { min: number; max: number };
  examples: string[];
  run(input: Input, io: Surroundings): Promise<ExitCode>;
}

/** A parsed command line. */
export interface Input {
  flags: { [name: string]: string | boolean | (string | boolean)[] | undefined };
  words: string[];
  /** A whole config that the command line itself gives; then no file is looked for. */
  config?: JsonObject;
}

/**
 * 0 done · 1 the answer is no (a check differs, a call was refused) · 2 wrong use · 3 a config or bundle has problems ·
 * 70 a bug of ours.
 */
export const exitCodes = { ok: 0, no: 1, usage: 2, problems: 3, fault: 70 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Thrown for a wrong command line; printed with a hint at `--help`. */
export class UsageError extends Error {
  readonly command: string | undefined;

  constructor(message: string, command?: string) {
    super(message);
    this.name = "UsageError";
    this.command = command;
  }
}

/** The home of the person whose configs and trust count. */
export function homeOf(io: Surroundings): string {
  return io.env.HOME ?? homedir();
}

/** A text flag's value. */
export function textFlag(input: Input, name: string): string | undefined {
  const value = input.flags[name];
  return typeof value === "string" ? value : undefined;
}

/** The values of a flag that may be given several times. */
export function textFlags(input: Input, name: string): string[] {
  const value = input.flags[name];
  return (Array.isArray(value) ? value : [value]).filter((item) => typeof item === "string");
}

/** Whether a switch was given. */
export function isOn(input: Input, name: string): boolean {
  return input.flags[name] === true;
}

/** The part of a flag's declaration that `parseArgs` understands. */
export function parseOptions(flags: Flags): NonNullable<ParseArgsConfig["options"]> {
  return Object.fromEntries(
    Object.entries(flags).map(([name, flag]) => [
      name,
      {
        type: flag.type,
        ...(flag.short ? { short: flag.short } : {}),
        ...(flag.multiple ? { multiple: true } : {}),
      },
    ]),
  );
}
