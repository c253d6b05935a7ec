/** Chooses the servers of a config that names none: installed ones of the catalogue for the files of the workspace. */
import { join } from "node:path";
import { homeOf } from "../base/home.js";
import type { JsonObject } from "../base/json.js";
import { chooseServers, servesAny } from "../config/catalogue/detect.js";
import type { PresetFacts } from "../config/catalogue/preset-index.js";
import type { OpenedConfig } from "../config/load.js";
import { scanWorkspace } from "../workspace/scan.js";
import { walkedDisk } from "../workspace/walk.js";
import type { Surroundings } from "./command.js";
import type { FolderTrust } from "./folder-trust.js";
import {
  isInPackages,
  isInstalled,
  isInstalledUnstarted,
  missingModules,
  type SearchPath,
} from "./installed.js";
import { programFolders } from "./program-folders.js";
import { fitsProject } from "./requires.js";

/** The layer with the servers of the catalogue that fit the files of a workspace. */
export async function serversFor(
  { base, presets }: NonNullable<OpenedConfig["lacksServers"]>,
  trust: FolderTrust,
  io: Surroundings,
  { startsNothing = false }: { startsNothing?: boolean },
): Promise<JsonObject> {
  const scan = await scanWorkspace(base, walkedDisk, { env: io.env, home: homeOf(io.env) });
  const fitting = presets().filter((preset) => servesAny(preset, scan));
  const path: SearchPath = {
    folders: trust.binFolders,
    avoid: trust.avoid,
    env: io.env,
    ...programFolders(io),
  };
  const find = startsNothing ? isInstalledUnstarted : isInstalled;
  const installed = new Map<string, boolean | undefined>();
  const asked = fitting.map(async (preset) => installed.set(preset.id, await find(preset, path)));
  await Promise.all(asked);
  return chooseServers(scan, fitting, tiersOf(base, path, installed));
}

/** Order of preference: complete, incomplete, unknown until started, in an untrusted `node_modules`. */
function tiersOf(
  workspace: string,
  path: SearchPath,
  installed: ReadonlyMap<string, boolean | undefined>,
): ((preset: PresetFacts) => boolean)[] {
  const isHere = ({ id }: PresetFacts) => installed.get(id) === true;
  const isTrusted = path.folders.length > 0;
  const isComplete = (preset: PresetFacts) =>
    missingModules(preset, path, isTrusted ? workspace : undefined).length === 0;
  const fits = fitsProject(workspace);
  const tiers = [
    (preset: PresetFacts) => isHere(preset) && isComplete(preset),
    isHere,
    ({ id }: PresetFacts) => installed.get(id) === undefined,
  ];
  return [
    // A server that works is taken even if it is for another version than the project has.
    ...tiers.flatMap((tier) => [(preset: PresetFacts) => fits(preset) && tier(preset), tier]),
    (preset: PresetFacts) => !isTrusted && isInPackages(preset, join(workspace, "node_modules", ".bin")),
  ];
}
