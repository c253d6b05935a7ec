/** Looks for the programs of the catalogue on this machine. A program is started only to ask for its version. */
import { spawnSync } from "node:child_process";
import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import type { PresetFacts } from "../config/preset-index.js";

/** Absolute path of a program in the given folders or on PATH, or undefined. */
export function findProgram(
  name: string,
  folders: readonly string[],
  path: string | undefined,
): string | undefined {
  if (isAbsolute(name)) return isExecutable(name) ? name : undefined;
  const candidates = [...folders, ...(path ?? "").split(delimiter).filter(isAbsolute)];
  return candidates.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Whether a preset's program is here and, where the preset asks, new enough. */
export function isInstalled(
  preset: PresetFacts,
  folders: readonly string[],
  path: string | undefined,
): boolean {
  const command = typeof preset.command === "string" ? preset.command : preset.command?.[0];
  if (command === undefined) return false;
  const program = findProgram(command, folders, path);
  if (program === undefined) return false;
  if (preset.probe === undefined) return true;
  const printed = spawnSync(program, preset.probe.args, {
    encoding: "utf8",
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
