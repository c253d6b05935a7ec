/** The settings that a hub is started with, in the form of a launch record. */
import type { Plan } from "../../abi/plan.js";
import { digest } from "../../base/hash.js";
import type { Environment } from "../../base/home.js";
import { canonicalText, type JsonObject } from "../../base/json.js";
import { sortedSet } from "../../base/order.js";
import { Refusal } from "../../base/problem.js";
import { Catalogue } from "../../config/catalogue/catalogue.js";
import { diskFiles } from "../../config/files.js";
import { hashesOf, type LaunchRecord } from "../../hub/launch-record.js";
import { realPathOf } from "../../workspace/gate.js";
import type { Input } from "../command.js";
import type { Loaded } from "../open.js";
import { shippedConfigs, version } from "../shipped.js";

/** Variables that the proxy itself reads when it looks for configs, servers and libraries. */
const OWN_VARIABLES = `
CARGO_HOME CONDA_DEFAULT_ENV CONDA_PREFIX GOBIN GOPATH HOME LOCALAPPDATA LSPI_CONFIG_PATH PATH TMPDIR
UV_PROJECT_ENVIRONMENT VIRTUAL_ENV XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_STATE_HOME`
  .trim()
  .split(/\s+/);

/** Flags that decide how a config is read, and so what a changed one means. Paths are known by what they lead to. */
const READING_FLAGS = ["context", "read-only", "trust-workspace", "expect"];

/** The record of what was loaded. Two launches with the same start and the same variables share a hub. */
export function recordOf(found: Loaded, input: Input): LaunchRecord {
  const { loaded, files } = found;
  // No edit may touch the files.
  const start = {
    bundle: loaded.manifest.bundle,
    files: sortedSet(files.map(resolved)),
    compatibility: compatibilityHash(found, input),
  };
  return {
    start: digest(canonicalText(start)),
    env: variablesOf(loaded.plan),
    files: hashesOf(files),
  };
}

/**
 * The part that all configs of one hub have in common, when one follows another: every session of the hub would have
 * found the changed one too, with the same trust and the same variables of the environment.
 */
export function compatibilityHash(found: Loaded, input: Input): string {
  const { loaded, base, folder, trusted, binFolders, avoid, refusal } = found;
  const { dashboard, metrics } = loaded.plan;
  const facts = {
    folder: folder && resolved(folder),
    trusted,
    binFolders: binFolders.map(resolved),
    avoid: avoid.map(resolved),
    // They are opened once, when a hub starts.
    pages: { dashboard, metrics },
    version: version(),
    base: resolved(base),
    env: variablesOf(loaded.plan),
    isFound: found.found !== undefined,
    refusal: refusal?.code ?? null,
    flags: READING_FLAGS.map((name) => input.flags[name] ?? null),
  };
  return digest(canonicalText(facts));
}

/** Hashes of the flags and variables by which two hubs of one workspace may differ, by name. */
export function startHashes({ env: names }: LaunchRecord, input: Input, env: Environment): JsonObject {
  const flags = ["config", ...READING_FLAGS].map((name) => [`--${name}`, input.flags[name]] as const);
  const variables = names.map((name) => [name, env[name]] as const);
  return Object.fromEntries(
    [...flags, ...variables].flatMap(([name, value]) =>
      value === undefined ? [] : [[name, digest(canonicalText(value))]],
    ),
  );
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

/** The real path, also of a file that does not exist yet; the path itself where a link leads nowhere. */
function resolved(path: string): string {
  try {
    return realPathOf(path);
  } catch (error) {
    if (error instanceof Refusal) return path;
    throw error;
  }
}
