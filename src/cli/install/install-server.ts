/** Installs a server with one package manager into our own folder. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, relative } from "node:path";
import { lstatOf } from "../../base/file-stamp.js";
import { isInside } from "../../base/paths.js";
import { here, type Platform } from "../../base/platform.js";
import type { PresetFacts } from "../../config/catalogue/preset-index.js";
import { programOf } from "../../config/catalogue/preset-index.js";
import { batchFor } from "../../lsp/process/launcher-script.js";
import { findCommand } from "../../lsp/process/search.js";
import { diskFailure } from "../files/disk-failure.js";
import { type InstallRecord, type ManagedServer, placeServer } from "./managed.js";
import { managers } from "./managers.js";
import { InstallFailure, type Steps } from "./step.js";
import type { ManagedKey } from "./ways.js";

const MAX_SCRIPT_BYTES = 1 << 20;

/** Installs a server into our own folder. Throws an InstallFailure; nothing is left of the attempt then. */
export async function installManaged(
  preset: PresetFacts,
  by: ManagedKey,
  serversFolder: string,
  steps: Steps,
): Promise<ManagedServer> {
  const program = programOf(preset) ?? preset.id;
  const fill = async (folder: string): Promise<InstallRecord> => {
    const { version, path } = await managers[by]({ install: preset.install ?? {}, program, folder, steps });
    for (const needless of ["download", "target"])
      rmSync(join(folder, needless), { recursive: true, force: true });
    linkProgram(path, program, folder);
    return { id: preset.id, version: folderName(version), by, program };
  };
  try {
    return await placeServer(serversFolder, preset.id, fill, renameWithin);
  } catch (error) {
    if (error instanceof InstallFailure) throw error;
    const [problem] = diskFailure(error, serversFolder)?.problems ?? [];
    if (problem !== undefined) throw new InstallFailure(problem.message, [], problem.fix);
    throw new InstallFailure((error as Error).message);
  }
}

/** A version as the name of a folder. */
function folderName(version: string): string {
  return version.replaceAll(/[^\w.+-]/g, "-").replace(/^\.+/, "") || "unknown";
}

/**
 * Only the server's own program is in `bin`: others that its packages bring are not to be found instead of the user's.
 */
export function linkProgram(path: string, program: string, folder: string, platform: Platform = here): void {
  const found = findCommand(path, [], undefined, [], platform);
  if (found === undefined)
    throw new InstallFailure(`the packages were installed, but they contain no program \`${program}\``);
  const bin = join(folder, "bin");
  mkdirSync(bin);
  // Inside the folder the path is relative, because the folder is renamed.
  if (platform.needsShell) writeFileSync(join(bin, `${program}.cmd`), batchFor(found, bin));
  else symlinkSync(isInside(found, folder) ? relative(bin, found) : found, join(bin, program));
}

/** Scripts of virtual environments and launchers name their folder, which is about to be renamed. */
function renameWithin(folder: string, target: string): void {
  const scripts = ["bin", "Scripts"].map((name) => join(folder, "venv", name));
  const files = scripts.flatMap((path) =>
    existsSync(path) ? readdirSync(path).map((name) => join(path, name)) : [],
  );
  for (const file of [...files, join(folder, "venv", "pyvenv.cfg"), join(folder, "launcher")]) {
    const stats = lstatOf(file);
    if (!stats?.isFile() || stats.size > MAX_SCRIPT_BYTES) continue;
    const text = readFileSync(file);
    if (text.includes(0) || !text.includes(folder)) continue;
    writeFileSync(file, text.toString("utf8").replaceAll(folder, target));
  }
}
