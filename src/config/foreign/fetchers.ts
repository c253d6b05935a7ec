/** Programs that fetch or find another program and run it: which of their words is that program. */

/** One such program: the words after it that only say "run", and the flags that take a word. */
interface Fetcher {
  /** The words after which it fetches what is not there; none where it does so by itself. */
  verbs?: readonly (readonly string[])[];
  /** The words after which it only looks into the project's own environment. */
  finds?: readonly (readonly string[])[];
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
  pnpm: { verbs: [["dlx"]], finds: [["exec"]], valued: NODE },
  yarn: { verbs: [["dlx"]], finds: [["exec"], ["run"]], valued: NODE },
  bun: { verbs: [["x"]], valued: NODE },
  uvx: { valued: PYTHON },
  uv: { verbs: [["tool", "run"]], finds: [["run"]], valued: PYTHON },
  pipx: { verbs: [["run"]], valued: PYTHON },
  poetry: { verbs: [], finds: [["run"]], valued: PYTHON },
  bundle: { verbs: [], finds: [["exec"]], valued: new Set() },
};

/** What a word line runs in the end. */
export interface Fetched {
  /** Its name without version and extras. */
  name: string;
  args: string[];
  by: string;
  /** Whether it is fetched where it is not there, and not only looked for in the project. */
  isFetched: boolean;
}

/** What is run in the end; undefined when the program is no such program. */
export function fetched(program: string, args: readonly string[]): Fetched | undefined {
  const fetcher = Object.hasOwn(fetchers, program) ? fetchers[program] : undefined;
  if (fetcher === undefined) return undefined;
  const { verbs = [[]], finds = [], valued } = fetcher;
  const isSaid = (words: readonly string[]) => words.every((word, at) => args[at] === word);
  const verb = [...verbs, ...finds].find(isSaid);
  if (verb === undefined) return undefined;
  for (let at = verb.length; at < args.length; at++) {
    const word = args[at] ?? "";
    if (valued.has(word)) at++;
    else if (!word.startsWith("-"))
      return {
        name: packageName(word),
        args: args.slice(at + 1),
        by: [program, ...verb].join(" "),
        isFetched: verbs.includes(verb),
      };
  }
  return undefined;
}

/** A package without its version and extras. */
export function packageName(word: string): string {
  return word.replace(/(?<=.)(?:@|==|\[).*$/, "");
}
