/**
 * The differences between operating systems. No other module reads which system it runs on: code that depends on a
 * difference gets a platform as a parameter, by default the running one. So tests run the code for macOS and Windows
 * on any system.
 */

/** How the processes of the system are listed: from `/proc`, with `ps`, or not at all. */
type ProcessList = "proc" | "ps" | "none";

export interface Platform {
  /** Its name in `process.platform`. */
  name: string;
  /** Its name in configs. */
  os: "linux" | "macos" | "windows";
  /** One watch covers a whole tree. Without this, each folder needs a watch. */
  hasRecursiveWatch: boolean;
  /** Paths begin with a drive or with `\\server\share`, and have backslashes. */
  hasDrives: boolean;
  /** File names ignore case; the existing spelling is kept. */
  ignoresCase: boolean;
  /** `/proc` has the open files and the limits of this process. */
  hasProc: boolean;
  processList: ProcessList;
  /**
   * A signal can be sent to a process with everything that it started; a shell can do that when this process is gone.
   */
  hasProcessGroups: boolean;
  /** `prlimit` sets limits, and namespaces confine a program. */
  canConfine: boolean;
  /** Folders can be opened, and flushed with `fsync`. */
  opensFolders: boolean;
  /** Files have an owner and a mode that say who may use them. */
  hasModes: boolean;
  /** A hard link to a symbolic link is another name of the link, not of its target. */
  hardLinksSymlinks: boolean;
  /** Arguments of `/bin/cp` that copy extended attributes and access lists, which Node cannot. */
  copyArguments: readonly string[] | undefined;
  /** `cp` may be an implementation that does not know these arguments. */
  isCopyUncertain: boolean;
  /** Local sockets are files. On Windows they are named pipes, which are in no folder. */
  hasSocketFiles: boolean;
  /** The extensions of program files, in the order of the search. */
  programEndings: readonly string[];
  /** The folder of a Python environment that holds its programs. */
  pythonScripts: string;
  /** Paths of Python in a Python environment, with forward slashes. */
  pythonPrograms: readonly string[];
  /** A script is started only through what runs it: `cmd` or Node. Commands that npm installed are scripts. */
  needsShell: boolean;
  /** Names of environment variables are compared without letter case. */
  ignoresCaseOfVariables: boolean;
  /** The variable that names the folder for data of programs. */
  dataVariable: string | undefined;
  /** The command that opens a file as the user's desktop does, and the variables that are set where there is a desktop. */
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
  canConfine: true,
  opensFolders: true,
  hasModes: true,
  hardLinksSymlinks: true,
  copyArguments: ["--attributes-only", "--preserve=mode,xattr", "--"],
  isCopyUncertain: true,
  hasSocketFiles: true,
  programEndings: [""],
  pythonScripts: "bin",
  pythonPrograms: ["bin/python"],
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
  canConfine: false,
  hardLinksSymlinks: false,
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
  pythonScripts: "Scripts",
  pythonPrograms: ["Scripts/python.exe", "python.exe"],
  needsShell: true,
  ignoresCaseOfVariables: true,
  dataVariable: "LOCALAPPDATA",
  opener: ["cmd", "/c", "start", ""],
};

export const platforms = { linux, darwin, win32 };

/** Other Unixes are like macOS, with names that differ by letter case. */
export function platformNamed(name: string): Platform {
  const known: { [name: string]: Platform } = platforms;
  // Node emulates a recursive watch there, with a watch for every file.
  const others = { hasRecursiveWatch: false, ignoresCase: false, copyArguments: undefined };
  return known[name] ?? { ...darwin, name, os: "linux", ...others };
}

/** The platform that this process runs on. */
export const here = platformNamed(process.platform);

/** A copy in which every variable is found by its upper-case name: Windows may have `Path`. Unchanged elsewhere. */
export function environmentOf<Env extends { [name: string]: string | undefined }>(env: Env, platform = here) {
  if (!platform.ignoresCaseOfVariables) return env;
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name.toUpperCase(), value]));
}
