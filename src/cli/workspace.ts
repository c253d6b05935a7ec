/** Which workspace a command line is about. */
import { resolve } from "node:path";
import { realPath } from "../base/disk.js";
import { homeOf } from "../base/home.js";
import { isInside } from "../base/paths.js";
import { folderWithConfig } from "../config/project-folders.js";
import { trustFile } from "../config/state-folder.js";
import { recordedFolders } from "../config/trust/recorded-folders.js";
import type { Input, Surroundings } from "./command.js";

/**
 * The workspace: the one that is named, or the nearest folder of the project that has a config, or the current folder.
 */
export function workspaceOf(input: Input, io: Surroundings): string {
  const named = input.text("workspace");
  if (named !== undefined) return resolve(io.cwd, named);
  const isConfigNamed = input.config !== undefined || input.text("config") !== undefined;
  if (isConfigNamed) return io.cwd;
  const home = homeOf(io.env);
  return folderWithConfig(io.cwd, home, () => recordedFolders(trustFile(io.env, home)));
}

/**
 * Whether the client must say which project it works in:
 * the command line names none, and the current folder is in none.
 */
export function isOutsideProjects(input: Input, io: Surroundings): boolean {
  const isNamed = ["workspace", "config", "bundle"].some((flag) => input.text(flag) !== undefined);
  if (isNamed || input.config !== undefined || io.env.LSPI_CONFIG_PATH) return false;
  const home = homeOf(io.env);
  return isInside(realPath(home), io.cwd);
}
