/** Finds the command, parses its arguments, runs it, and turns every error into a message and an exit code. */
import { parseArgs } from "node:util";
import { ConfigError } from "../base/problem.js";
import { type Command, didYouMean, type ExitCode, exitCodes, Input, type Io, UsageError } from "./command.js";
import { commands } from "./commands.js";
import { isQuick, quickInput } from "./quick.js";
import { version } from "./shipped.js";
import { commandHelp, programHelp } from "./terminal/help.js";

/** Runs one command line and returns its exit code. Never throws. */
export async function main(argv: string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    return report(error, argv, io);
  }
}

async function dispatch(argv: string[], io: Io): Promise<ExitCode> {
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
  if (isQuick(argv)) return (await findCommand("serve")).run(quickInput(argv, io), io);
  const command = await findCommand(name);
  const { values, positionals } = parse(command, rest);
  if (values.help === true) {
    io.stdout.write(commandHelp(command));
    return exitCodes.ok;
  }
  const { min, max } = command.words ?? { min: 0, max: 0 };
  if (positionals.length < min || positionals.length > max)
    throw new UsageError(`usage: lsp-proxy ${command.name} ${command.usage}`, command.name);
  return command.run(new Input(values, positionals), io);
}

function parse(command: Command, args: string[]) {
  try {
    const help = { type: "boolean", short: "h" } as const;
    return parseArgs({ args, options: { ...command.flags, help }, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // Node adds advice about arguments that begin with a dash. The first sentence is enough.
    throw new UsageError(message.split(". ")[0] ?? message, command.name);
  }
}

async function findCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load) return load();
  throw new UsageError(`unknown command \`${name}\`${didYouMean(name, Object.keys(commands))}`);
}

function allCommands(): Promise<Command[]> {
  return Promise.all(Object.values(commands).map((load) => load()));
}

async function report(error: unknown, argv: string[], io: Io): Promise<ExitCode> {
  if (error instanceof UsageError) {
    io.stderr.write(`lsp-proxy: ${error.message}\n`);
    io.stderr.write(`Try \`lsp-proxy ${error.command ? `${error.command} ` : ""}--help\`.\n`);
    return exitCodes.usage;
  }
  if (error instanceof ConfigError) {
    const { printProblems } = await import("./terminal/report.js");
    printProblems(error.problems, { json: argv.includes("--json"), io });
    return exitCodes.problems;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.stderr.write(`lsp-proxy: internal error: ${text}\n`);
  return exitCodes.fault;
}
