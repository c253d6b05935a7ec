/**
 * The differences between the operating systems. No other module asks which one it runs on. Code that depends on a
 * difference takes a platform, by default the running one, so that tests exercise those of macOS and Windows
 * everywhere.
 */

/** How the processes of the system are listed: from `/proc`, with `ps`, or not at all. */
type ProcessList = "proc" | "ps" | "none";

export interface Platform {
  /** Node's name of it. */
  name: string;
  /** The name of it in configs. */
  os: "linux" | "macos" | "windows";
  /** One watch covers a whole tree. Elsewhere a folder needs one of its own. */
  hasRecursiveWatch: boolean;
  /** Paths begin with a drive or with `\\server\share`, and have backslashes. */
  hasDrives: boolean;
  /** A file is found by a name in other letter case, and keeps the name that it has. */
  ignoresCase: boolean;
  /** `/proc` has the open files and the limits of this process. */
  hasProc: boolean;
  processList: ProcessList;
  /**
   * A signal can be sent to a process with everything that it started; a shell can do that when this process is gone.
   */
  hasProcessGroups: boolean;
  /** `prlimit` sets limits, and namespaces confine a program. */
  hasLimits: boolean;
  /** Folders can be opened and flushed like files. */
  opensFolders: boolean;
  /** Files have an owner and a mode that say who may use them. */
  hasModes: boolean;
  /** A hard link of a symbolic link is one of the link, not of its target. */
  linksLinks: boolean;
  /** Arguments of `/bin/cp` that copy extended attributes and access lists, which Node cannot. */
  copyArguments: readonly string[] | undefined;
  /** `cp` may be one that does not know these arguments. */
  isCopyUncertain: boolean;
  /** Local sockets are files. On Windows they are pipes, which have names of their own outside of all folders. */
  hasSocketFiles: boolean;
  /** How the file of a program ends, in the usual order in which they are looked for. */
  programEndings: readonly string[];
  /** The folder of the programs of a Python environment. */
  scripts: string;
  /** Where a Python environment has Python, with forward slashes. */
  pythons: readonly string[];
  /** A script is started only through what runs it: `cmd` or Node. Commands that npm installed are scripts. */
  needsShell: boolean;
  /** Names of environment variables have no letter case. */
  ignoresCaseOfVariables: boolean;
  /** The variable that names the folder for data of programs. */
  dataVariable: string | undefined;
  /** The command that opens a file as the user's desktop does, and the variables that tell of a desktop. */
  opener: readonly string[];
  displayVariables: readonly string[];
}

const linux: Platform = {
  name: "linux",
  os: "linux",
  hasRecursiveWatch: false,
  hasDrives: false,
  ignoresCase: false,
  hasProc: true,
  processList: "proc",
  hasProcessGroups: true,
  hasLimits: true,
  opensFolders: true,
  hasModes: true,
  linksLinks: true,
  copyArguments: ["--attributes-only", "--preserve=mode,xattr", "--"],
  isCopyUncertain: true,
  hasSocketFiles: true,
  programEndings: [""],
  scripts: "bin",
  pythons: ["bin/python"],
  needsShell: false,
  ignoresCaseOfVariables: false,
  dataVariable: undefined,
  opener: ["xdg-open"],
  displayVariables: ["DISPLAY", "WAYLAND_DISPLAY"],
};

const darwin: Platform = {
  ...linux,
  name: "darwin",
  os: "macos",
  hasRecursiveWatch: true,
  ignoresCase: true,
  hasProc: false,
  processList: "ps",
  hasLimits: false,
  linksLinks: false,
  // This also copies the content, which is overwritten afterwards.
  copyArguments: ["-p", "--"],
  isCopyUncertain: false,
  opener: ["open"],
  displayVariables: [],
};

const win32: Platform = {
  ...darwin,
  name: "win32",
  os: "windows",
  hasDrives: true,
  processList: "none",
  hasProcessGroups: false,
  opensFolders: false,
  hasModes: false,
  copyArguments: undefined,
  hasSocketFiles: false,
  programEndings: [".com", ".exe", ".bat", ".cmd"],
  scripts: "Scripts",
  pythons: ["Scripts/python.exe", "python.exe"],
  needsShell: true,
  ignoresCaseOfVariables: true,
  dataVariable: "LOCALAPPDATA",
  opener: ["cmd", "/c", "start", ""],
};

export const platforms = { linux, darwin, win32 };

/** Other Unixes are like macOS, with names that differ by letter case. */
function platformNamed(name: string): Platform {
  const known: { [name: string]: Platform } = platforms;
  return known[name] ?? { ...darwin, name, os: "linux", ignoresCase: false, copyArguments: undefined };
}

/** The one that this process runs on. */
export const here = platformNamed(process.platform);

/** An environment in which every variable is found by its usual name, also in a copy: Windows may have `Path`. */
export function environmentOf<Env extends { [name: string]: string | undefined }>(env: Env, platform = here) {
  if (!platform.ignoresCaseOfVariables) return env;
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]));
}
