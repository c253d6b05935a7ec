/** The layers that a person wrote: the user's own config, the main config with what it extends, the command line. */
import { relative } from "node:path";
import { codes } from "../base/codes.js";
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
import { type Expanded, expandFile, expandShipped, hashOf } from "./expand.js";
import { type Files, readOrExplain } from "./files.js";
import {
  type Layer,
  type LayerTable,
  layerTable,
  leafValue,
  mergeLayers,
  mergeTables,
  nodeAt,
  nowhere,
  serverRule,
  withEntries,
} from "./layer.js";
import { configSchema } from "./schema.js";
import { problemAt } from "./text/source.js";
import { grantsOf, grantWords } from "./trust/grants.js";
import { type Bounds, judgeFound } from "./trust/judge.js";
import { validate } from "./validate.js";

/** The context of a surface that suits itself to whoever opens a session. */
export const AUTO_CONTEXT = "auto";

/** What a config gets that says nothing, and each of its servers. */
export interface Defaults {
  config: JsonObject;
  server: JsonObject;
}

export interface ConfigRequest {
  /** Absolute. */
  workspace: string;
  configPath?: string | undefined;
  /** Where the relative folders of a config that was named start; its own folder when absent. */
  base?: string | undefined;
  env: Environment;
  home: string;
  /** Absolute folder of the shipped `configs/`. */
  shipped: string;
  /** What the command line says, as a layer over everything else. */
  commandLine: JsonObject;
  /** Nothing but the command line counts: no file is looked for. */
  alone?: boolean | undefined;
  /** Whether a person has trusted a discovered file with that hash. Nothing is trusted when absent. */
  isTrusted?: ((file: string, hash: string) => boolean) | undefined;
  /** What is had by saying nothing. Where it is not told, nothing counts as less than it. */
  defaults?: Defaults | undefined;
  /** Makes the embedded default's layer; its servers also serve a config that names none. */
  embedded?: ((presets: PresetFacts[]) => JsonObject) | undefined;
}

/** The layers of a request, still apart. */
export interface FoundLayers {
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

/** Finds, reads and checks every layer that a person wrote. Throws when the config that was named is not there. */
export function findLayers(request: ConfigRequest, catalogue: Catalogue, files: Files): FoundLayers {
  const mainFile: Discovered = request.alone ? { kind: "embedded" } : discover(request, files);
  if (mainFile.kind === "missing") throw new ConfigError([mainFile.problem]);
  const user = readUser(request, catalogue, files);
  const folder = mainFile.kind === "embedded" ? request.workspace : baseOf(mainFile.file);
  const found: FoundLayers = {
    mainFile,
    base: mainFile.kind === "named" ? (request.base ?? folder) : folder,
    folder,
    hash: null,
    user: user.layers.map(layerTable),
    main: [],
    commandLine: layerTable(commandLineLayer(request.commandLine)),
    problems: user.problems,
    warnings: [],
  };
  found.problems.push(
    ...validate(configSchema, request.commandLine, found.commandLine.layer.places, { partial: true }),
  );
  if (mainFile.kind === "embedded") return found;

  const within = mainFile.kind === "discovered" ? request.workspace : undefined;
  const expanded = expandFile(mainFile.file, mainFile.content, { catalogue, files, within });
  found.problems.push(...expanded.problems);
  found.hash = hashOf(expanded.own, mainFile.file);
  const whole = mergeLayers(expanded.layers.map(layerTable));
  if (mainFile.kind === "named") return { ...found, main: [whole] };

  const isTrusted =
    request.isTrusted?.(trustName(request.workspace, mainFile.file, files), found.hash) ?? false;
  const bounds = boundsOf(request, catalogue, [...found.user, found.commandLine]);
  const { config, warnings, asks } = judgeFound(whole, bounds, { base: found.base, files, isTrusted });
  const words = isTrusted
    ? undefined
    : grantWords(grantsOf(asks, applyPresets(whole, catalogue, request.env).config));
  if (words !== undefined) found.problems.push(distrust(request, mainFile.file, words, whole));
  return { ...found, main: [config], warnings };
}

/** What a found config is measured by: what the user and the command line wrote, and that with profile and defaults. */
export function boundsOf(
  request: ConfigRequest,
  catalogue: Catalogue,
  person: readonly LayerTable[],
): Bounds {
  const named = leafValue(nodeAt(mergeLayers(person), ["mcp", "context"]));
  const context = typeof named === "string" ? named : "default";
  const profile = expandShipped(`profiles/${context === AUTO_CONTEXT ? "default" : context}`, catalogue).map(
    layerTable,
  );
  const defaults = (tree: JsonObject | undefined) =>
    layerTable({ origin: "defaults", places: nowhere("defaults"), tree: tree ?? {} });
  const complete = (layers: readonly LayerTable[]) =>
    applyPresets(mergeLayers(layers), catalogue, request.env).config;
  const effective = complete([defaults(request.defaults?.config), ...profile, ...person]);
  return {
    written: complete([...(named === undefined ? [] : profile), ...person]),
    effective: overServers(effective, defaults(request.defaults?.server)),
  };
}

/** A config whose servers have a table below them. */
function overServers(config: LayerTable, below: LayerTable): LayerTable {
  const servers = config.entries.get("servers");
  if (servers?.kind !== "list") return config;
  const items = servers.items.map((server) =>
    server.kind === "table" ? mergeTables(below, server, serverRule) : server,
  );
  return withEntries(config, { servers: { ...servers, items } });
}

/** The user's own config with what it extends. */
export function readUser(request: ConfigRequest, catalogue: Catalogue, files: Files): Expanded {
  if (request.alone) return { layers: [], problems: [], own: [] };
  const file = userConfigFile(request.env, request.home);
  const answer = readOrExplain(files, file);
  if ("content" in answer) return expandFile(file, answer.content, { catalogue, files });
  if (answer.absent) return { layers: [], problems: [], own: [] };
  const code = "config/not-found";
  const message = `the user's own config \`${file}\` ${answer.failure}`;
  const problem: Problem = { code, severity: "error", message, pointer: "", fix: codes[code].fix };
  return { layers: [], problems: [problem], own: [] };
}

function commandLineLayer(tree: JsonObject): Layer {
  return { origin: "config", places: nowhere("command line"), tree };
}

/** The problem of a discovered file that asks for something and that nobody has trusted. */
function distrust(request: ConfigRequest, file: string, words: string, main: LayerTable): Problem {
  const name = relative(request.workspace, file).replaceAll("\\", "/");
  return problemAt(main.layer.places, "config/untrusted", `\`${name}\` is not trusted; it ${words}`, []);
}
