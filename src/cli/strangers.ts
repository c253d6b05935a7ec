/**
 * Folders whose programs do not count: what nobody trusts. A workspace may be a part of a repository, and package managers
 * put `node_modules/.bin` of every folder above into PATH, so what stands around it is as strange as itself.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { sortedSet } from "../base/order.js";
import { isInside } from "../base/paths.js";
import { isTrusted, realOf } from "../lsp/process/trusted.js";
import type { Surroundings } from "./command.js";

const REPOSITORY_MARKS = [".git", ".hg", ".jj", ".svn"];

/**
 * The folders themselves and what stands around them, by real path; what lies in a trusted folder around them counts, and so
 * does the home, which is the user's own.
 */
export function strangersAround(
  folders: readonly string[],
  { env }: Pick<Surroundings, "env">,
  isTrusted: (folder: string) => boolean,
): string[] {
  const home = realOf(env.HOME || homedir());
  const strange = folders.map(realOf).filter((folder) => !isInside(folder, home));
  return sortedSet(strange.flatMap((folder) => [folder, ...around(folder, home, isTrusted)]));
}

/** The outermost repository around a folder, and each `node_modules` above it. The home and what is above it is the user's. */
function around(folder: string, home: string, isTrusted: (folder: string) => boolean): string[] {
  const found: string[] = [];
  let repository: string | undefined;
  for (let above = dirname(folder); ; above = dirname(above)) {
    // The system's own top is nobody's repository.
    if (above === home || above === dirname(above) || isTrusted(above)) break;
    if (REPOSITORY_MARKS.some((mark) => existsSync(join(above, mark)))) repository = above;
    if (existsSync(join(above, "node_modules"))) found.push(realOf(join(above, "node_modules")));
  }
  return repository === undefined ? found : [repository, ...found];
}

/** Where a run works, and what of it is trusted. */
export interface Trusting {
  /** Real paths of what the user trusts of it. */
  trusted: string[];
  /** Their folders of node programs. */
  binFolders: string[];
  /** Real paths of folders whose programs do not count. */
  avoid: string[];
}

/**
 * Judges each folder that a run works in for itself. `places` may be trusted, `read` is what servers read and run in; what of
 * it lies in no trusted place is a stranger's.
 */
export function trustingOf(
  places: readonly string[],
  read: readonly string[],
  io: Pick<Surroundings, "env">,
  { isTrustedFolder, trustsAll }: { isTrustedFolder: (folder: string) => boolean; trustsAll: boolean },
): Trusting {
  const known = [...new Set(places)].filter((place) => trustsAll || isTrustedFolder(place));
  const trusted = sortedSet(known.map(realOf));
  const strange = read.filter((folder) => !isTrusted(realOf(folder), trusted));
  return {
    trusted,
    binFolders: known.map((folder) => join(folder, "node_modules", ".bin")),
    avoid: strangersAround(strange, io, isTrustedFolder),
  };
}
