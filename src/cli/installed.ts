/** Looks for the programs of the catalogue on this machine. A program is started only to ask for its version. */
import { spawnSync } from "node:child_process";
import type { PresetFacts } from "../config/preset-index.js";
import { findCommand } from "../lsp/program.js";
import { defaultEnv } from "../plan/defaults.js";

/** Where programs are looked for. */
export interface Here {
  /** Folders before those of PATH. */
  folders: readonly string[];
  /** Real paths of folders whose programs do not count: workspaces that nobody trusts. */
  avoid: readonly string[];
  env: { [name: string]: string | undefined };
}

/** Whether a preset's program is here and, where the preset asks, new enough. */
export function isInstalled(preset: PresetFacts, { folders, avoid, env }: Here): boolean {
  const command = typeof preset.command === "string" ? preset.command : preset.command?.[0];
  if (command === undefined) return false;
  const program = findCommand(command, folders, env.PATH, avoid);
  if (program === undefined) return false;
  if (preset.probe === undefined) return true;
  const printed = spawnSync(program, preset.probe.args, {
    encoding: "utf8",
    env: Object.fromEntries(defaultEnv.map((name) => [name, env[name]])),
    timeout: 10_000,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return printed.status === 0 && isAtLeast(printed.stdout, preset.probe.at_least);
}

/** Whether the first version number in a text is at least another one. */
export function isAtLeast(printed: string, wanted: string): boolean {
  const found = /\d+(?:\.\d+)*/.exec(printed)?.[0];
  if (found === undefined) return false;
  const left = found.split(".").map(Number);
  const right = wanted.split(".").map(Number);
  for (let i = 0; i < right.length; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
