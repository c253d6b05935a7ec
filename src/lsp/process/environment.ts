/**
 * Environment variables of started programs: those the plan allows. If there are untrusted folders, paths into them,
 * relative entries and shim folders are removed, because a program may load or run whatever a variable names.
 */
import { existsSync, readlinkSync } from "node:fs";
import { delimiter, dirname, isAbsolute, resolve } from "node:path";
import type { Plan, ServerPlan } from "../../abi/plan.js";
import { realPath } from "../../base/disk.js";
import { homeOf } from "../../base/home.js";
import { isInside } from "../../base/paths.js";
import { here } from "../../base/platform.js";
import type { Withheld } from "../types.js";
import { pathsNamedIn } from "./argument-files.js";
import type { ProgramContext } from "./program.js";
import { withheldPython } from "./python-environment.js";
import type { ProgramFolders } from "./search.js";
import { isInAny, type ServerStart, untrustedFolders } from "./trusted.js";

type Variables = { [name: string]: string | undefined };

/** Names of lists of folders. An empty or relative entry means the current folder. */
const listName = /(?:PATH|PATHS|LIB|LIBS|DIRS)$/i;
/** Names of a single folder or file, which should be absolute. */
const placeName = /(?:HOME|ROOT|DIR|PREFIX|BIN|FILE)$/i;
const relativePlace = /^\.{1,2}(?:[\\/]|$)/;
const shimFolder = /[\\/]shims[\\/]*$/i;

interface CleanedEnvironment {
  env: { [name: string]: string };
  /** Existing paths in untrusted folders that were removed. */
  withheld: Withheld[];
}

/** The variables that a program may have that runs in `cwd`. Without untrusted folders nothing is removed. */
export function cleanedEnvironment(
  env: Variables,
  untrusted: readonly string[],
  cwd?: string,
): CleanedEnvironment {
  const cleaned: CleanedEnvironment = { env: {}, withheld: [] };
  const places = cwd === undefined ? untrusted : [...new Set([cwd, ...untrusted])];
  // When the home folder is the untrusted workspace, only its programs are withheld.
  const home = realPath(homeOf(env));
  const beside = untrusted.filter((folder) => !isInside(home, folder));
  for (const [variable, value] of Object.entries(env)) {
    if (value === undefined) continue;
    const folders = { untrusted: variable === "PATH" ? untrusted : beside, places };
    const { kept, removed } =
      untrusted.length === 0 ? { kept: value, removed: [] } : cleanVariable(variable, value, folders);
    if (kept !== undefined) cleaned.env[variable] = kept;
    cleaned.withheld.push(...removed.map((folder) => ({ variable, folder })));
  }
  return cleaned;
}

interface Folders {
  untrusted: readonly string[];
  /** Folders that relative names may start from. */
  places: readonly string[];
}

interface CleanedVariable {
  kept: string | undefined;
  /** Absolute paths that exist and were removed. */
  removed: string[];
}

function cleanVariable(name: string, value: string, folders: Folders): CleanedVariable {
  const { untrusted, places } = folders;
  const separator = value.includes(";") ? ";" : delimiter;
  const entries = value.split(separator);
  const isList =
    listName.test(name) || (entries.length > 1 && entries.every((entry) => !entry || isAbsolute(entry)));
  if (!isList) return cleanSingle(name, value, folders);
  const allowed = entries.filter((entry) => isAbsolute(entry) && !isInAny(entry, untrusted));
  const others = entries.filter((entry) => entry !== "" && !allowed.includes(entry));
  const kept = name === "PATH" ? withoutShims(allowed) : allowed;
  const paths = others.flatMap((entry) =>
    isAbsolute(entry) ? [entry] : places.map((place) => resolve(place, entry)),
  );
  return {
    kept: kept.length > 0 ? kept.join(separator) : undefined,
    removed: paths.filter((path) => existsSync(path) && isInAny(path, untrusted)),
  };
}

/** Removes shim folders, but keeps Node reachable: most servers run on it. */
function withoutShims(folders: readonly string[]): string[] {
  const rest = folders.filter((folder) => !shimFolder.test(folder) && !shimFolder.test(realPath(folder)));
  return rest.length === folders.length ? rest : [...new Set([...rest, dirname(process.execPath)])];
}

/** Options may name paths in any part of a word, and Node options a package of the current folder. */
function cleanSingle(name: string, value: string, { untrusted, places }: Folders): CleanedVariable {
  const from = places.flatMap((place) => [place, resolve(place, "node_modules")]);
  const named = from.flatMap((place) => pathsNamedIn([value], place));
  const removed = [...new Set(named)].filter((path) => isInAny(path, untrusted));
  const isRelative =
    relativePlace.test(value) || (placeName.test(name) && value !== "" && !isAbsolute(value));
  return { kept: removed.length > 0 || isRelative ? undefined : value, removed };
}

type EnvironmentStart = Omit<ServerStart<ServerPlan, ProgramContext>, "program"> & { plan: Plan };

/** The environment of a server: the cleaned variables that the plan allows, and the plan's own as written. */
export function serverEnv({ plan, server, root, context }: EnvironmentStart): CleanedEnvironment {
  const { ignoresCaseOfVariables } = context.platform ?? here;
  const inherited = Object.fromEntries(
    plan.allow.env
      .filter((name) => server.env[name] === undefined)
      .map((name) => [name, context.env[ignoresCaseOfVariables ? name.toUpperCase() : name]]),
  );
  const cwd = server.cwd === null ? root : resolve(context.base, server.cwd);
  const { env, withheld } = cleanedEnvironment(inherited, untrustedFolders(context), cwd);
  const python = withheldPython(server, root, context);
  const isNew = python !== undefined && !withheld.some(({ folder }) => isInside(folder, python));
  const also = isNew ? [{ variable: null, folder: python }] : [];
  return { env: { ...env, ...server.env }, withheld: [...withheld, ...also] };
}

/**
 * PATH with the folder of a program that was found in the user's own folders besides PATH: a server starts tools that
 * were installed with it (`elm-format`, `cargo`). Other folders, such as those of shims, are not added.
 */
export function pathWithTools(
  path: string | undefined,
  program: string,
  { serversFolder, toolFolders = [] }: ProgramFolders,
): string | undefined {
  if (path === undefined) return undefined;
  const isManaged = serversFolder !== undefined && isInside(program, serversFolder);
  const target = isManaged ? linkTarget(program) : program;
  const tools = resolve(dirname(program), dirname(target));
  const isOurs = isManaged || toolFolders.includes(dirname(program));
  return !isOurs || path.split(delimiter).includes(tools) ? path : [path, tools].join(delimiter);
}

function linkTarget(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return path;
  }
}
