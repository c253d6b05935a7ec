/**
 * Where a file that a command writes really is. A path that enters the workspace must not leave it again by a link.
 * Otherwise a repository could use a link to choose which of the user's files is overwritten.
 */
import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { realPath } from "../../base/disk.js";
import { isInside } from "../../base/paths.js";
import type { ConfigError } from "../../base/problem.js";
import { systemCode } from "../../base/system.js";
import { configError, type Input, type Surroundings } from "../command.js";
import { workspaceOf } from "../workspace.js";

/** The workspace and the current folder: a path that enters one of them must not leave it again by a link. */
export function guardedFolders(input: Input, io: Surroundings): string[] {
  return [workspaceOf(input, io), io.cwd];
}

/**
 * The real path of a file, also of one that does not exist yet.
 * Throws a ConfigError when a link leads out of `guarded`.
 */
export function guardedTarget(file: string, guarded: readonly string[]): string {
  const target = writeTarget(file);
  for (const folder of guarded) {
    const real = realPath(folder);
    // By whatever name the path gets there: through a link of the user as well.
    const enters = parentFolders(file).some((path) => isInside(realPath(path), real));
    if (enters && !isInside(target, real))
      throw notWritable(file, `a link leads out of \`${folder}\`, to \`${target}\``);
  }
  return target;
}

/** The folders on the way to a file. */
function parentFolders(file: string): string[] {
  const above = dirname(file);
  return above === file ? [file] : [...parentFolders(above), above];
}

/**
 * The real path of a file, also of one that does not exist yet. A write through a dangling link creates what it leads
 * to: it is followed here, while `realPathOf` of the gate refuses it.
 */
export function writeTarget(file: string, hops = 0): string {
  try {
    return realpathSync.native(file);
  } catch (error) {
    if (systemCode(error) !== "ENOENT" || hops > 8) throw error;
  }
  const link = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(file) : undefined;
  if (link !== undefined) return writeTarget(resolve(writeTarget(dirname(file), hops + 1), link), hops + 1);
  const folder = dirname(file);
  return folder === file ? file : join(writeTarget(folder, hops), basename(file));
}

export function notWritable(file: string, why: string): ConfigError {
  return configError("cli/not-writable", `\`${file}\` cannot be written: ${why}`);
}
