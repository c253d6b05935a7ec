/** Whether a preset is for the version of a package that the project has. Only `package.json` files are read. */
import { dirname, join } from "node:path";
import { isTable } from "../base/json.js";
import type { PresetFacts } from "../config/catalogue/preset-index.js";
import { asText, diskFiles } from "../config/files.js";
import { isAtLeast } from "../lsp/process/package-version.js";

const DEPENDENCIES = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

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

/** The version of a package that the nearest folder at or above has installed; else the one that it declares. */
function projectVersion(name: string, workspace: string): string | undefined {
  for (let folder = workspace; ; folder = dirname(folder)) {
    const installed = manifestIn(join(folder, "node_modules", name))?.version;
    if (typeof installed === "string") return installed;
    const declared = declaredVersion(name, manifestIn(folder));
    if (declared !== undefined) return declared;
    if (dirname(folder) === folder) return undefined;
  }
}

/** The first version of a declared range: 5.4 of `^5.4`, `>=5.4 <6` or `npm:typescript@~5.4`; not that of `<6` or `latest`. */
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
