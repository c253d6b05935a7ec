/**
 * The environment of a program beside a stranger's folder. Whatever an inherited variable names there, a program may load or
 * run: of a list of paths only the strange entries go, a variable that is something else goes as a whole. Variables are judged
 * by what they say, and by how names of their kind end. A folder of shims is no stranger's, but what is started from it follows
 * the folder that it is started in.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, resolve } from "node:path";
import type { Plan, ServerPlan } from "../../abi/plan.js";
import { isInside } from "../../base/paths.js";
import type { Withheld } from "../types.js";
import { pathsNamedIn } from "./named-files.js";
import type { ProgramContext } from "./program.js";
import { realOf, strangersOf } from "./trusted.js";

type Variables = { [name: string]: string | undefined };

/** Lists of folders: what is empty or relative in them is the folder that a program happens to run in. */
const listName = /(?:PATH|PATHS|LIB|LIBS|DIRS)$/i;
/** One folder or file each, which is absolute unless somebody made a mistake. */
const placeName = /(?:HOME|ROOT|DIR|PREFIX|BIN|FILE)$/i;
const relativePlace = /^\.{1,2}(?:[\\/]|$)/;
/** Where version managers put programs that start what a file of the folder names in which they are run. */
const shimFolder = /[\\/]shims[\\/]*$/i;

/** What is left of variables outside the folders of strangers, and what of them was withheld that is there. */
export interface Cleaned {
  env: { [name: string]: string };
  withheld: Withheld[];
}

/** The variables as a program may have them that runs in `cwd`, or anywhere. Without strangers they are as they were. */
export function envOutside(env: Variables, strangers: readonly string[], cwd?: string): Cleaned {
  const cleaned: Cleaned = { env: {}, withheld: [] };
  const places = cwd === undefined ? strangers : [...new Set([cwd, ...strangers])];
  // A home is its user's, also where it is the workspace: of what stands in it only programs are withheld.
  const home = realOf(env.HOME || homedir());
  const beside = strangers.filter((folder) => !isInside(home, folder));
  for (const [variable, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const { left, strange } =
      strangers.length === 0
        ? { left: value, strange: [] }
        : outside(variable, value, variable === "PATH" ? strangers : beside, places);
    if (left !== undefined) cleaned.env[variable] = left;
    cleaned.withheld.push(...strange.map((folder) => ({ variable, folder })));
  }
  return cleaned;
}

interface Rest {
  left: string | undefined;
  /** Absolute paths that are there and were left out. */
  strange: string[];
}

function outside(name: string, value: string, strangers: readonly string[], places: readonly string[]): Rest {
  const separator = value.includes(";") ? ";" : delimiter;
  const entries = value.split(separator);
  const isList =
    listName.test(name) || (entries.length > 1 && entries.every((entry) => !entry || isAbsolute(entry)));
  if (!isList) return outsideAsOne(name, value, strangers, places);
  const ours = entries.filter((entry) => isAbsolute(entry) && !isStrange(entry, strangers));
  const named = entries.filter((entry) => entry !== "" && !ours.includes(entry));
  const kept = name === "PATH" ? withoutShims(ours) : ours;
  const found = named.flatMap((entry) =>
    isAbsolute(entry) ? [entry] : places.map((at) => resolve(at, entry)),
  );
  return {
    left: kept.length > 0 ? kept.join(separator) : undefined,
    strange: found.filter((path) => existsSync(path) && isStrange(path, strangers)),
  };
}

/** What a server starts in a stranger's folder must not be a shim. Node stays: it is what most servers are run by. */
function withoutShims(folders: readonly string[]): string[] {
  const rest = folders.filter((folder) => !shimFolder.test(folder) && !shimFolder.test(realOf(folder)));
  return rest.length === folders.length ? rest : [...new Set([...rest, dirname(process.execPath)])];
}

/** Options may name paths in whatever part of a word, and Node's a package of the folder that it runs in. */
function outsideAsOne(
  name: string,
  value: string,
  strangers: readonly string[],
  places: readonly string[],
): Rest {
  const from = places.flatMap((place) => [place, resolve(place, "node_modules")]);
  const named = from.flatMap((place) => pathsNamedIn([value], place));
  const strange = [...new Set(named)].filter((path) => isStrange(path, strangers));
  const isAstray = relativePlace.test(value) || (placeName.test(name) && value !== "" && !isAbsolute(value));
  return { left: strange.length > 0 || isAstray ? undefined : value, strange };
}

function isStrange(path: string, strangers: readonly string[]): boolean {
  const names = [path, realOf(path)];
  return names.some((name) => strangers.some((strange) => isInside(name, strange)));
}

/** The environment of a server for a root: the allowed names of ours without what strangers have, and its own as the user wrote it. */
export function serverEnv(plan: Plan, server: ServerPlan, root: string, context: ProgramContext): Cleaned {
  const inherited = Object.fromEntries(
    plan.allow.env.filter((name) => server.env[name] === undefined).map((name) => [name, context.env[name]]),
  );
  const cwd = server.cwd === null ? root : resolve(context.base, server.cwd);
  const { env, withheld } = envOutside(inherited, strangersOf(context), cwd);
  return { env: { ...env, ...server.env }, withheld };
}
