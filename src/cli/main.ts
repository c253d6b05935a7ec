/** The program: finds the command, parses its words, runs it, and turns every failure into a text and an exit code. */
import { parseArgs } from "node:util";
import { ConfigError } from "../base/problem.js";
import {
  type Command,
  type ExitCode,
  exitCodes,
  parseOptions,
  type Surroundings,
  UsageError,
} from "./command.js";
import { commands } from "./commands.js";
import { version } from "./shipped.js";
import { commandHelp, programHelp } from "./terminal/help.js";

/** Runs one command line and tells the exit code; never throws. */
export async function main(argv: string[], io: Surroundings): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return report(error, argv, io);
  }
}

async function dispatch(argv: string[], io: Surroundings): Promise<ExitCode> {
  const [name, ...rest] = argv;
  if (name === undefined) {
    io.stderr.write(programHelp(await allCommands(), version()));
    return exitCodes.usage;
  }
  if (name === "--help" || name === "-h" || name === "help") {
    const command = rest[0] === undefined ? undefined : await findCommand(rest[0]);
    io.stdout.write(command ? commandHelp(command) : programHelp(await allCommands(), version()));
    return exitCodes.ok;
  }
  if (name === "--version" || name === "-v") {
    io.stdout.write(`${version()}\n`);
    return exitCodes.ok;
  }
  const { isQuick, quickInput } = await import("./quick.js");
  if (isQuick(argv)) return (await findCommand("serve")).run(quickInput(argv, io), io);
  const command = await findCommand(name);
  const { values, positionals } = parse(command, rest);
  if (values.help === true) {
    io.stdout.write(commandHelp(command));
    return exitCodes.ok;
  }
  if (positionals.length < command.words.min || positionals.length > command.words.max) {
    throw new UsageError(`usage: lsp-proxy ${command.name} ${command.usage}`, command.name);
  }
  return command.run({ flags: values, words: positionals }, io);
}

function parse(command: Command, rest: string[]) {
  try {
    return parseArgs({
      args: rest,
      options: { ...parseOptions(command.flags), help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Node goes on to explain how a word with a dash may be meant; one sentence is enough.
    throw new UsageError(message.split(". ")[0] ?? message, command.name);
  }
}

async function findCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load) return load();
  const { nearest } = await import("../base/nearest.js");
  const near = nearest(name, Object.keys(commands));
  throw new UsageError(`unknown command \`${name}\`${near ? `; did you mean \`${near}\`?` : ""}`);
}

function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(commands).map((load) => load()));
}

async function report(error: unknown, argv: string[], io: Surroundings): Promise<ExitCode> {
  if (error instanceof UsageError) {
    io.stderr.write(`lsp-proxy: ${error.message}\n`);
    io.stderr.write(`Try \`lsp-proxy ${error.command ? `${error.command} ` : ""}--help\`.\n`);
    return exitCodes.usage;
  }
  if (error instanceof ConfigError) {
    const { printProblems } = await import("./terminal/problems.js");
    printProblems(error.problems, { json: argv.includes("--json"), io });
    return exitCodes.problems;
  }
  io.stderr.write(
    `lsp-proxy: internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return exitCodes.fault;
}
