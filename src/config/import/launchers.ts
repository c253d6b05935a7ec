/** Recognises launchers such as `npx` and `uv run`, and the program that they start. */

interface Launcher {
  /** The subcommands that download a missing program; absent where the launcher itself does. */
  downloads?: readonly (readonly string[])[];
  /** The subcommands that only look into the project's own environment. */
  finds?: readonly (readonly string[])[];
  valueFlags: ReadonlySet<string>;
}

const NODE = new Set(["-p", "--package", "-c", "--call", "--registry", "--cache"]);
const PYTHON = new Set([
  "--from",
  "--with",
  "--python",
  "-p",
  "--spec",
  "--index-url",
  "--pip-args",
  "--directory",
]);

const launchers: { readonly [program: string]: Launcher } = {
  npx: { valueFlags: NODE },
  bunx: { valueFlags: NODE },
  pnpx: { valueFlags: NODE },
  npm: { downloads: [["exec"], ["x"]], valueFlags: NODE },
  pnpm: { downloads: [["dlx"]], finds: [["exec"]], valueFlags: NODE },
  yarn: { downloads: [["dlx"]], finds: [["exec"], ["run"]], valueFlags: NODE },
  bun: { downloads: [["x"]], valueFlags: NODE },
  uvx: { valueFlags: PYTHON },
  uv: { downloads: [["tool", "run"]], finds: [["run"]], valueFlags: PYTHON },
  pipx: { downloads: [["run"]], valueFlags: PYTHON },
  poetry: { downloads: [], finds: [["run"]], valueFlags: PYTHON },
  bundle: { downloads: [], finds: [["exec"]], valueFlags: new Set() },
};

/** The program that a command starts through a launcher; undefined when the command is not a launcher. */
export function launchedBy(program: string, args: readonly string[]) {
  const launcher = Object.hasOwn(launchers, program) ? launchers[program] : undefined;
  if (launcher === undefined) return undefined;
  const { downloads = [[]], finds = [], valueFlags } = launcher;
  const subcommand = [...downloads, ...finds].find((words) => words.every((word, at) => args[at] === word));
  if (subcommand === undefined) return undefined;
  for (let at = subcommand.length; at < args.length; at++) {
    const word = args[at] ?? "";
    if (valueFlags.has(word)) at++;
    else if (!word.startsWith("-"))
      return {
        name: packageName(word),
        args: args.slice(at + 1),
        by: [program, ...subcommand].join(" "),
        isDownloaded: downloads.includes(subcommand),
      };
  }
  return undefined;
}

export function packageName(word: string): string {
  return word.replace(/(?<=.)(?:@|==|\[).*$/, "");
}
