/** Finds the command, parses its arguments, runs it, and turns every error into a message and an exit code. */
import { parseArgs } from "node:util";
import { ConfigError } from "../base/problem.js";
import {
  type Command,
  didYouMean,
  type ExitCode,
  exitCodes,
  Input,
  type Io,
  type Streams,
  UsageError,
  workspaceOf,
} from "./command.js";
import { commands } from "./commands.js";
import { isQuick, quickInput } from "./quick.js";
import { version } from "./shipped.js";
import { commandHelp, programHelp } from "./terminal/help.js";
import { Output } from "./terminal/output.js";
import { isInteractive } from "./terminal/prompt.js";

/** Runs one command line and returns its exit code. Never throws. */
export async function main(argv: string[], streams: Streams): Promise<ExitCode> {
  const { env } = streams;
  const io = { ...streams, stdout: new Output(streams.stdout, env), stderr: new Output(streams.stderr, env) };
  try {
    return (await dispatch(argv, io)) ?? exitCodes.ok;
  } catch (error) {
    return report(error, argv, io);
  }
}

/** Runs a command. Where it needs a found config that is not trusted, asks on a terminal and runs it again after a yes. */
async function run(command: Command, input: Input, io: Io): Promise<ExitCode | undefined> {
  try {
    return await command.run(input, io);
  } catch (error) {
    if (!(error instanceof ConfigError && isInteractive(io))) throw error;
    // Trust does not help where the config has other problems too.
    if (!error.problems.every(({ code }) => code === "config/untrusted")) throw error;
    const { askForTrust, inspectTrust } = await import("./trust-workspace.js");
    if (!(await askForTrust(inspectTrust(workspaceOf(input, io), io), io))) throw error;
    return command.run(input, io);
  }
}

async function dispatch(argv: string[], io: Io): Promise<ExitCode | undefined> {
  const [name, ...rest] = argv;
  if (name === undefined) {
    io.stderr.write(await programHelp());
    return exitCodes.usage;
  }
  if (["--help", "-h", "help"].includes(name)) {
    io.stdout.write(rest[0] === undefined ? await programHelp() : commandHelp(await findCommand(rest[0])));
    return exitCodes.ok;
  }
  if (["--version", "-v"].includes(name)) {
    io.stdout.writeLine(version());
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
    throw new UsageError(`usage: lsp-proxy ${command.name} ${command.usage}`);
  return run(command, new Input(values, positionals), io);
}

function parse(command: Command, args: string[]) {
  try {
    const help = { type: "boolean", short: "h" } as const;
    return parseArgs({ args, options: { ...command.flags, help }, allowPositionals: true });
  } catch (error) {
    // Node adds advice about arguments that begin with a dash. The first sentence is enough.
    throw new UsageError((error as Error).message.split(". ")[0]);
  }
}

async function findCommand(name: string): Promise<Command> {
  const load = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (load) return load();
  throw new UsageError(`unknown command \`${name}\`${didYouMean(name, Object.keys(commands))}`);
}

async function report(error: unknown, argv: string[], io: Io): Promise<ExitCode> {
  if (error instanceof UsageError) {
    const command = Object.hasOwn(commands, argv[0] ?? "") ? `${argv[0]} ` : "";
    io.stderr.writeLine(`lsp-proxy: ${error.message}`);
    io.stderr.writeLine(`Try \`lsp-proxy ${command}--help\`.`);
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
