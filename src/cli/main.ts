/** Finds the command, parses its arguments, runs it, and turns every error into a message and an exit code. */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { statOf } from "../base/file-stamp.js";
import { NoHome } from "../base/home.js";
import { nearest } from "../base/nearest.js";
import { ConfigError, Refusal } from "../base/problem.js";
import {
  type Command,
  didYouMean,
  type ExitCode,
  exitCodes,
  failure,
  Input,
  type Io,
  Stopped,
  type Streams,
  UsageError,
} from "./command.js";
import { commands } from "./commands.js";
import { commonFlags } from "./flags.js";
import { isQuick, quickInput } from "./quick.js";
import { version } from "./shipped.js";
import { commandHelp, helpWidth, programHelp } from "./terminal/help.js";
import { Output } from "./terminal/output.js";
import { isInteractive } from "./terminal/prompt.js";
import { workspaceOf } from "./workspace.js";

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

/**
 * Runs a command. Where it needs a found config that is not trusted, asks on a terminal and runs it again after a yes.
 */
async function run(command: Command, input: Input, io: Io): Promise<ExitCode | undefined> {
  try {
    return await command.run(input, io);
  } catch (error) {
    if (!(error instanceof ConfigError && isInteractive(io))) throw error;
    // Trust does not help where the config has other problems too.
    if (!error.problems.every(({ code, severity }) => severity !== "error" || code === "config/untrusted"))
      throw error;
    const { askForTrust, inspectTrust } = await import("./trust-workspace.js");
    if (!(await askForTrust(inspectTrust(workspaceOf(input, io), io), io))) throw error;
    return command.run(input, io);
  }
}

async function dispatch(argv: string[], io: Io): Promise<ExitCode | undefined> {
  const [name, ...rest] = argv;
  if (name === undefined && io.env.LSP_BOOTSTRAP) {
    const { bootstrapInput } = await import("./host-bootstrap.js");
    const input = bootstrapInput(io.env.LSP_BOOTSTRAP);
    return typeof input === "string" ? failure(io, input) : (await findCommand("serve")).run(input, io);
  }
  if (name === undefined) {
    io.stderr.write(await programHelp(helpWidth(io.stderr)));
    return exitCodes.usage;
  }
  if (name === "-C" || name === `--${DIRECTORY}`) return dispatch(rest.slice(1), within(rest[0], io));
  if (["--help", "-h", "help"].includes(name)) {
    const width = helpWidth(io.stdout);
    const [about] = rest;
    io.stdout.write(
      about === undefined ? await programHelp(width) : commandHelp(await findCommand(about), width),
    );
    return exitCodes.ok;
  }
  if (["--version", "-v", "-V", "version"].includes(name)) {
    io.stdout.writeLine(version());
    return exitCodes.ok;
  }
  if (isQuick(argv)) return (await findCommand("serve")).run(quickInput(argv, io), io);
  const command = await findCommand(name);
  const { values, positionals } = parse(command, rest);
  const input = new Input(values, positionals);
  const directory = input.text(DIRECTORY);
  const there = directory === undefined ? io : within(directory, io);
  if (input.isOn("help")) {
    if ((await command.helpOn?.(input, there)) !== true)
      io.stdout.write(commandHelp(command, helpWidth(io.stdout)));
    return exitCodes.ok;
  }
  const { min, max } = command.words ?? { min: 0, max: 0 };
  if (positionals.length < min || positionals.length > max)
    throw new UsageError(`usage: lsp-proxy ${command.name} ${command.usage}`);
  return run(command, input, there);
}

const DIRECTORY = "directory" satisfies keyof typeof commonFlags;

/** The same streams, with another working directory. */
function within(directory: string | undefined, io: Io): Io {
  const cwd = resolve(io.cwd, directory ?? "");
  if (directory === undefined || statOf(cwd)?.isDirectory() !== true)
    throw new UsageError(`-C takes a folder${directory === undefined ? "" : `; \`${directory}\` is none`}`);
  return { ...io, cwd };
}

function parse(command: Command, args: string[]) {
  const options = { ...command.flags, ...commonFlags };
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    // Node adds advice about arguments that begin with a dash. The first sentence is enough.
    const message = (error as Error).message.split(". ")[0] ?? "";
    const unknown = /^Unknown option '--([^'=]+)/.exec(message)?.[1];
    const near = unknown === undefined ? undefined : nearest(unknown, Object.keys(options));
    throw new UsageError(near === undefined ? message : `${message}; did you mean \`--${near}\`?`);
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
  const { diskFailure } = await import("./files/disk-failure.js");
  const problem = error instanceof ConfigError ? error : diskFailure(error);
  if (problem !== undefined) {
    const { printProblems } = await import("./terminal/report.js");
    printProblems(problem.problems, { json: argv.includes("--json"), io });
    return exitCodes.problems;
  }
  if (error instanceof Stopped) {
    io.stderr.writeLine(`lsp-proxy: ${error.message}`);
    return exitCodes.stopped;
  }
  if (error instanceof NoHome) return failure(io, error.message);
  if (error instanceof Refusal) return failure(io, `${error.message} (${error.code})`);
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  io.stderr.write(`lsp-proxy: internal error: ${text}\n`);
  return exitCodes.fault;
}
