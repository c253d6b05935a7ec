/** Whether a preset is for the version of a package that the project has. Only `package.json` files are read. */
import { dirname, join } from "node:path";
import { isTable } from "../base/json.js";
import { sortBy } from "../base/order.js";
import type { PresetFacts } from "../config/catalogue/preset-index.js";
import { asText, diskFiles } from "../config/files.js";
import { isAtLeast } from "../lsp/process/package-version.js";
import { installCommand } from "./install/ways.js";

const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];
const MAX_SUBFOLDERS = 100;

/** Whether presets fit the project in a folder. A package whose version is not known fits every preset. */
export function fitsProject(workspace: string): (preset: Pick<PresetFacts, "requires">) => boolean {
  const versions = new Map<string, string | undefined>();
  return ({ requires }) => {
    if (requires === undefined) return true;
    const { package: name, at_least: least, below } = requires;
    if (!versions.has(name)) versions.set(name, projectVersion(name, workspace));
    const version = versions.get(name);
    if (version === undefined) return true;
    return (
      (least === undefined || isAtLeast(version, least)) &&
      (below === undefined || !isAtLeast(version, below))
    );
  };
}

/**
 * The best server for the version that the project has, where the one that a command installs is for another version.
 */
export function otherServerFor(
  workspace: string,
  facts: () => readonly PresetFacts[],
): (install: string) => string | undefined {
  return (install) => {
    const all = facts();
    const named = all.find((preset) => installCommand(preset) === install);
    const fits = fitsProject(workspace);
    if (named?.requires === undefined || fits(named)) return undefined;
    const { requires, languages = [] } = named;
    const others = all.filter(
      (preset) =>
        preset.requires?.package === requires.package &&
        preset.languages?.some((language) => languages.includes(language)) &&
        fits(preset),
    );
    return sortBy(others, (preset) => [-(preset.rank ?? 0), preset.id])[0]?.id;
  };
}

/** The version in the nearest folder at or above; else the oldest in subfolders. */
function projectVersion(name: string, workspace: string): string | undefined {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const version = versionIn(folder, name);
    if (version !== undefined) return version;
    if (dirname(folder) === folder) break;
  }
  const projects = subfolders(workspace);
  const versions = [...projects, ...projects.flatMap(subfolders)].flatMap((at) => versionIn(at, name) ?? []);
  return versions.reduce<string | undefined>(
    (oldest, version) => (oldest !== undefined && isAtLeast(version, oldest) ? oldest : version),
    undefined,
  );
}

/** The version of a package that a folder has installed; else the one that it declares. */
function versionIn(folder: string, name: string): string | undefined {
  const installed = manifestIn(join(folder, "node_modules", name))?.version;
  return typeof installed === "string" ? installed : declaredVersion(name, manifestIn(folder));
}

/** Folders that may be projects of their own. */
function subfolders(folder: string): string[] {
  return diskFiles
    .list(folder)
    .filter(({ name, kind }) => kind === "folder" && !name.startsWith(".") && name !== "node_modules")
    .slice(0, MAX_SUBFOLDERS)
    .map(({ name }) => join(folder, name));
}

/**
 * The first version of a declared range: 5.4 of `^5.4`, `>=5.4 <6` or `npm:typescript@~5.4`; not that of `<6` or
 * `latest`.
 */
function declaredVersion(name: string, manifest: { [key: string]: unknown } | undefined): string | undefined {
  for (const key of DEPENDENCIES) {
    const ranges = manifest?.[key];
    const range = isTable(ranges) && Object.hasOwn(ranges, name) ? ranges[name] : undefined;
    if (typeof range !== "string") continue;
    return /^(?:[\w-]+:(?:@?[\w./-]+@)?)?\s*(?:\^|~|>=|=|v)?\s*(\d+(?:\.\d+)*)/.exec(range)?.[1];
  }
  return undefined;
}

function manifestIn(folder: string): { [key: string]: unknown } | undefined {
  try {
    const manifest: unknown = JSON.parse(asText(diskFiles.read(join(folder, "package.json")) ?? "null"));
    return isTable(manifest) ? manifest : undefined;
  } catch {
    return undefined;
  }
}
