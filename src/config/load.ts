/**
 * Loads a config: merges its layers, completes the servers and validates. The result is a Config, or all its problems.
 */
import { fromPointer, type JsonObject } from "../base/json.js";
import { nearest } from "../base/nearest.js";
import { sortedSet, uniqueBy } from "../base/order.js";
import type { Problem, ProblemPlace } from "../base/problem.js";
import { Catalogue } from "./catalogue/catalogue.js";
import { readClients } from "./catalogue/clients.js";
import type { PresetFacts } from "./catalogue/preset-index.js";
import {
  applyPresets,
  commandsAsShipped,
  commandsFromEnvironment,
  commandsWritten,
} from "./catalogue/presets.js";
import {
  AUTO_CONTEXT,
  type CollectedLayers,
  type ConfigRequest,
  collectLayers,
  inspectConfig,
  profileTables,
  readUserConfig,
} from "./collect-layers.js";
import { discover } from "./discover.js";
import type { Files } from "./files.js";
import {
  itemsAt,
  type LayerNode,
  type LayerTable,
  layerTable,
  mergedPlaces,
  mergeLayers,
  nodeAt,
  tableWithoutFile,
  toTable,
  valueAt,
  withEntries,
} from "./layer.js";
import { type Config, configSchema } from "./schema.js";
import { inOrder } from "./text/read.js";
import { type Path, problemAt } from "./text/source.js";
import type { Grants } from "./trust/grants.js";
import { exceedingSealed, sealedBy } from "./trust/restrict.js";
import { UnusableConfig, usablePart } from "./usable-part.js";
import { parseTree } from "./validate.js";

export { AUTO_CONTEXT, type ConfigRequest } from "./collect-layers.js";

/** Which form of an answer some clients, by the names in their handshake, show to their model. */
export interface ClientForm {
  names: string[];
  result: "structured" | "text" | "both";
  /** Characters of one answer, or null where the profile sets no limit. */
  maxChars: number | null;
}

export interface LoadedConfig {
  config: Config;
  /** Absolute folder that relative folders of the workspace start from. */
  base: string;
  /** Absolute folder of the config itself, which its own files are relative to. */
  folder: string;
  main: CollectedLayers["mainFile"];
  /** Whether the main config is named or trusted. A found one that only limits is used without trust. */
  isTrusted: boolean;
  warnings: Problem[];
  /** The programs that may be started without `allow.commands`, sorted. */
  catalogueCommands: string[];
  locate(pointer: string): ProblemPlace | undefined;
  /** The shipped config that a value came from, or `config`. */
  origin(pointer: string): string;
  toolProfiles(name: string): string[];
  /** Whether the profile allows a value only to be narrowed. */
  isSealed(pointer: string): boolean;
  /** The id of the preset that a `kind` names. */
  presetId(kind: string): string | undefined;
  /** The clients that answers adapt to; none where the config names a profile. */
  clientForms: ClientForm[];
}

/** A config whose layers are read. */
export interface OpenedConfig {
  /** Where servers have to be chosen, because no layer names any; undefined if one does. */
  lacksServers: { base: string; isNamed: boolean; presets(): PresetFacts[] } | undefined;
  /** Merges and validates the whole, with a layer of chosen servers. Throws an UnusableConfig with all problems. */
  finish(chosen?: JsonObject): LoadedConfig;
}

/** Loads a workspace's config. Throws an UnusableConfig with all problems. */
export function loadConfig(request: ConfigRequest, files: Files): LoadedConfig {
  return openConfig(request, files).finish();
}

/** Reads the layers of a workspace's config. The rest may wait for a search of the workspace. */
export function openConfig(request: ConfigRequest, files: Files): OpenedConfig {
  const catalogue = new Catalogue(request.shipped, files);
  const layers = collectLayers(request, catalogue);
  const { problems, base, mainFile } = layers;
  const person = mergeLayers([...layers.user, ...layers.main, layers.commandLine]);
  const profile = profileLayers(person, catalogue, problems);
  const sealed = mergeLayers(profile);
  problems.push(...exceedingSealed(person, sealed, { base, files }));
  const hasServers = [...profile, person].some((layer) => itemsAt(layer, "servers").length > 0);
  const isNamed = mainFile.kind === "named";
  return {
    lacksServers: hasServers ? undefined : { base, isNamed, presets: () => catalogue.facts() },
    finish: (chosen) => {
      const embedded = chosen === undefined ? [] : [tableWithoutFile("embedded default", chosen)];
      return finishLoading({ request, catalogue, layers, profile, sealed, person, embedded });
    },
  };
}

interface ReadLayers {
  request: ConfigRequest;
  catalogue: Catalogue;
  layers: CollectedLayers;
  profile: LayerTable[];
  sealed: LayerTable;
  person: LayerTable;
  embedded: LayerTable[];
}

function finishLoading(read: ReadLayers): LoadedConfig {
  const { request, catalogue, layers, profile, sealed, person, embedded } = read;
  const { problems, base, folder } = layers;
  const whole = applyPresets(mergeLayers([...profile, ...embedded, person]), catalogue, request.env);
  const merged = withEntries(whole.config, { extends: undefined, $schema: undefined });
  problems.push(...whole.problems, ...catalogue.problems);
  const tree = toTable(merged);
  const checked = parseTree(configSchema, tree, mergedPlaces(merged));
  // The layers were validated alone; only what no layer sets can be missing in the whole.
  problems.push(
    ...checked.problems.filter((problem) => problems.length === 0 || problem.code === "config/missing-key"),
  );
  const isAuto = valueAt(person, "mcp", "context") === AUTO_CONTEXT;
  const loaded = {
    base,
    folder,
    main: layers.mainFile,
    isTrusted: layers.isTrusted,
    warnings: layers.warnings,
    catalogueCommands: sortedSet([
      ...catalogue.commands(),
      ...commandsFromEnvironment(catalogue, request.env),
      ...commandsAsShipped(merged),
      ...commandsWritten(mergeLayers([...layers.user, ...(layers.isTrusted ? layers.main : [])]), catalogue),
    ]),
    locate: (pointer: string) => {
      const node = requestingNode(merged, person, fromPointer(pointer));
      return node?.layer.places.place(node.path, "value");
    },
    origin: (pointer: string) => nodeAt(merged, fromPointer(pointer))?.layer.origin ?? "config",
    toolProfiles: (name: string) => {
      const tools = (profile: string) => itemsAt(mergeLayers(profileTables(profile, catalogue)), "tools");
      return catalogue.profiles().filter((one) => tools(one).some((tool) => valueAt(tool, "name") === name));
    },
    isSealed: sealedBy(sealed),
    presetId: (kind: string) => catalogue.preset(kind)?.config.id,
    clientForms: isAuto ? clientForms(request.shipped, catalogue) : [],
  };
  if (problems.length === 0 && checked.value !== undefined) return { ...loaded, config: checked.value };
  const all = byFile(uniqueBy(problems, identityOf));
  // Which of two configs counts must be known before one of them is fixed or trusted.
  const rivals = layers.warnings.filter(({ code }) => code === "config/two-configs");
  throw new UnusableConfig([...rivals, ...all], usablePart(tree, all, loaded));
}

/** The node at a path. For a value of a preset or a stack: where the person asked for that preset or stack. */
function requestingNode(merged: LayerTable, person: LayerTable, path: Path): LayerNode | undefined {
  const node = nodeAt(merged, path);
  const [list, index = 0] = path;
  if (node === undefined || list !== "servers" || !isOfCatalogue(node)) return node;
  const requests = ["kind", "adapter"].flatMap((key) => nodeAt(merged, [list, index, key]) ?? []);
  return requests.find((other) => !isOfCatalogue(other)) ?? nodeAt(person, ["extends"]) ?? node;
}

function isOfCatalogue({ layer }: LayerNode): boolean {
  return /^configs\/(servers|stacks)\//.test(layer.origin);
}

interface FoundConfig {
  file: string;
  hash: string;
  grants: Grants;
  held: Problem[];
  problems: Problem[];
  /** Names of further configs in the workspace, which do not count. */
  ignored: string[];
}

/** A discovered config for `lsp-proxy trust`: what trusting it grants, and what is ignored even then. */
export function inspectDiscovered(request: ConfigRequest, files: Files): FoundConfig | undefined {
  const found = discover({ ...request, configPath: undefined, env: {} }, files);
  if (found.kind === "embedded") return undefined;
  const catalogue = new Catalogue(request.shipped, files);
  const user = readUserConfig(request, catalogue).layers.map(layerTable);
  const { name, hash, grants, restrict, ...others } = inspectConfig(request, found, user, catalogue);
  return {
    file: name,
    hash,
    grants: grants(),
    held: restrict(true).warnings,
    problems: [...others.problems, ...others.presetProblems],
    ignored: found.kind === "discovered" ? found.ignored : [],
  };
}

function profileLayers(person: LayerTable, catalogue: Catalogue, problems: Problem[]): LayerTable[] {
  const node = nodeAt(person, ["mcp", "context"]);
  const context = valueAt(node) ?? "default";
  if (typeof context !== "string") return [];
  const layers = profileTables(context, catalogue);
  if (layers.length === 0) {
    const known = sortedSet([AUTO_CONTEXT, ...catalogue.profiles()]);
    const { layer, path } = node ?? person;
    const message = `there is no profile \`${context}\``;
    const fix = `Use one of \`${known.join("`, `")}\`.`;
    const suggestion = nearest(context, known);
    problems.push(problemAt(layer.places, "config/unknown-preset", message, path, { suggestion, fix }));
  }
  return layers;
}

function clientForms(shipped: string, catalogue: Catalogue): ClientForm[] {
  return readClients(shipped, catalogue.files).map(({ client_info: names, context }) => {
    const profile = mergeLayers(profileTables(context, catalogue));
    const result = valueAt(profile, "dialect", "result");
    const maxChars = valueAt(profile, "mcp", "output", "max_total_chars_default");
    return {
      names,
      result: result === "structured" || result === "text" ? result : "both",
      maxChars: typeof maxChars === "number" ? maxChars : null,
    };
  });
}

/** Problems file by file in the order in which the files were read, each sorted by place. */
function byFile(problems: readonly Problem[]): Problem[] {
  const files = [...new Set(problems.map((problem) => problem.place?.file))];
  return files.flatMap((file) => inOrder(problems.filter((problem) => problem.place?.file === file)));
}

function identityOf({ code, message, place }: Problem): string {
  return JSON.stringify([code, place?.file, place?.line, place?.column, message]);
}
