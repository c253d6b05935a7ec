/** Runs the commands of package managers, apart from the folder that lsp-proxy was started in. */
import { spawn } from "node:child_process";
import { cleanedEnvironment } from "../../lsp/process/environment.js";
import { commandLine } from "../../lsp/process/launcher-script.js";
import { findCommand } from "../../lsp/process/search.js";
import type { Io } from "../command.js";
import { withProgress } from "../terminal/prompt.js";

const LAST_LINES = 12;
const MAX_OUTPUT = 1 << 20;

/** A step of an installation that failed: what was run, its last lines, and what to do. */
export class InstallFailure extends Error {
  constructor(
    message: string,
    readonly lines: readonly string[] = [],
    readonly advice?: string,
  ) {
    super(message);
  }
}

interface StepOptions {
  cwd: string;
  env?: { [name: string]: string };
  /** Also shows its output, and lets it ask for a password. */
  shown?: boolean;
}

interface Ran {
  status: number | null;
  stdout: string;
  /** Both streams, as they came. */
  output: string;
}

/** The context that installations share: the user's environment, without values from untrusted folders. */
export class Steps {
  readonly #env: { [name: string]: string };

  constructor(
    private readonly io: Io,
    readonly avoid: readonly string[],
    readonly label: string,
  ) {
    this.#env = cleanedEnvironment(withoutNpm(io.env), avoid).env;
  }

  get env(): { readonly [name: string]: string } {
    return this.#env;
  }

  labelled(label: string): Steps {
    return new Steps(this.io, this.avoid, label);
  }

  find(program: string): string | undefined {
    return findCommand(program, [], this.#env.PATH, this.avoid);
  }

  /** Runs a program to its end. Throws an InstallFailure when it fails. */
  async must(program: string, args: readonly string[], options: StepOptions): Promise<Ran> {
    const ran = await this.run(program, args, options);
    if (ran.status === 0) return ran;
    throw failed(program, args, ran);
  }

  async run(program: string, args: readonly string[], options: StepOptions): Promise<Ran> {
    const path = this.find(program);
    if (path === undefined) throw new InstallFailure(`\`${program}\` is not installed`);
    const work = () => this.#spawn(path, args, options);
    if (this.io.stderr.isTTY !== true || options.shown) return work();
    return withProgress(this.io, `${this.label}: ${program} ${args[0] ?? ""}`.trimEnd(), work);
  }

  /** Does other work of the installation, and shows on a terminal how far it is. */
  working<T>(text: string, work: (update: (message: string) => void) => Promise<T>): Promise<T> {
    const labelled = (message: string) => `${this.label}: ${message}`;
    return withProgress(this.io, labelled(text), (update) => work((message) => update(labelled(message))));
  }

  #spawn(path: string, args: readonly string[], { cwd, env, shown }: StepOptions): Promise<Ran> {
    return new Promise((resolve, reject) => {
      const { file, args: words, windowsVerbatimArguments } = commandLine(path, args);
      const child = spawn(file, words, {
        cwd,
        windowsVerbatimArguments,
        env: { ...this.#env, ...env },
        stdio: [shown ? "inherit" : "ignore", "pipe", "pipe"],
      });
      const text = { stdout: "", output: "" };
      const take = (name: "stdout" | "stderr") => (chunk: Buffer) => {
        if (shown) this.io.stderr.write(chunk.toString());
        if (name === "stdout") text.stdout = (text.stdout + chunk).slice(-MAX_OUTPUT);
        text.output = (text.output + chunk).slice(-MAX_OUTPUT);
      };
      child.stdout.on("data", take("stdout"));
      child.stderr.on("data", take("stderr"));
      child.once("error", (error) =>
        reject(new InstallFailure(`\`${path}\` cannot be run: ${error.message}`)),
      );
      child.once("close", (status) => resolve({ status, ...text }));
    });
  }
}

export function failed(program: string, args: readonly string[], { status, output }: Ran): InstallFailure {
  const lines = output
    .split(/[\r\n]+/)
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const how = status === null ? "was killed" : `ended with ${status}`;
  return new InstallFailure(`\`${[program, ...args].join(" ")}\` ${how}`, lines.slice(-LAST_LINES));
}

/** npm passes the settings of its project to its programs. It reads the user's settings itself. */
export function withoutNpm(env: Io["env"]): Io["env"] {
  if (!env.npm_execpath) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^npm_/i.test(name)));
}
