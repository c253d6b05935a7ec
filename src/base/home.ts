/**
 * The user's home, and the folders that environment variables name. A relative one is ignored, as the XDG specification
 * says: it would be a folder of whatever repository the program is started in.
 */
import { homedir, tmpdir, userInfo } from "node:os";
import { posix, win32 } from "node:path";
import { here, type Platform } from "./platform.js";

export type Environment = { readonly [name: string]: string | undefined };

/** The system knows no home for this user. */
export class NoHome extends Error {
  constructor() {
    super("this user has no home folder; set HOME to an absolute path");
  }
}

/** The user's home. Throws a NoHome where there is none. */
export function homeOf(env: Environment): string {
  const home = knownHome(env);
  if (home === undefined) throw new NoHome();
  return home;
}

/** HOME; what the system has for the user where that is not absolute. */
export function knownHome(env: Environment): string | undefined {
  // `homedir` returns the HOME of this process even if it is empty or relative.
  return folderNamedBy(env, "HOME") ?? absolute(homedir) ?? absolute(() => userInfo().homedir);
}

/** The folder for temporary files. */
export function temporaryFolder(env: Environment): string {
  return folderNamedBy(env, "TMPDIR") ?? absolute(tmpdir) ?? "/tmp";
}

/** The folder that a variable names; undefined where that is not an absolute path. */
export function folderNamedBy(env: Environment, variable: string, platform = here): string | undefined {
  return absolute(() => env[variable], platform);
}

/** The system throws where it has no entry for the user. */
function absolute(find: () => string | undefined, { hasDrives }: Platform = here): string | undefined {
  try {
    const path = find() ?? "";
    return (hasDrives ? win32 : posix).isAbsolute(path) ? path : undefined;
  } catch {
    return undefined;
  }
}
