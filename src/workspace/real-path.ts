/**
 * Real paths: every symlink resolved, also on the way to a file that does not exist yet. What the file system itself
 * says is the only truth about where a path leads. One path is looked at on the spot: that takes microseconds, and
 * having it done elsewhere takes a hundred times as long.
 */
import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { entryFacts as lookAt } from "../base/facts.js";
import { Refusal } from "../base/problem.js";

/** The real path of a file, or, for one that does not exist, of its nearest existing parent with the rest appended. */
export function realPathOf(path: string): string {
  const rest: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      const real = realpathSync.native(current);
      return rest.length === 0 ? real : join(real, ...rest);
    } catch (cause) {
      if (errorCode(cause) !== "ENOENT" || dirname(current) === current) throw notAFile(cause);
      // A name that exists while its target does not is a dangling symlink: nobody can say where it leads.
      if (entryFacts(current) !== undefined) throw notAFile(cause);
      rest.unshift(basename(current));
    }
  }
}

/** Whether a name leads to one spelling of itself only: elsewhere the system alone knows how a file is really called. */
const isExact = sep === "/" && process.platform !== "darwin";

/** Follows the paths of one call: each folder once, and each file by one look at it. */
export class Follower {
  /** Where a folder really lies, with a separator behind it. */
  readonly #folders = new Map<string, string>();

  /** The same as `realPathOf`. */
  follow(path: string): string {
    const name = basename(path);
    const folder = isExact && name !== "" && !path.endsWith(sep) ? this.#folder(dirname(path)) : undefined;
    if (folder === undefined) return realPathOf(path);
    const real = `${folder}${name}`;
    const facts = lookAt(real);
    if (facts === undefined || facts.isSymbolicLink()) return realPathOf(path);
    return real;
  }

  #folder(path: string): string | undefined {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    try {
      const real = realpathSync.native(path);
      const prefix = real.endsWith(sep) ? real : `${real}${sep}`;
      this.#folders.set(path, prefix);
      return prefix;
    } catch {
      return undefined;
    }
  }
}

/** The facts of what stands at a path, or undefined when nothing does. Nothing is opened. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw notAFile(cause);
  }
}

/** The same of the name itself: of a link, not of what it leads to. */
export function entryFacts(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw notAFile(cause);
  }
}

function errorCode(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}

function notAFile(cause: unknown): Refusal {
  return new Refusal("guard/not-a-file", "The path does not lead to a readable file.", { cause });
}
