/** Counts the files of each kind in a workspace, to choose its language servers. */

import { PROTECTED_CONFIG_NAME } from "../base/config-names.js";
import type { GitUser } from "./git-ignore.js";
import { type Walked, type WalkedFiles, walk, walkInTurns } from "./walk.js";

/** How many files of each kind a workspace has. When the walk was cut, all numbers are lower bounds. */
export interface WorkspaceScan extends Walked {
  /** Lower-case extension without the dot → number of files. */
  extensions: ReadonlyMap<string, number>;
  /** File name → number of files. */
  filenames: ReadonlyMap<string, number>;
}

/** Counts the files of a workspace, without blocking the event loop for long. */
export async function scanWorkspace(root: string, files: WalkedFiles, user: GitUser): Promise<WorkspaceScan> {
  const counts = new Counts();
  const walked = await walkInTurns(walk(root, files, user), (path) => {
    counts.add(path);
    return false;
  });
  return { ...counts, ...walked };
}

class Counts {
  readonly extensions = new Map<string, number>();
  readonly filenames = new Map<string, number>();

  add(path: string): void {
    // Our own config is no reason for a server.
    if (path.split("/").some((part) => PROTECTED_CONFIG_NAME.test(part.toLowerCase()))) return;
    const name = path.slice(path.lastIndexOf("/") + 1);
    this.filenames.set(name, (this.filenames.get(name) ?? 0) + 1);
    const dot = name.lastIndexOf(".");
    if (dot < 0 || dot === name.length - 1) return;
    const extension = name.slice(dot + 1).toLowerCase();
    this.extensions.set(extension, (this.extensions.get(extension) ?? 0) + 1);
  }
}
