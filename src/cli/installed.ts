/** Finds out whether the programs of the catalogue are installed. Runs a program only for its version. */
import { execFile } from "node:child_process";
import { realpathSync } from "node:fs";
import { dirname, sep } from "node:path";
import { type PresetFacts, programOf } from "../config/catalogue/preset-index.js";
import { cleanedEnvironment } from "../lsp/process/environment.js";
import { missingModuleFiles } from "../lsp/process/launch-settings.js";
import { commandLine } from "../lsp/process/launcher-script.js";
import { isAtLeast, packageVersion } from "../lsp/process/package-version.js";
import { findCommand, type ProgramFolders, searchProgram } from "../lsp/process/search.js";
import { defaultEnv } from "../plan/defaults.js";

export interface SearchPath extends ProgramFolders {
  /** The trusted project's folders of programs, searched first. */
  folders: readonly string[];
  /** Real paths of untrusted folders, whose programs are ignored. */
  avoid: readonly string[];
  env: { [name: string]: string | undefined };
}

const PROBE_TIMEOUT_MS = 10_000;

export function programsOf(presets: readonly Pick<PresetFacts, "command">[]): string[] {
  return presets.flatMap((preset) => programOf(preset) ?? []);
}

/**
 * Whether a preset's program is installed and, where the preset demands it, recent enough.
 * It is started only where no file says so.
 */
export async function isInstalled(preset: PresetFacts, path: SearchPath): Promise<boolean> {
  const known = isInstalledUnstarted(preset, path);
  const program = findProgram(preset, path);
  const { probe } = preset;
  if (known !== undefined || program === undefined || probe === undefined) return known === true;
  return new Promise((resolve) => {
    const { file, args, ...verbatim } = commandLine(program, probe.args);
    const child = execFile(file, args, { ...probeOptions(program, path), ...verbatim }, (error, stdout) =>
      resolve(error === null && isAtLeast(stdout, probe.at_least)),
    );
    child.stdin?.end();
  });
}

/**
 * Modules that an installed program loads but that are missing,
 * such as a `tsserver.js`. A given workspace is searched too.
 */
export function missingModules(preset: PresetFacts, path: SearchPath, workspace?: string): string[] {
  const { id, command, loads = [] } = preset;
  const program = findProgram(preset, path);
  if (program === undefined || loads.length === 0) return [];
  const started = { id, command: [command ?? []].flat(), args: [] };
  return missingModuleFiles(loads, started, program, { root: workspace, untrusted: path.avoid });
}

/** As `isInstalled`, but nothing is started; undefined when only the program itself knows its version. */
export function isInstalledUnstarted(preset: PresetFacts, path: SearchPath): boolean | undefined {
  const program = findProgram(preset, path);
  if (program === undefined || preset.probe === undefined) return program !== undefined;
  const isPackage = realpathSync.native(program).split(sep).includes("node_modules");
  const version = isPackage ? packageVersion(program) : undefined;
  return version === undefined ? undefined : isAtLeast(version, preset.probe.at_least);
}

/**
 * Whether a folder of node packages has a preset's program. The version is read from package.json; nothing is started.
 */
export function isInPackages(preset: PresetFacts, folder: string): boolean {
  const program = findCommand(programOf(preset) ?? "", [folder], undefined);
  if (program === undefined || preset.probe === undefined) return program !== undefined;
  return isRecent(program, preset.probe);
}

function isRecent(program: string, probe: NonNullable<PresetFacts["probe"]>): boolean {
  return isAtLeast(packageVersion(program) ?? "", probe.at_least);
}

/** The file that would be started. */
function findProgram(preset: PresetFacts, { folders, env, ...more }: SearchPath): string | undefined {
  const name = programOf(preset);
  const minVersion = preset.probe?.at_least;
  return name && searchProgram(name, { ...more, binFolders: folders, minVersion, path: env.PATH });
}

/** Probes run in the program's own folder: rustup's shim would use the toolchain that a file in the workspace names. */
function probeOptions(program: string, { env, avoid }: SearchPath) {
  const inherited = Object.fromEntries(defaultEnv.map((name) => [name, env[name]]));
  const cwd = dirname(program);
  return { cwd, env: cleanedEnvironment(inherited, avoid, cwd).env, timeout: PROBE_TIMEOUT_MS };
}
