/**
 * Where the program of a server is searched for: the trusted project's own, if it is recent enough; the servers that
 * `lsp-proxy install` installed; PATH; the folders where package managers put programs.
 */
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { namesIn } from "../../base/disk.js";
import { statOf } from "../../base/file-stamp.js";
import { sortBy, sortedSet } from "../../base/order.js";
import { here, type Platform } from "../../base/platform.js";
import { scriptTarget } from "./launcher-script.js";
import { isAtLeast, packageVersion } from "./package-version.js";
import { isInAny } from "./trusted.js";

/** Written last into the folder of an installed server. */
export const INSTALL_RECORD = "installed.json";

/** The folders of programs that are the user's own, besides PATH. */
export interface ProgramFolders {
  /** The folder of the servers that `lsp-proxy install` installed. */
  serversFolder?: string | undefined;
  /** Folders of package managers' programs that PATH may lack. */
  toolFolders?: readonly string[] | undefined;
}

interface ProgramSearch extends ProgramFolders {
  /** The trusted project's own folders of programs. */
  binFolders: readonly string[];
  /** The oldest version that works; older ones of the project are passed over. */
  minVersion: string | null | undefined;
  path: string | undefined;
  /** Real paths of folders whose programs are never used. */
  avoid: readonly string[];
}

/** The file of a program, or undefined when it is not installed. */
export function searchProgram(command: string, search: ProgramSearch): string | undefined {
  const { binFolders, minVersion, path, avoid, serversFolder, toolFolders = [] } = search;
  const own = binFolders.map((folder) => findCommand(command, [folder], undefined, avoid));
  return (
    own.find((program) => program !== undefined && isRecent(program, minVersion)) ??
    findCommand(command, managedBins(serversFolder), path, avoid) ??
    findCommand(command, toolFolders, undefined, avoid)
  );
}

/** Programs that belong to no node package are not judged. */
function isRecent(program: string, minVersion: string | null | undefined): boolean {
  if (minVersion === null || minVersion === undefined) return true;
  const version = packageVersion(program);
  return version === undefined || isAtLeast(version, minVersion);
}

/** The path of a command; undefined when it is not installed, or really inside one of the `avoid` folders. */
export function findCommand(
  command: string,
  folders: readonly string[],
  path: string | undefined,
  avoid: readonly string[] = [],
  platform: Platform = here,
  pathExt = process.env.PATHEXT,
): string | undefined {
  const isUsable = (file: string): boolean => isProgram(file) && !isInAny(file, avoid);
  const names = namesOf(command, platform, pathExt);
  // A script of npm for Windows stands for its target, as a link does elsewhere.
  const usable = (file: string): string | undefined => {
    if (!isUsable(file)) return undefined;
    const target = platform.needsShell ? scriptTarget(file) : undefined;
    return target !== undefined && isUsable(target) ? target : file;
  };
  const first = (files: readonly string[]) => files.map(usable).find((file) => file !== undefined);
  if (isAbsolute(command)) return first(names);
  if (command.includes("/") || command.includes("\\")) return undefined;
  for (const folder of [...folders, ...(path ?? "").split(delimiter)]) {
    if (folder === "" || !isAbsolute(folder)) continue;
    const found = first(names.map((name) => join(folder, name)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The names that the file of a command may have. The variable PATHEXT of Windows says which ending comes first. */
function namesOf(command: string, { programEndings }: Platform, pathExt = ""): string[] {
  const isWhole = programEndings.some((ending) => command.toLowerCase().endsWith(ending));
  if (isWhole) return [command];
  const first = pathExt.toLowerCase().split(";");
  const endings = new Set([...first.filter((ending) => programEndings.includes(ending)), ...programEndings]);
  return [...endings].map((ending) => `${command}${ending}`);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The `bin` folder of each installed server. */
function managedBins(serversFolder: string | undefined): string[] {
  if (serversFolder === undefined) return [];
  return finishedIn(serversFolder).flatMap((id) => {
    const [newest] = installedVersions(join(serversFolder, id));
    return newest === undefined ? [] : [join(newest, "bin")];
  });
}

/** The complete installations of one server, the latest first. */
export function installedVersions(folder: string): string[] {
  const complete = finishedIn(folder).flatMap((version) => {
    const stats = statOf(join(folder, version, INSTALL_RECORD));
    return stats === undefined ? [] : [{ path: join(folder, version), time: stats.mtimeMs }];
  });
  return sortBy(complete, ({ path, time }) => [-time, path]).map(({ path }) => path);
}

/** The sorted names in a folder, without those of unfinished work. */
function finishedIn(folder: string): string[] {
  return sortedSet(namesIn(folder).filter((name) => !name.startsWith(".")));
}
