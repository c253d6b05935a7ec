/** What a hub is started with, in the form of a launch record. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { MANIFEST_FILE } from "../../abi/bundle.js";
import type { Plan } from "../../abi/plan.js";
import { factsOf } from "../../base/file-stamp.js";
import { digest } from "../../base/hash.js";
import { canonicalText } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import { Catalogue } from "../../config/catalogue/catalogue.js";
import { diskFiles } from "../../config/files.js";
import { hashesOf, type LaunchRecord } from "../../hub/launch-record.js";
import type { Loaded } from "../open.js";
import { shippedConfigs, version } from "../shipped.js";

/** Variables that the proxy itself reads when it looks for configs, servers and libraries. */
const OWN_VARIABLES = `
CARGO_HOME CONDA_DEFAULT_ENV CONDA_PREFIX GOBIN GOPATH HOME LOCALAPPDATA LSPI_CONFIG_PATH PATH TMPDIR
UV_PROJECT_ENVIRONMENT VIRTUAL_ENV XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME`
  .trim()
  .split(/\s+/);

/** The record of what was loaded. Two launches with the same start and the same variables share a hub. */
export function recordOf({ loaded, base, folder, files, refusal, ...trust }: Loaded): LaunchRecord {
  const { trusted, binFolders, avoid } = trust;
  const start = {
    bundle: loaded.manifest.bundle,
    version: version(),
    base: realpathSync(base),
    folder,
    // No edit may touch them.
    files: sortedSet(files),
    // Sessions that trust the workspace have other servers than those that do not.
    ...{ trusted, binFolders, avoid, refusal: refusal?.code ?? null },
  };
  return {
    start: digest(canonicalText(start)),
    env: variablesOf(loaded.plan),
    files: hashesOf(files.map(contentFile)),
  };
}

/** A bundle is a folder, whose manifest has the hashes of all its files. */
function contentFile(path: string): string {
  return factsOf(path)?.isDirectory() ? join(path, MANIFEST_FILE) : path;
}

/** The names of the variables that servers inherit, and of those that decide how servers are found. */
function variablesOf(plan: Plan): string[] {
  const facts = new Catalogue(shippedConfigs, diskFiles).facts();
  const patterns = plan.servers.flatMap(({ libraryRoots }) => libraryRoots);
  const inPatterns = patterns.flatMap((text) =>
    [...text.matchAll(/\$\{(\w+)/g)].map(([, name = ""]) => name),
  );
  const commands = facts.flatMap(({ command_env: name }) => (name === undefined ? [] : [name]));
  return sortedSet([...plan.allow.env, ...OWN_VARIABLES, ...inPatterns, ...commands]);
}
