/**
 * Real paths: every symlink resolved, also on the way to a file that does not exist yet. What the file system itself
 * says is the only truth about where a path leads. One path is looked at on the spot: that takes microseconds, and
 * having it done elsewhere takes a hundred times as long.
 */
import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Refusal } from "../base/problem.js";

/** The real path of a file, or, for one that does not exist, of its nearest existing parent with the rest appended. */
export async function realPathOf(path: string): Promise<string> {
  const rest: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      return join(realpathSync.native(current), ...rest);
    } catch (cause) {
      if (errorCode(cause) !== "ENOENT" || dirname(current) === current) throw notAFile(cause);
      // A name that exists while its target does not is a dangling symlink: nobody can say where it leads.
      if (entryFacts(current) !== undefined) throw notAFile(cause);
      rest.unshift(basename(current));
    }
  }
}

/** The facts of what stands at a path, or undefined when nothing does. Nothing is opened. */
export async function statOf(path: string): Promise<Stats | undefined> {
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
