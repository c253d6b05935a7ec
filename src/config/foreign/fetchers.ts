/** Programs that fetch or find another program and run it: which of their words is that program. */

/** One such program: the words after it that only say "run", and the flags that take a word. */
interface Fetcher {
  verbs?: readonly (readonly string[])[];
  valued: ReadonlySet<string>;
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

const fetchers: { readonly [program: string]: Fetcher } = {
  npx: { valued: NODE },
  bunx: { valued: NODE },
  pnpx: { valued: NODE },
  npm: { verbs: [["exec"], ["x"]], valued: NODE },
  pnpm: { verbs: [["dlx"], ["exec"]], valued: NODE },
  yarn: { verbs: [["dlx"], ["exec"], ["run"]], valued: NODE },
  bun: { verbs: [["x"]], valued: NODE },
  uvx: { valued: PYTHON },
  uv: { verbs: [["tool", "run"], ["run"]], valued: PYTHON },
  pipx: { verbs: [["run"]], valued: PYTHON },
  poetry: { verbs: [["run"]], valued: PYTHON },
  bundle: { verbs: [["exec"]], valued: new Set() },
};

/** What is run in the end: its name without version and extras, and its arguments; undefined when nothing is fetched. */
export function fetched(
  program: string,
  args: readonly string[],
): { name: string; args: string[]; by: string } | undefined {
  const fetcher = Object.hasOwn(fetchers, program) ? fetchers[program] : undefined;
  if (fetcher === undefined) return undefined;
  const verb = (fetcher.verbs ?? [[]]).find((words) => words.every((word, at) => args[at] === word));
  if (verb === undefined) return undefined;
  for (let at = verb.length; at < args.length; at++) {
    const word = args[at] ?? "";
    if (fetcher.valued.has(word)) at++;
    else if (!word.startsWith("-"))
      return { name: packageName(word), args: args.slice(at + 1), by: [program, ...verb].join(" ") };
  }
  return undefined;
}

/** A package without its version and extras. */
export function packageName(word: string): string {
  return word.replace(/(?<=.)(?:@|==|\[).*$/, "");
}
