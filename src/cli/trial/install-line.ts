/** How a server is installed on this system, as the catalogue says it. */
import type { PresetFacts } from "../../config/catalogue/preset-index.js";
import { findCommand } from "../../lsp/process/program.js";

const systems: { readonly [platform: string]: "linux" | "macos" | "windows" } = {
  linux: "linux",
  darwin: "macos",
  win32: "windows",
};

/** Package managers of a whole system, which only root may use. */
const FOR_ROOT: ReadonlySet<string> = new Set(["apt", "apt-get", "dnf", "pacman", "zypper", "apk"]);

/** What the line depends on besides the preset. */
export interface System {
  platform: string;
  /** Whether a program is here: a line of another distribution's package manager is of no use. */
  has(program: string): boolean;
  isRoot: boolean;
}

const thisSystem: System = {
  platform: process.platform,
  has: (program) => findCommand(program, [], process.env.PATH) !== undefined,
  isRoot: process.getuid?.() === 0,
};

/** The line for a system: its own where there is one that it can run, else the line for all. */
export function installLine(
  { install, install_on: lines }: Pick<PresetFacts, "install" | "install_on">,
  { platform, has, isRoot }: System = thisSystem,
): string {
  const system = systems[platform];
  const special = system && lines?.[system];
  const [manager = ""] = special?.split(" ") ?? [];
  if (special === undefined || (install !== undefined && !has(manager))) return install ?? "";
  return FOR_ROOT.has(manager) && !isRoot ? `sudo ${special}` : special;
}

/** Whether a line installs into the project that it is run in, and not for the user. */
export function installsIntoProject(words: readonly string[]): boolean {
  return words.includes("--save-dev");
}

/** The words of a line that can be run, or undefined where it only names a page. */
export function installWords(line: string): string[] | undefined {
  if (line === "" || line.startsWith("see ")) return undefined;
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
}
