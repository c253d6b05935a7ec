/** Looks for the programs of the catalogue on this machine. A program is started only to ask for its version. */
import { execFile, spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { isTable } from "../../base/json.js";
import type { PresetFacts } from "../../config/catalogue/preset-index.js";
import { diskFiles, readOrExplain } from "../../config/files.js";
import { envOutside } from "../../lsp/process/environment.js";
import { missingModules } from "../../lsp/process/named-paths.js";
import { findCommand } from "../../lsp/process/program.js";
import { defaultEnv } from "../../plan/defaults.js";

/** Where programs are looked for. */
export interface Here {
  /** Folders before those of PATH. */
  folders: readonly string[];
  /** Real paths of folders whose programs do not count: workspaces that nobody trusts. */
  avoid: readonly string[];
  env: { [name: string]: string | undefined };
}

const PROBE_MS = 10_000;

/** Whether a preset's program is here and, where the preset asks, new enough. */
export function isInstalled(preset: PresetFacts, here: Here): boolean {
  const program = programOf(preset, here);
  if (program === undefined) return false;
  if (preset.probe === undefined) return true;
  const { status, stdout } = spawnSync(program, preset.probe.args, {
    ...probeOptions(program, here),
    ...{ encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  });
  return status === 0 && isAtLeast(stdout, preset.probe.at_least);
}

/** The same without keeping everything else waiting. */
export async function isInstalledInTurn(preset: PresetFacts, here: Here): Promise<boolean> {
  const program = programOf(preset, here);
  const { probe } = preset;
  if (program === undefined || probe === undefined) return program !== undefined;
  return new Promise((resolve) => {
    const child = execFile(program, probe.args, probeOptions(program, here), (error, stdout) =>
      resolve(error === null && isAtLeast(stdout, probe.at_least)),
    );
    child.stdin?.end();
  });
}

/**
 * Files that an installed program loads and that are not beside it, such as a `tsserver.js` beside a newer TypeScript. Those of
 * a workspace count where one is given.
 */
export function lackingOf(preset: PresetFacts, here: Here, workspace: string | undefined): string[] {
  const { id, command, loads = [] } = preset;
  const program = programOf(preset, here);
  if (program === undefined || loads.length === 0) return [];
  const started = { id, command: [command ?? []].flat(), args: [] };
  return missingModules(loads, started, program, { root: workspace, untrusted: here.avoid });
}

/** Whether a preset's program lies in a folder of node packages. Nothing is started: its package says its version. */
export function isInPackages(preset: PresetFacts, folder: string): boolean {
  const [command = ""] = [preset.command ?? []].flat();
  const program = findCommand(command, [folder], undefined);
  if (program === undefined || preset.probe === undefined) return program !== undefined;
  return isAtLeast(packageVersion(program) ?? "", preset.probe.at_least);
}

function packageVersion(program: string): string | undefined {
  for (let folder = dirname(realpathSync(program)); dirname(folder) !== folder; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (!existsSync(file)) continue;
    // A stranger's may be a pipe that nobody writes to, or have no end.
    const read = readOrExplain(diskFiles, file);
    return "content" in read ? versionIn(textOf(read.content)) : undefined;
  }
  return undefined;
}

function textOf(content: string | Uint8Array): string {
  return typeof content === "string" ? content : new TextDecoder().decode(content);
}

/** The version that a package's own file says; a stranger's may say anything. */
function versionIn(text: string): string | undefined {
  try {
    const facts: unknown = JSON.parse(text);
    return isTable(facts) && typeof facts.version === "string" ? facts.version : undefined;
  } catch {
    return undefined;
  }
}

function programOf({ command }: PresetFacts, { folders, avoid, env }: Here): string | undefined {
  const [name] = [command ?? []].flat();
  return name === undefined ? undefined : findCommand(name, folders, env.PATH, avoid);
}

/** Beside itself, not in the workspace: rustup's shim runs the toolchain that a file in the folder it is started in names. */
function probeOptions(program: string, { env, avoid }: Here) {
  const inherited = Object.fromEntries(defaultEnv.map((name) => [name, env[name]]));
  const cwd = dirname(program);
  return { cwd, env: envOutside(inherited, avoid, cwd).env, timeout: PROBE_MS };
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
