/** The ways to install a server on this system, in the order they are tried, and how they read for people. */

import { here, type Platform } from "../../base/platform.js";
import type { InstallConfig } from "../../config/schema/install.js";
import { findCommand } from "../../lsp/process/search.js";

/** The ways that install into our own folder. */
export type ManagedKey = "rustup" | "archive" | "npm" | "pip" | "gem" | "dotnet" | "go" | "cargo";

type SystemKey = keyof NonNullable<InstallConfig["system"]>;

/** Into our own folder; by a command that changes the system or the user's environment; or by hand. */
export type Way =
  | { kind: "managed"; by: ManagedKey }
  | { kind: "command"; words: string[]; advice?: string }
  | { kind: "see"; page: string };

/** What decides which ways are possible. */
export interface System {
  os: Platform["os"];
  cpu: string;
  isRoot: boolean;
  /** Whether a program is installed. */
  has(program: string): boolean;
}

export function systemOf(path: string | undefined, avoid: readonly string[] = []): System {
  return {
    os: here.os,
    cpu: process.arch,
    isRoot: process.getuid?.() === 0,
    has: (program) => findCommand(program, [], path, avoid) !== undefined,
  };
}

/** The programs of which one must be installed, by way. Archives need none. */
const managerPrograms: { readonly [by in ManagedKey]: readonly string[] } = {
  rustup: ["rustup"],
  archive: [],
  npm: ["npm"],
  pip: ["uv", "python3", "python"],
  gem: ["gem"],
  dotnet: ["dotnet"],
  go: ["go"],
  cargo: ["cargo"],
};

interface SystemManager {
  words: readonly string[];
  /** Whether it changes the whole system, which only root may do. */
  root?: true;
  advice?: string;
}

const systemManagers: { readonly [name in SystemKey]: SystemManager } = {
  apt: {
    words: ["apt-get", "install", "-y"],
    root: true,
    advice: "If the package was not found, `apt-get update` refreshes the lists.",
  },
  dnf: { words: ["dnf", "install", "-y"], root: true },
  pacman: { words: ["pacman", "-S", "--noconfirm"], root: true },
  zypper: { words: ["zypper", "--non-interactive", "install"], root: true },
  apk: { words: ["apk", "add"], root: true },
  brew: { words: ["brew", "install"] },
  winget: { words: ["winget", "install", "--accept-package-agreements", "--accept-source-agreements"] },
  scoop: { words: ["scoop", "install"] },
  guix: { words: ["guix", "install"] },
  nix: { words: ["nix", "profile", "install"] },
  "xcode-select": { words: ["xcode-select"] },
};

const managedKeys = Object.keys(managerPrograms) as ManagedKey[];

/** The ways that this system can go, the preferred one first. */
export function waysFor(install: InstallConfig, system: System): Way[] {
  const managed = managedKeys.filter((by) => isPossible(by, install, system));
  const { system: packages = {}, line, see } = install;
  const commands = Object.entries(systemManagers).flatMap(([name, manager]): Way[] => {
    const [program = ""] = manager.words;
    const own = packages[name as SystemKey];
    if (own === undefined || !system.has(program)) return [];
    const sudo = manager.root && !system.isRoot ? ["sudo"] : [];
    const { advice } = manager;
    return [
      {
        kind: "command",
        words: [...sudo, ...manager.words, ...own],
        ...(advice === undefined ? {} : { advice }),
      },
    ];
  });
  const words = line === undefined ? [] : wordsOf(line);
  return [
    ...managed.map((by): Way => ({ kind: "managed", by })),
    ...commands,
    ...(words[0] !== undefined && system.has(words[0]) ? [{ kind: "command" as const, words }] : []),
    ...(see === undefined ? [] : [{ kind: "see" as const, page: see }]),
  ];
}

function isPossible(by: ManagedKey, install: InstallConfig, system: System): boolean {
  if (install[by] === undefined) return false;
  if (by === "archive") return archiveFor(install, system) !== undefined;
  return managerPrograms[by].some((program) => system.has(program));
}

/** The archive for this system and processor. */
export function archiveFor({ archive = [] }: InstallConfig, { os, cpu }: Pick<System, "os" | "cpu">) {
  return archive.find((entry) => entry.os === os && entry.cpu === cpu);
}

/** The words of a line, without a shell. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? "",
  );
}

/** A command as a person would type it. */
export function typed(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./#-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

/** All ways of a preset in short, for people: `npm pyright; brew pyright`. */
export function waysText(install: InstallConfig): string {
  const { system = {}, line, see, archive, go, dotnet, rustup, cargo, npm, pip, gem } = install;
  const crates = cargo && [...cargo.crates, ...(cargo.git ? [cargo.git] : [])];
  const lists = { rustup, npm, pip, gem, dotnet, go, cargo: crates, ...system };
  const named = Object.entries(lists).flatMap(([name, packages]) =>
    packages === undefined ? [] : [`${name} ${[packages].flat().join(" ")}`],
  );
  return [
    ...(archive ? ["a download"] : []),
    ...named,
    ...(line === undefined ? [] : [line]),
    ...(see === undefined ? [] : [`see ${see}`]),
  ].join("; ");
}

/** What must be installed first, where no way is possible. */
export function missingManagers(install: InstallConfig): string[] {
  const managed = managedKeys.filter((by) => install[by] !== undefined && by !== "archive");
  const [first] = install.line === undefined ? [] : wordsOf(install.line);
  return [...managed.map((by) => managerPrograms[by][0] ?? by), ...(first === undefined ? [] : [first])];
}

/**
 * What to do about a server that is not installed: our own command, which also shows a page where there is only that.
 */
export function installCommand({ id }: { id: string }): string {
  return `lsp-proxy install ${id}`;
}
