/**
 * Everything together: find the config, layer it over profile and user, complete the servers, validate, and answer
 * with a Config whose every value knows where it came from. Either that, or all problems at once.
 */
import { relative } from "node:path";
import { codes } from "../base/codes.js";
import type { JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { sortedSet, uniqueBy } from "../base/order.js";
import { fromPointer } from "../base/pointer.js";
import { ConfigError, type Place, type Problem } from "../base/problem.js";
import { Catalogue } from "./catalogue.js";
import { baseOf, type Discovered, discover, type Environment, userConfigFile } from "./discover.js";
import { type Expanded, expandFile, expandShipped, hashOf } from "./expand.js";
import { type Files, readOrExplain } from "./files.js";
import { type Grants, grantsOf, grantWords } from "./grants.js";
import {
  itemsOf,
  type Layer,
  type LayerTable,
  layerTable,
  leafValue,
  mergedPlaces,
  mergeLayers,
  nodeAt,
  nowhere,
  toTable,
  withEntries,
} from "./layer.js";
import { applyPresets, commandsFromEnvironment } from "./presets.js";
import { inOrder } from "./read.js";
import { type Config, configSchema, type PresetConfig } from "./schema.js";
import { shrink } from "./shrink.js";
import { problemAt } from "./source.js";
import { validate } from "./validate.js";

export interface ConfigRequest {
  /** Absolute. */
  workspace: string;
  configPath?: string | undefined;
  env: Environment;
  home: string;
  /** Absolute folder of the shipped `configs/`. */
  shipped: string;
  /** What the command line says, as a layer over everything else. */
  commandLine: JsonObject;
  /** Whether a person has trusted a discovered file with that hash. Nothing is trusted when absent. */
  isTrusted?: ((file: string, hash: string) => boolean) | undefined;
  /** Makes the embedded default's layer; its servers also serve a config that names none. */
  embedded?: ((presets: PresetConfig[]) => JsonObject) | undefined;
}

export interface LoadedConfig {
  config: Config;
  /** Absolute folder that relative paths start from. */
  base: string;
  main: { kind: "named" | "discovered" | "embedded"; file: string | null; hash: string | null };
  warnings: Problem[];
  /** Every program that a preset names, sorted. */
  catalogueCommands: string[];
  /** The place of a value of `config`. */
  locate(pointer: string): Place | undefined;
  /** The shipped config that a value came from, or `config`. */
  origin(pointer: string): string;
  /** The shipped profiles that bring a tool. */
  toolProfiles(name: string): string[];
}

/** Loads a workspace's config. Throws a ConfigError with every problem there is. */
export function loadConfig(request: ConfigRequest, files: Files): LoadedConfig {
  const catalogue = new Catalogue(request.shipped, files);
  const found = findLayers(request, catalogue, files);
  const { warnings, problems } = found;

  const person = mergeLayers([...found.user, ...found.main, found.commandLine]);
  const profile = profileLayers(person, catalogue, problems);
  const below = [
    ...profile,
    ...embeddedLayers(request, catalogue, found.mainFile.kind, [...profile, person]),
  ];
  const whole = applyPresets(mergeLayers([...below, person]), catalogue, request.env);
  const merged = withEntries(whole.config, { extends: undefined, $schema: undefined });
  problems.push(...whole.problems, ...catalogue.problems);
  const tree = toTable(merged);
  const places = mergedPlaces(merged);
  const checked = validate(configSchema, tree, places, {});
  // A layer's own mistakes are known already; what is left to find in the whole is what no layer brought.
  problems.push(
    ...checked.filter((problem) => problems.length === 0 || problem.code === "config/missing-key"),
  );
  if (problems.length > 0) throw new ConfigError(byFile(uniqueBy(problems, identityOf)));

  return {
    config: configSchema.parse(tree),
    base: found.base,
    main: mainOf(found),
    warnings,
    catalogueCommands: sortedSet([...catalogue.commands(), ...commandsFromEnvironment(request.env)]),
    locate: (pointer) =>
      nodeAt(merged, fromPointer(pointer)) ? places.place(fromPointer(pointer), "value") : undefined,
    origin: (pointer) => nodeAt(merged, fromPointer(pointer))?.layer.origin ?? "config",
    toolProfiles: (name) => catalogue.profiles().filter((profile) => bringsTool(profile, name, catalogue)),
  };
}

/** What `lsp-proxy trust` must show before it records anything: the discovered file, its hash, what it grants. */
export function inspectDiscovered(
  request: ConfigRequest,
  files: Files,
): { file: string; hash: string; grants: Grants; problems: Problem[] } | undefined {
  const found = discover({ ...request, configPath: undefined, env: {} }, files);
  if (found.kind === "missing") throw new ConfigError([found.problem]);
  if (found.kind === "embedded") return undefined;
  const catalogue = new Catalogue(request.shipped, files);
  const expanded = expandFile(found.file, found.content, { catalogue, files, within: request.workspace });
  const whole = applyPresets(mergeLayers(expanded.layers.map(layerTable)), catalogue, request.env);
  return {
    file: files.realpath(found.file),
    hash: hashOf(expanded.own, found.file),
    grants: grantsOf(whole.config, baseOf(found.file), files),
    problems: [...expanded.problems, ...whole.problems],
  };
}

interface FoundLayers {
  mainFile: Exclude<Discovered, { kind: "missing" }>;
  base: string;
  hash: string | null;
  user: LayerTable[];
  main: LayerTable[];
  commandLine: LayerTable;
  problems: Problem[];
  warnings: Problem[];
}

function findLayers(request: ConfigRequest, catalogue: Catalogue, files: Files): FoundLayers {
  const mainFile = discover(request, files);
  if (mainFile.kind === "missing") throw new ConfigError([mainFile.problem]);
  const user = readUser(request, catalogue, files);
  const found: FoundLayers = {
    mainFile,
    base: mainFile.kind === "embedded" ? request.workspace : baseOf(mainFile.file),
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

  const untrusted = distrust(request, catalogue, files, mainFile.file, found.hash, whole);
  if (untrusted) found.problems.push(untrusted);
  const { config, warnings } = shrink(mergeLayers(found.user), whole);
  return { ...found, main: [config], warnings };
}

function readUser(request: ConfigRequest, catalogue: Catalogue, files: Files): Expanded {
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

/** The problem of a discovered file that sets something in motion and that nobody has trusted. */
function distrust(
  request: ConfigRequest,
  catalogue: Catalogue,
  files: Files,
  file: string,
  hash: string,
  main: LayerTable,
): Problem | undefined {
  const words = grantWords(grantsOf(applyPresets(main, catalogue, request.env).config, baseOf(file), files));
  if (words === undefined || request.isTrusted?.(files.realpath(file), hash)) return undefined;
  const name = relative(request.workspace, file).replaceAll("\\", "/");
  return problemAt(main.layer.places, "config/untrusted", `\`${name}\` is not trusted; it ${words}`, []);
}

function profileLayers(person: LayerTable, catalogue: Catalogue, problems: Problem[]): LayerTable[] {
  const node = nodeAt(person, ["mcp", "context"]);
  const context = leafValue(node) ?? "default";
  if (typeof context !== "string") return [];
  const layers = expandShipped(`profiles/${context}`, catalogue);
  if (layers.length === 0 && node) {
    problems.push(
      problemAt(node.layer.places, "config/unknown-preset", `there is no profile \`${context}\``, node.path, {
        suggestion: nearest(context, catalogue.profiles()),
        fix: `Use one of \`${catalogue.profiles().join("`, `")}\`.`,
      }),
    );
  }
  return layers.map(layerTable);
}

/** The embedded default where there is no config; only its servers where a config names none. */
function embeddedLayers(
  request: ConfigRequest,
  catalogue: Catalogue,
  kind: Discovered["kind"],
  layers: readonly LayerTable[],
): LayerTable[] {
  const hasServers = layers.some((layer) => itemsOf(layer.entries.get("servers")).length > 0);
  if (!request.embedded || (hasServers && kind !== "embedded")) return [];
  const whole = request.embedded(catalogue.presets().map((preset) => preset.config));
  const { servers, ...rest } = whole;
  const tree: JsonObject = {
    ...(kind === "embedded" ? rest : {}),
    ...(hasServers || servers === undefined ? {} : { servers }),
  };
  return [layerTable({ origin: "config", places: nowhere("embedded default"), tree })];
}

function bringsTool(profile: string, tool: string, catalogue: Catalogue): boolean {
  return expandShipped(`profiles/${profile}`, catalogue).some((layer) =>
    itemsOf(layerTable(layer).entries.get("tools")).some(
      (node) => leafValue(nodeAt(node, ["name"])) === tool,
    ),
  );
}

function mainOf({ mainFile, hash }: FoundLayers): LoadedConfig["main"] {
  if (mainFile.kind === "embedded") return { kind: "embedded", file: null, hash: null };
  return { kind: mainFile.kind, file: mainFile.file, hash };
}

/** File by file in the order in which they were met, each from top to bottom. */
function byFile(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map((problem) => problem.place?.file))];
  return files.flatMap((file) => inOrder(problems.filter((problem) => problem.place?.file === file)));
}

function identityOf(problem: Problem): string {
  const { place } = problem;
  return JSON.stringify([problem.code, place?.file, place?.line, place?.column, problem.message]);
}
