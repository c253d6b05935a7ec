/**
 * The folders in which the config and the trust of a project are looked for: a folder and those above it, up to the
 * root of its git repository. Nothing above the repository counts, nor the user's home or what is above that.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { CONFIG_NAMES } from "../base/config-names.js";
import { realPath } from "../base/disk.js";
import { lstatOf } from "../base/file-stamp.js";
import { readRegularFile } from "../base/guarded-open.js";
import { isInside } from "../base/paths.js";

interface ProjectFolders {
  /** The folder itself first. */
  folders: string[];
  /** The root of the repository, if there is one. */
  root: string | undefined;
}

/** The project around a folder. Both paths are real ones. */
export function projectFolders(folder: string, home: string): ProjectFolders {
  const folders: string[] = [];
  for (let at = folder; at === folder || !isOuter(at, home); at = dirname(at)) {
    folders.push(at);
    // A repository has a folder of this name; a worktree and a submodule have a file.
    if (lstatOf(join(at, ".git"))) return { folders, root: at };
    if (at === dirname(at)) break;
  }
  return { folders, root: undefined };
}

function isOuter(folder: string, home: string): boolean {
  return isInside(home, folder) || folder === dirname(folder);
}

/**
 * The nearest folder of the project that has a config; the folder itself where none has. The real paths of trusted
 * folders are asked for only where neither a repository nor the home bounds the project.
 */
export function folderWithConfig(
  folder: string,
  home: string,
  trustedFolders: () => readonly string[] = () => [],
): string {
  const hasConfig = (at: string) => CONFIG_NAMES.some((name) => existsSync(join(at, name)));
  if (hasConfig(folder)) return folder;
  const real = realPath(folder);
  const realHome = realPath(home);
  const { folders, root } = projectFolders(real, realHome);
  const isBounded = root !== undefined || isInside(real, realHome);
  if (isBounded) return folders.find(hasConfig) ?? folder;
  // In a shared folder such as /tmp, what others put above the folder is not its project, unless the user trusts it.
  const trusted = trustedFolders();
  const end = folders.findLastIndex((at) => trusted.includes(at)) + 1;
  return folders.slice(0, end).find(hasConfig) ?? folder;
}

/** A line of git that names a path takes less. */
const MAX_LINK_BYTES = 8192;

/**
 * The main working tree of a git worktree, given by its real path. Both must name each other: the `.git` file of the
 * worktree alone could come from an untrusted source.
 */
export function mainWorkingTree(worktree: string): string | undefined {
  const mark = join(worktree, ".git");
  const named = pathIn(mark, /^gitdir: (.+)$/);
  if (named === undefined) return undefined;
  const entry = realPath(named);
  const common = dirname(dirname(entry));
  if (basename(dirname(entry)) !== "worktrees" || basename(common) !== ".git") return undefined;
  const back = pathIn(join(entry, "gitdir"), /^(.+)$/);
  return back !== undefined && realPath(back) === mark ? dirname(common) : undefined;
}

/** The path in a file of git that has one line. A relative one starts from the file's folder. */
function pathIn(file: string, line: RegExp): string | undefined {
  try {
    const text = readRegularFile(file, MAX_LINK_BYTES)?.bytes.toString("utf8").trimEnd();
    const path = line.exec(text ?? "")?.[1];
    return path === undefined ? undefined : resolve(dirname(file), path);
  } catch {
    return undefined;
  }
}
