/**
 * Real paths: every symbolic link resolved, also on the way to a file that does not exist yet. Synchronous, because one
 * path takes microseconds, and a hundred times as long in another thread.
 */
import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { entryFacts } from "../base/file-stamp.js";
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
      // A name that exists while its target does not is a dangling link: where it leads is unknown.
      if (linkStatOf(current) !== undefined) throw notAFile(cause);
      rest.unshift(basename(current));
    }
  }
}

/** Whether a file has one spelling only. Case-insensitive systems must be asked for the real one. */
const isCaseSensitive = sep === "/" && process.platform !== "darwin";

/** Resolves the real paths of one call: each folder once, and each file with one stat. */
export class RealPaths {
  /** The real path of a folder, with a separator at its end. */
  readonly #folders = new Map<string, string>();

  /** The same as `realPathOf`. */
  of(path: string): string {
    const name = basename(path);
    const isPlain = isCaseSensitive && name !== "" && !path.endsWith(sep);
    const folder = isPlain ? this.#folder(dirname(path)) : undefined;
    if (folder === undefined) return realPathOf(path);
    const real = `${folder}${name}`;
    const facts = entryFacts(real);
    return facts === undefined || facts.isSymbolicLink() ? realPathOf(path) : real;
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

/** The stat result of what a path leads to; undefined when it does not exist, a Refusal when it cannot be read. */
export function statOf(path: string): Stats | undefined {
  return statOrRefuse(() => statSync(path));
}

/** The same for the entry itself: for a link, not for what it leads to. */
export function linkStatOf(path: string): Stats | undefined {
  return statOrRefuse(() => lstatSync(path));
}

function statOrRefuse(stat: () => Stats): Stats | undefined {
  try {
    return stat();
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
