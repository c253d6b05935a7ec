/** The completion scripts of bash, zsh and fish, made from the same declarations that parse the command line. */
import type { Command } from "../command.js";
import { commonFlags, type Flag, valuesOf } from "../flags.js";

export const completionScripts = { bash, zsh, fish } as const;
export type Shell = keyof typeof completionScripts;

/** The completions after a flag, or for a command's first word. */
type Completed = { words: readonly string[] } | { names: string } | "folders" | "files";

function flagsOf({ flags }: Command): [string, Flag][] {
  return Object.entries({ ...flags, ...commonFlags });
}

/** The kind of a flag's value; undefined when it takes none. */
function afterFlag(name: string, flag: Flag): Completed | undefined {
  if (flag.type === "boolean") return undefined;
  const words = valuesOf(flag);
  if (words.length > 0) return { words };
  if (name === "client") return { names: "clients" };
  if (name === "tool") return { names: "tools" };
  return flag.value === "DIR" ? "folders" : "files";
}

function firstWord({ completes }: Command): Completed {
  if (completes === undefined) return "files";
  return typeof completes === "string" ? { names: completes } : { words: completes };
}

function spellings(name: string, { short }: Flag): string[] {
  return [...(short ? [`-${short}`] : []), `--${name}`];
}

/** A text in single quotes, for all three shells. Names and summaries hold no backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}

const asked = (kind: string) => `$(lsp-proxy completion --names ${kind} 2>/dev/null)`;

/** Sets `command` to the command of the line; the index of the first word differs between bash and zsh. */
const findCommand = (words: string, first: number, current: string) => `  local command='' i
  for ((i = ${first}; i < ${current}; i++)); do
    case "\${${words}[i]}" in
      -C | --directory) ((i++)) ;;
      -*) ;;
      *) command="\${${words}[i]}"; break ;;
    esac
  done`;

function bash(all: readonly Command[]): string {
  const reply = (completed: Completed): string => {
    if (completed === "folders") return `COMPREPLY=($(compgen -d -- "$current"))`;
    if (completed === "files") return "COMPREPLY=()";
    const words = "words" in completed ? completed.words.join(" ") : asked(completed.names);
    return `COMPREPLY=($(compgen -W "${words}" -- "$current"))`;
  };
  return `# Completion of lsp-proxy for bash.
_lsp_proxy() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}"
${findCommand("COMP_WORDS", 1, "COMP_CWORD")}
  COMPREPLY=()
  case "$command $previous" in
${afterFlags(all, reply)}
  esac
  if [[ -z $command ]]; then
    COMPREPLY=($(compgen -W "${[...all.map(({ name }) => name), "help", "version", "--help", "--version", "-C"].join(" ")}" -- "$current"))
    return
  fi
  if [[ $current == -* ]]; then
    case "$command" in
${all.map((one) => `      ${one.name}) ${reply({ words: flagsOf(one).flatMap(([name]) => [`--${name}`]) })} ;;`).join("\n")}
    esac
    return
  fi
  if ((i < COMP_CWORD - 1)) && [[ $previous != -* ]]; then return; fi
  case "$command" in
    help) ${reply({ words: all.map(({ name }) => name) })} ;;
${firstWords(all, reply)}
  esac
}
complete -o default -F _lsp_proxy lsp-proxy
`;
}

function zsh(all: readonly Command[]): string {
  const reply = (completed: Completed): string => {
    if (completed === "folders") return "_files -/";
    if (completed === "files") return "_files";
    return "words" in completed
      ? `compadd -- ${completed.words.join(" ")}`
      : `compadd -- \${(f)"${asked(completed.names)}"}`;
  };
  const described = (name: string, text: string) => quoted(`${name}:${text.replaceAll(":", "\\:")}`);
  return `#compdef lsp-proxy
# Completion of lsp-proxy for zsh.
_lsp_proxy() {
  local -a found
  local previous="\${words[CURRENT-1]}"
${findCommand("words", 2, "CURRENT")}
  case "$command $previous" in
${afterFlags(all, reply)}
  esac
  if [[ -z $command ]]; then
    found=(${all.map(({ name, summary }) => described(name, summary)).join(" ")})
    _describe command found
    return
  fi
  if [[ $PREFIX == -* ]]; then
    case "$command" in
${all
  .map(
    (one) =>
      `      ${one.name}) found=(${flagsOf(one)
        .map(([name, { description }]) => described(`--${name}`, description))
        .join(" ")}) ;;`,
  )
  .join("\n")}
    esac
    _describe -o option found
    return
  fi
  case "$command" in
    help) ${reply({ words: all.map(({ name }) => name) })} ;;
${firstWords(all, reply)}
    *) _files ;;
  esac
}
if [[ "\${funcstack[1]}" == _lsp_proxy ]]; then _lsp_proxy "$@"; else compdef _lsp_proxy lsp-proxy; fi
`;
}

/** The branches for the values of flags, for any command where the flag takes the same in all that have it. */
function afterFlags(all: readonly Command[], reply: (completed: Completed) => string): string {
  const uses = all.flatMap((command) =>
    flagsOf(command).flatMap(([name, flag]) => {
      const completed = afterFlag(name, flag);
      const body = completed && reply(completed);
      return spellings(name, flag).map((spelling) => ({ command: command.name, spelling, body }));
    }),
  );
  const branches = new Map<string, Set<string>>();
  for (const { command, spelling, body } of uses) {
    if (body === undefined) continue;
    const isSame = uses.every((use) => use.spelling !== spelling || use.body === body);
    const patterns = branches.get(body) ?? new Set();
    branches.set(body, patterns.add(isSame ? `*' ${spelling}'` : `'${command} ${spelling}'`));
  }
  return [...branches]
    .map(([body, patterns]) => `    ${[...patterns].join(" | ")}) ${body}; return ;;`)
    .join("\n");
}

function firstWords(all: readonly Command[], reply: (completed: Completed) => string): string {
  return all
    .filter(takesNames)
    .map((command) => `    ${command.name}) ${reply(firstWord(command))} ;;`)
    .join("\n");
}

function takesNames({ completes, words }: Command): boolean {
  return completes !== undefined && words !== undefined && words.max > 0;
}

function fish(all: readonly Command[]): string {
  const choices = (completed: Completed): string => {
    if (completed === "folders") return "-xa '(__fish_complete_directories)'";
    if (completed === "files") return "-r";
    if ("words" in completed) return `-xa ${quoted(completed.words.join(" "))}`;
    return `-xa '(lsp-proxy completion --names ${completed.names} 2>/dev/null)'`;
  };
  const lines = all.flatMap((command) => {
    const within = `complete -c lsp-proxy -n '__fish_seen_subcommand_from ${command.name}'`;
    const flags = flagsOf(command).map(([name, flag]) => {
      const completed = afterFlag(name, flag);
      const short = flag.short ? ` -s ${flag.short}` : "";
      const takes = completed === undefined ? "" : ` ${choices(completed)}`;
      return `${within} -l ${name}${short}${takes} -d ${quoted(flag.description)}`;
    });
    const first = takesNames(command) ? [`${within} ${choices(firstWord(command))}`] : [];
    const own = `complete -c lsp-proxy -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`;
    return [own, ...flags, ...first];
  });
  return `# Completion of lsp-proxy for fish.\n${lines.join("\n")}\n`;
}
