/**
 * Decides which folders of a run are trusted. Programs inside untrusted folders are not started. The repository around
 * an untrusted workspace is untrusted too: package managers put `node_modules/.bin` of every parent folder into PATH.
 */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Plan } from "../abi/plan.js";
import { realPath } from "../base/disk.js";
import { homeOf } from "../base/home.js";
import { sortedSet } from "../base/order.js";
import { isInside } from "../base/paths.js";
import { here, type Platform } from "../base/platform.js";
import type { ProgramContext } from "../lsp/process/program.js";
import { isTrusted } from "../lsp/process/trusted.js";
import { VERSION_CONTROL_FOLDERS } from "../workspace/skipped-folders.js";
import type { Io } from "./command.js";
import { programFolders } from "./program-folders.js";

type IsTrusted = (folder: string) => boolean;

/** Real paths of untrusted folders and of what surrounds them, up to a trusted folder or the user's home. */
export function untrustedAround(folders: readonly string[], io: Pick<Io, "env">, hasTrust: IsTrusted) {
  const home = realPath(homeOf(io.env));
  const untrusted = folders.map(realPath).filter((folder) => !isInside(home, folder));
  return sortedSet(untrusted.flatMap((folder) => [folder, ...surroundings(folder, home, hasTrust)]));
}

/** The outermost repository around a folder, and each `node_modules` above it. */
function surroundings(folder: string, home: string, hasTrust: IsTrusted): string[] {
  const found: string[] = [];
  let repository: string | undefined;
  for (let above = dirname(folder); ; above = dirname(above)) {
    // The home and the file system's root are not part of any repository.
    if (above === home || above === dirname(above) || hasTrust(above)) break;
    if ([...VERSION_CONTROL_FOLDERS].some((mark) => existsSync(join(above, mark)))) repository = above;
    if (existsSync(join(above, "node_modules"))) found.push(realPath(join(above, "node_modules")));
  }
  return repository === undefined ? found : [repository, ...found];
}

/** Which folders of a run are trusted. */
export interface FolderTrust {
  /** Real paths of trusted folders. */
  trusted: string[];
  /** Their folders of programs: `node_modules/.bin` and that of a virtual environment. */
  binFolders: string[];
  /** Real paths of folders whose programs are not started. */
  avoid: string[];
}

/** Judges each folder separately: `places` may be trusted; of `read`, what is inside no trusted place is untrusted. */
export function folderTrust(
  places: readonly string[],
  read: readonly string[],
  io: Pick<Io, "env">,
  { isTrustedFolder, trustsAll }: { isTrustedFolder: IsTrusted; trustsAll: boolean },
): FolderTrust {
  const known = [...new Set(places)].filter((place) => trustsAll || isTrustedFolder(place));
  const trusted = sortedSet(known.map(realPath));
  const untrusted = read.filter((folder) => !isTrusted(realPath(folder), trusted));
  return {
    trusted,
    binFolders: known.flatMap((place) => projectBins(place)),
    avoid: untrustedAround(untrusted, io, isTrustedFolder),
  };
}

/** The folders in which a project has programs of its own. */
export function projectBins(folder: string, { pythonScripts }: Platform = here): string[] {
  return [
    join(folder, "node_modules", ".bin"),
    ...[".venv", "venv"].map((name) => join(folder, name, pythonScripts)),
  ];
}

/** Where the programs of a plan are searched for, as the runtime does it. */
export function programContext(plan: Plan, base: string, trust: FolderTrust, io: Io): ProgramContext {
  const { trusted, binFolders, avoid } = trust;
  const roots = plan.workspace.roots.map((root) => realPath(resolve(base, root)));
  return { roots, base, trusted, binFolders, avoid, env: io.env, ...programFolders(io) };
}
