/**
 * Everything together: find the config, layer it over profile and user, complete the servers, validate, and answer
 * with a Config whose every value knows where it came from. Either that, or all problems at once.
 */
import type { JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { sortedSet, uniqueBy } from "../base/order.js";
import { fromPointer } from "../base/pointer.js";
import { ConfigError, type Place, type Problem } from "../base/problem.js";
import { Catalogue } from "./catalogue/catalogue.js";
import { readClients } from "./catalogue/clients.js";
import { applyPresets, commandsAsShipped, commandsFromEnvironment } from "./catalogue/presets.js";
import { baseOf, type Discovered, discover, trustName } from "./discover.js";
import { expandFile, expandShipped, hashOf } from "./expand.js";
import type { Files } from "./files.js";
import {
  AUTO_CONTEXT,
  boundsOf,
  type ConfigRequest,
  type FoundLayers,
  findLayers,
  readUser,
} from "./gather.js";
import {
  itemsOf,
  type LayerNode,
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
import { isLspiTool } from "./lspi.js";
import { salvage, UnusableConfig } from "./salvage.js";
import { type Config, configSchema } from "./schema.js";
import { inOrder } from "./text/read.js";
import { type Path, problemAt } from "./text/source.js";
import { type Grants, grantsOf } from "./trust/grants.js";
import { beyondSealed, judgeFound, sealOf } from "./trust/judge.js";
import { parseTree } from "./validate.js";

export { AUTO_CONTEXT, type ConfigRequest } from "./gather.js";

/** What some clients, known by the names that they give themselves, hand to their model. */
export interface ClientForm {
  names: string[];
  result: "structured" | "text" | "both";
  /** Characters of one answer, or null where the profile says nothing of them. */
  maxChars: number | null;
}

export interface LoadedConfig {
  config: Config;
  /** Absolute folder that relative folders of the workspace start from. */
  base: string;
  /** Absolute folder of the config itself, from which its own files start. */
  folder: string;
  main: { kind: "named" | "discovered" | "embedded"; file: string | null; hash: string | null };
  warnings: Problem[];
  /** Every program that may be started without `allow.commands`: the catalogue's, sorted. */
  catalogueCommands: string[];
  /** The place of a value of `config`. */
  locate(pointer: string): Place | undefined;
  /** The shipped config that a value came from, or `config`. */
  origin(pointer: string): string;
  /** The shipped profiles that bring a tool. */
  toolProfiles(name: string): string[];
  /** Whether lspi 0.2 has a tool of that name. */
  isLspiTool(name: string): boolean;
  /** Whether the profile lets a value be narrowed only. */
  isSealed(pointer: string): boolean;
  /** The clients that the surface suits itself to; none where the config names a profile. */
  clientForms: ClientForm[];
}

/** Loads a workspace's config. Throws an UnusableConfig with every problem there is. */
export function loadConfig(request: ConfigRequest, files: Files): LoadedConfig {
  const catalogue = new Catalogue(request.shipped, files);
  const found = findLayers(request, catalogue, files);
  const { warnings, problems } = found;

  const person = mergeLayers([...found.user, ...found.main, found.commandLine]);
  const isAuto = leafValue(nodeAt(person, ["mcp", "context"])) === AUTO_CONTEXT;
  const profile = profileLayers(person, catalogue, problems);
  const sealed = mergeLayers(profile);
  problems.push(...beyondSealed(person, sealed, found.base, files));
  const below = [
    ...profile,
    ...embeddedLayers(request, catalogue, found.mainFile.kind, [...profile, person]),
  ];
  const whole = applyPresets(mergeLayers([...below, person]), catalogue, request.env);
  const merged = withEntries(whole.config, { extends: undefined, $schema: undefined });
  problems.push(...whole.problems, ...catalogue.problems);
  const tree = toTable(merged);
  const places = mergedPlaces(merged);
  const checked = parseTree(configSchema, tree, places);
  // A layer's own mistakes are known already; what is left to find in the whole is what no layer brought.
  problems.push(
    ...checked.problems.filter((problem) => problems.length === 0 || problem.code === "config/missing-key"),
  );
  const loaded = {
    base: found.base,
    folder: found.folder,
    main: mainOf(found),
    warnings,
    catalogueCommands: sortedSet([
      ...catalogue.commands(),
      ...commandsFromEnvironment(catalogue, request.env),
      ...commandsAsShipped(merged),
    ]),
    locate: (pointer: string) => {
      const node = askedFor(merged, person, fromPointer(pointer));
      return node?.layer.places.place(node.path, "value");
    },
    origin: (pointer: string) => nodeAt(merged, fromPointer(pointer))?.layer.origin ?? "config",
    toolProfiles: (name: string) =>
      catalogue.profiles().filter((profile) => bringsTool(profile, name, catalogue)),
    isLspiTool,
    isSealed: sealOf(sealed),
    clientForms: isAuto ? formsOf(request.shipped, catalogue, files) : [],
  };
  if (problems.length === 0 && checked.value !== undefined) return { ...loaded, config: checked.value };
  const all = byFile(uniqueBy(problems, identityOf));
  throw new UnusableConfig(all, salvage(tree, all, loaded));
}

/** The node at a path; what a preset or a stack says of a server stands for a person where they asked for it. */
function askedFor(merged: LayerTable, person: LayerTable, path: Path): LayerNode | undefined {
  const node = nodeAt(merged, path);
  const [list, index = 0] = path;
  if (node === undefined || list !== "servers" || !isOfCatalogue(node)) return node;
  const asking = ["kind", "adapter"].flatMap((key) => nodeAt(merged, [list, index, key]) ?? []);
  return asking.find((other) => !isOfCatalogue(other)) ?? nodeAt(person, ["extends"]) ?? node;
}

function isOfCatalogue({ layer }: LayerNode): boolean {
  return /^configs\/(servers|stacks)\//.test(layer.origin);
}

/** What `lsp-proxy trust` must show before it records anything: the discovered file, what it grants, and what is held back even so. */
export function inspectDiscovered(
  request: ConfigRequest,
  files: Files,
): { file: string; hash: string; grants: Grants; held: Problem[]; problems: Problem[] } | undefined {
  const found = discover({ ...request, configPath: undefined, env: {} }, files);
  if (found.kind === "missing") throw new ConfigError([found.problem]);
  if (found.kind === "embedded") return undefined;
  const catalogue = new Catalogue(request.shipped, files);
  const expanded = expandFile(found.file, found.content, { catalogue, files, within: request.workspace });
  const config = mergeLayers(expanded.layers.map(layerTable));
  const whole = applyPresets(config, catalogue, request.env);
  const user = readUser(request, catalogue, files);
  const bounds = boundsOf(request, catalogue, user.layers.map(layerTable));
  const base = baseOf(found.file);
  const judge = (isTrusted: boolean) => judgeFound(config, bounds, { base, files, isTrusted });
  return {
    file: trustName(request.workspace, found.file, files),
    hash: hashOf(expanded.own, found.file),
    grants: grantsOf(judge(false).asks, whole.config),
    held: judge(true).warnings,
    problems: [...expanded.problems, ...whole.problems],
  };
}

function profileLayers(person: LayerTable, catalogue: Catalogue, problems: Problem[]): LayerTable[] {
  const node = nodeAt(person, ["mcp", "context"]);
  const context = leafValue(node) ?? "default";
  if (typeof context !== "string") return [];
  const layers = expandShipped(`profiles/${context === AUTO_CONTEXT ? "default" : context}`, catalogue);
  if (layers.length === 0) {
    const known = sortedSet([AUTO_CONTEXT, ...catalogue.profiles()]);
    problems.push(
      problemAt(
        (node ?? person).layer.places,
        "config/unknown-preset",
        `there is no profile \`${context}\``,
        (node ?? person).path,
        {
          suggestion: nearest(context, known),
          fix: `Use one of \`${known.join("`, `")}\`.`,
        },
      ),
    );
  }
  return layers.map(layerTable);
}

/** What each client's own profile says of the form and the size of an answer. */
function formsOf(shipped: string, catalogue: Catalogue, files: Files): ClientForm[] {
  return readClients(shipped, files).map(({ client_info: names, context }) => {
    const profile = mergeLayers(expandShipped(`profiles/${context}`, catalogue).map(layerTable));
    const result = leafValue(nodeAt(profile, ["dialect", "result"]));
    const maxChars = leafValue(nodeAt(profile, ["mcp", "output", "max_total_chars_default"]));
    return {
      names,
      result: result === "structured" || result === "text" ? result : "both",
      maxChars: typeof maxChars === "number" ? maxChars : null,
    };
  });
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
  const whole = request.embedded(catalogue.facts());
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
