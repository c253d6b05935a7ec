/** Which LSP language id a file has for a server: by file name, extension, or the interpreter its first line names. */
import { basename } from "node:path";
import type { ServerPlan } from "../../abi/plan.js";

const interpreters: { [program: string]: string } = {
  sh: "shellscript",
  bash: "shellscript",
  dash: "shellscript",
  ksh: "shellscript",
  zsh: "shellscript",
  python: "python",
  node: "javascript",
  deno: "typescript",
  bun: "typescript",
  tsx: "typescript",
  ruby: "ruby",
  perl: "perl",
  php: "php",
  lua: "lua",
  Rscript: "r",
  fish: "fish",
  awk: "awk",
  gawk: "awk",
  pwsh: "powershell",
  elixir: "elixir",
  escript: "erlang",
  groovy: "groovy",
  julia: "julia",
};

/** Extensions of a file name from the longest to the shortest, lower case: `a.d.ts` gives `d.ts`, `ts`. */
export function extensionsOf(path: string): string[] {
  const parts = basename(path).toLowerCase().split(".").slice(1);
  return parts.map((_, index) => parts.slice(index).join("."));
}

/** The language id that a script's first line names, or undefined. */
export function shebangLanguage(firstLine: string): string | undefined {
  const match = /^#!\s*(\S+)((?:\s+\S+)*)/.exec(firstLine);
  if (!match) return undefined;
  const words = [basename(match[1] ?? ""), ...(match[2] ?? "").trim().split(/\s+/)];
  const program = words[0] === "env" ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0];
  return interpreters[basename(program ?? "").replace(/[\d.]+$/, "")];
}

/** The language id of a file for a server; `firstLine` counts only for files without an extension. */
export function languageIdOf(server: ServerPlan, path: string, firstLine: string): string {
  const named = lookUp(server.languageIds, basename(path));
  if (named !== undefined) return named;
  for (const extension of extensionsOf(path)) {
    const id = lookUp(server.languageIds, extension);
    if (id !== undefined) return id;
    if (server.extensions.some((known) => known.toLowerCase() === extension)) return server.languageId;
  }
  const script = extensionsOf(path).length === 0 ? shebangLanguage(firstLine) : undefined;
  return script ?? server.languageId;
}

function lookUp(ids: { [match: string]: string }, name: string): string | undefined {
  if (Object.hasOwn(ids, name)) return ids[name];
  const match = Object.keys(ids).find((key) => key.toLowerCase() === name.toLowerCase());
  return match === undefined ? undefined : ids[match];
}
