/** Collects the layers that a person wrote: the user's own config, the main config with what it extends, the command line. */
import { relative } from "node:path";
import type { JsonObject } from "../base/json.js";
import { ConfigError, type Problem } from "../base/problem.js";
import type { Catalogue } from "./catalogue/catalogue.js";
import type { PresetFacts } from "./catalogue/preset-index.js";
import { applyPresets } from "./catalogue/presets.js";
import {
  baseOf,
  type Discovered,
  discover,
  type Environment,
  trustName,
  userConfigFile,
} from "./discover.js";
import { type ExtendedConfig, hashOf, readExtended, shippedLayers } from "./extends.js";
import { type Files, readOrExplain } from "./files.js";
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

/** The values of a config, and of each server, that sets nothing. */
export interface Defaults {
  config: JsonObject;
  server: JsonObject;
}

export interface ConfigRequest {
  /** Absolute. */
  workspace: string;
  configPath?: string | undefined;
  /** The folder that relative folders of a named config start from; its own folder when absent. */
  base?: string | undefined;
  env: Environment;
  home: string;
  /** Absolute folder of the shipped `configs/`. */
  shipped: string;
  /** The settings of the command line, as a layer over everything else. */
  commandLine: JsonObject;
  /** Only the command line counts: no file is looked for. */
  alone?: boolean | undefined;
  /** Whether the user trusts a discovered file with that hash. Nothing is trusted when absent. */
  isTrusted?: ((file: string, hash: string) => boolean) | undefined;
  /** The defaults that a discovered config may not exceed; no defaults count when absent. */
  defaults?: Defaults | undefined;
  /** Makes the embedded default's layer; its servers also serve a config that names none. */
  embedded?: ((presets: PresetFacts[]) => JsonObject) | undefined;
}

export interface CollectedLayers {
  mainFile: Exclude<Discovered, { kind: "missing" }>;
  base: string;
  folder: string;
  hash: string | null;
  user: LayerTable[];
  main: LayerTable[];
  commandLine: LayerTable;
  problems: Problem[];
  warnings: Problem[];
}

/** Reads and validates every layer that a person wrote. Throws when the named config does not exist. */
export function collectLayers(request: ConfigRequest, catalogue: Catalogue, files: Files): CollectedLayers {
  const mainFile: Discovered = request.alone ? { kind: "embedded" } : discover(request, files);
  if (mainFile.kind === "missing") throw new ConfigError([mainFile.problem]);
  const user = readUserConfig(request, catalogue, files);
  const folder = mainFile.kind === "embedded" ? request.workspace : baseOf(mainFile.file);
  const commandLine = tableWithoutFile("command line", request.commandLine);
  const { places } = commandLine.layer;
  const layers: CollectedLayers = {
    mainFile,
    base: mainFile.kind === "named" ? (request.base ?? folder) : folder,
    folder,
    hash: null,
    user: user.layers.map(layerTable),
    main: [],
    commandLine,
    problems: [...user.problems, ...validate(configSchema, request.commandLine, places, { partial: true })],
    warnings: [],
  };
  if (mainFile.kind === "embedded") return layers;

  const within = mainFile.kind === "discovered" ? request.workspace : undefined;
  const extended = readExtended(mainFile.file, mainFile.content, { catalogue, files, within });
  layers.problems.push(...extended.problems);
  layers.hash = hashOf(extended, mainFile.file);
  const whole = mergeLayers(extended.layers.map(layerTable));
  if (mainFile.kind === "named") return { ...layers, main: [whole] };

  const isTrusted =
    request.isTrusted?.(trustName(request.workspace, mainFile.file, files), layers.hash) ?? false;
  const limits = limitsOf(request, catalogue, [...layers.user, commandLine]);
  const restricted = restrictDiscovered(whole, limits, { base: layers.base, files, isTrusted });
  const grants = grantsSentence(
    grantsOf(restricted.requests, applyPresets(whole, catalogue, request.env).config),
  );
  if (!isTrusted && grants !== undefined) {
    const name = relative(request.workspace, mainFile.file).replaceAll("\\", "/");
    const message = `\`${name}\` is not trusted; it ${grants}`;
    layers.problems.push(problemAt(whole.layer.places, "config/untrusted", message, []));
  }
  return { ...layers, main: [restricted.config], warnings: restricted.warnings };
}

/** What a discovered config is compared with: the user's layers alone, and over the profile and the defaults. */
export function limitsOf(
  request: ConfigRequest,
  catalogue: Catalogue,
  userLayers: readonly LayerTable[],
): Limits {
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

export function readUserConfig(request: ConfigRequest, catalogue: Catalogue, files: Files): ExtendedConfig {
  const nothing: ExtendedConfig = { layers: [], problems: [], files: [] };
  if (request.alone) return nothing;
  const file = userConfigFile(request.env, request.home);
  const result = readOrExplain(files, file);
  if ("content" in result) return readExtended(file, result.content, { catalogue, files });
  if (result.absent) return nothing;
  const message = `the user's own config \`${file}\` ${result.failure}`;
  return { ...nothing, problems: [problemWithoutPlace("config/not-found", message)] };
}
