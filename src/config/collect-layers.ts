/**
 * Collects the layers written by the user:
 * the user's own config, the main config with what it extends, the command line.
 */
import { relative } from "node:path";
import type { JsonObject } from "../base/json.js";
import { slashed } from "../base/paths.js";
import type { Problem } from "../base/problem.js";
import type { Catalogue } from "./catalogue/catalogue.js";
import { applyPresets } from "./catalogue/presets.js";
import {
  baseOf,
  type DiscoverRequest,
  discover,
  namedConfig,
  trustName,
  userConfigFile,
} from "./discover.js";
import { type ExtendedConfig, readExtended, shippedLayers } from "./extends.js";
import { readOrExplain } from "./files.js";
import {
  type LayerTable,
  layerTable,
  mergeLayers,
  mergeTables,
  serverRule,
  tableWithoutFile,
  valueAt,
  withEntries,
} from "./layer.js";
import { configSchema } from "./schema.js";
import { problemAt, problemWithoutPlace } from "./text/source.js";
import { grantsOf, grantsSentence } from "./trust/grants.js";
import { type Limits, restrictDiscovered } from "./trust/restrict.js";
import { validate } from "./validate.js";

/** The `mcp.context` whose answers adapt to the client of each session. */
export const AUTO_CONTEXT = "auto";

export interface ConfigRequest extends DiscoverRequest {
  /** The folder that relative folders of a named config start from; its own folder when absent. */
  base?: string | undefined;
  home: string;
  /** Absolute folder of the shipped `configs/`. */
  shipped: string;
  /** The settings of the command line, as a layer over everything else. */
  commandLine: JsonObject;
  /** Only the command line counts: no file is looked for. */
  alone?: boolean | undefined;
  /** Which configs do not count: the one that is found and not named, or the user's own too. */
  ignores?: "found" | "found and own" | undefined;
  /** Whether the user trusts a discovered file with that hash. Nothing is trusted when absent. */
  isTrusted?: ((file: string, hash: string) => boolean) | undefined;
  /** The defaults of a config and of a server, which a discovered config may not exceed; none when absent. */
  defaults?: { config: JsonObject; server: JsonObject } | undefined;
}

export interface CollectedLayers {
  mainFile: { kind: "named" | "discovered" | "embedded"; file: string | null; hash: string | null };
  base: string;
  folder: string;
  user: LayerTable[];
  main: LayerTable[];
  /** Whether the main config is named by the user, or found and trusted. */
  isTrusted: boolean;
  commandLine: LayerTable;
  problems: Problem[];
  warnings: Problem[];
}

/** Reads and validates every layer that a person wrote. Throws when the named config does not exist. */
export function collectLayers(request: ConfigRequest, catalogue: Catalogue): CollectedLayers {
  const none = { kind: "embedded" } as const;
  const find = request.ignores ? namedConfig : discover;
  const found = (request.alone ? undefined : find(request, catalogue.files)) ?? none;
  const user = readUserConfig(request, catalogue);
  const folder = found.kind === "embedded" ? request.workspace : baseOf(found.file);
  const commandLine = tableWithoutFile("command line", request.commandLine);
  const { places } = commandLine.layer;
  const layers: CollectedLayers = {
    mainFile: { kind: "embedded", file: null, hash: null },
    base: found.kind === "named" ? (request.base ?? folder) : folder,
    folder,
    user: user.layers.map(layerTable),
    main: [],
    isTrusted: found.kind === "named",
    commandLine,
    problems: [...user.problems, ...validate(configSchema, request.commandLine, places, { partial: true })],
    warnings: [],
  };
  if (found.kind === "embedded") return layers;

  const { kind, file } = found;
  if (kind === "named") {
    const { hash, problems, ...extended } = readExtended(file, found.content, catalogue);
    layers.problems.push(...problems);
    const main = [mergeLayers(extended.layers.map(layerTable))];
    return { ...layers, mainFile: { kind, file, hash }, main };
  }
  const inspected = inspectConfig(request, found, [...layers.user, commandLine], catalogue);
  const { name, hash, problems } = inspected;
  const isTrusted = request.isTrusted?.(name, hash) ?? false;
  layers.problems.push(...problems);
  const grants = isTrusted ? undefined : grantsSentence(inspected.grants());
  if (grants !== undefined) {
    const shown = slashed(relative(request.workspace, file));
    const message = `\`${shown}\` is not trusted; it ${grants}`;
    layers.problems.push(problemAt(inspected.config.layer.places, "config/untrusted", message, []));
  }
  const { config, warnings } = inspected.restrict(isTrusted);
  const rivals = found.ignored.map((name) => {
    const message = `there are two configs: \`${slashed(relative(request.workspace, file))}\` counts, \`${name}\` is ignored`;
    return problemAt(inspected.config.layer.places, "config/two-configs", message, []);
  });
  return {
    ...layers,
    mainFile: { kind, file, hash },
    main: [config],
    isTrusted,
    warnings: [...rivals, ...warnings],
  };
}

/** Reads a discovered config, to be restricted by whether it is trusted. */
export function inspectConfig(
  request: ConfigRequest,
  { file, content }: { file: string; content: string | Uint8Array },
  userLayers: readonly LayerTable[],
  catalogue: Catalogue,
) {
  const { files } = catalogue;
  const { layers, problems, hash } = readExtended(file, content, catalogue, request.workspace);
  const config = mergeLayers(layers.map(layerTable));
  const whole = applyPresets(config, catalogue, request.env);
  const limits = limitsOf(request, catalogue, userLayers);
  const base = baseOf(file);
  const restrict = (isTrusted: boolean) => restrictDiscovered(config, limits, { base, files, isTrusted });
  return {
    name: trustName(request.workspace, file, files),
    hash,
    config,
    problems,
    presetProblems: whole.problems,
    restrict,
    /** The permissions that trusting it would grant. */
    grants: () => grantsOf(restrict(false).requests, whole.config),
  };
}

/** A discovered config is compared with these: the user's layers alone, and over the profile and the defaults. */
function limitsOf(request: ConfigRequest, catalogue: Catalogue, userLayers: readonly LayerTable[]): Limits {
  const context = valueAt(mergeLayers(userLayers), "mcp", "context");
  const profile = profileTables(typeof context === "string" ? context : "default", catalogue);
  const complete = (layers: readonly LayerTable[]) =>
    applyPresets(mergeLayers(layers), catalogue, request.env).config;
  const defaults = tableWithoutFile("defaults", request.defaults?.config ?? {}, "defaults");
  const serverDefaults = tableWithoutFile("defaults", request.defaults?.server ?? {}, "defaults");
  return {
    written: complete([...(context === undefined ? [] : profile), ...userLayers]),
    effective: withServerDefaults(complete([defaults, ...profile, ...userLayers]), serverDefaults),
  };
}

export function profileTables(context: string, catalogue: Catalogue): LayerTable[] {
  const name = context === AUTO_CONTEXT ? "default" : context;
  return shippedLayers(`profiles/${name}`, catalogue).map(layerTable);
}

function withServerDefaults(config: LayerTable, defaults: LayerTable): LayerTable {
  const servers = config.entries.get("servers");
  if (servers?.kind !== "list") return config;
  const items = servers.items.map((server) =>
    server.kind === "table" ? mergeTables(defaults, server, serverRule) : server,
  );
  return withEntries(config, { servers: { ...servers, items } });
}

export function readUserConfig(request: ConfigRequest, catalogue: Catalogue): ExtendedConfig {
  const nothing: ExtendedConfig = { layers: [], problems: [], hash: "" };
  if (request.alone || request.ignores === "found and own") return nothing;
  const file = userConfigFile(request.env, request.home);
  const result = readOrExplain(catalogue.files, file);
  if ("content" in result) return readExtended(file, result.content, catalogue);
  if (result.absent) return nothing;
  const message = `the user's own config \`${file}\` ${result.failure}`;
  return { ...nothing, problems: [problemWithoutPlace("config/not-found", message)] };
}
