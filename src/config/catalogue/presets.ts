/** Lays each server over its preset: `kind` brings everything, `adapter` only quirks, the environment a program. */
import { basename } from "node:path";
import { codes } from "../../base/codes.js";
import { isTable, type Json } from "../../base/json.js";
import type { Problem } from "../../base/problem.js";
import type { Environment } from "../discover.js";
import { fetched } from "../foreign/fetchers.js";
import {
  itemsOf,
  type Layer,
  type LayerNode,
  type LayerTable,
  layerTable,
  leafValue,
  mergeTables,
  nodeAt,
  serverRule,
  withEntries,
} from "../layer.js";
import { problemAt } from "../text/source.js";
import { type Catalogue, forStrangers, type Preset, presetLayer } from "./catalogue.js";
import type { PresetFacts } from "./preset-index.js";

/** Programs that the environment puts in the place of a preset's. */
export function commandsFromEnvironment(catalogue: Catalogue, env: Environment): string[] {
  return catalogue.facts().flatMap((facts) => commandFrom(facts, env) ?? []);
}

function commandFrom({ command_env: variable }: PresetFacts, env: Environment): string | undefined {
  return variable === undefined ? undefined : env[variable] || undefined;
}

/** Programs that servers take over from a preset with its arguments: what they run is what the catalogue says. */
export function commandsAsShipped(config: LayerTable): string[] {
  return itemsOf(config.entries.get("servers")).flatMap((server) => {
    const [command, args] = [nodeAt(server, ["command"]), nodeAt(server, ["args"])];
    const program = leafValue(command) ?? leafValue(itemsOf(command)[0]);
    return typeof program === "string" && [command, args].every(isShipped) ? [program] : [];
  });
}

function isShipped(node: LayerNode | undefined): boolean {
  return node?.layer.origin.startsWith("configs/servers/") ?? false;
}

/** The config with every server complete. */
export function applyPresets(
  config: LayerTable,
  catalogue: Catalogue,
  env: Environment,
): { config: LayerTable; problems: Problem[] } {
  const servers = config.entries.get("servers");
  if (servers?.kind !== "list") return { config, problems: [] };
  const problems: Problem[] = [];
  const items = itemsOf(servers).map((server) => {
    if (server.kind !== "table") return server;
    const run = presetsRun(server, catalogue);
    const below = [
      ...kindLayers(server, catalogue, env, problems),
      ...adapterLayers(server, catalogue, problems),
      ...programLayers(server, run),
    ];
    return [...below, ...heldLayers(below, run)]
      .map(layerTable)
      .concat(server)
      .reduce((under, over) => mergeTables(under, over, serverRule));
  });
  return { config: withEntries(config, { servers: { ...servers, items } }), problems };
}

function kindLayers(
  server: LayerTable,
  catalogue: Catalogue,
  env: Environment,
  problems: Problem[],
): Layer[] {
  const kind = leafValue(server.entries.get("kind"));
  if (typeof kind !== "string") return [];
  // lspi starts a generic server with `--stdio` unless told otherwise.
  if (kind === "generic") return [beside(server, { args: ["--stdio"] })];
  const preset = catalogue.preset(kind);
  if (!preset) {
    problems.push(unknownPreset(server, "kind", kind, catalogue.nearestPreset(kind)));
    return [];
  }
  const command = commandFrom(preset.config, env);
  return [presetLayer(preset, "kind"), ...(command ? [beside(server, { command })] : [])];
}

function adapterLayers(server: LayerTable, catalogue: Catalogue, problems: Problem[]): Layer[] {
  const adapter = leafValue(server.entries.get("adapter"));
  if (typeof adapter !== "string") return [];
  const preset = catalogue.preset(adapter);
  if (preset) return [presetLayer(preset, "adapter")];
  problems.push(unknownPreset(server, "adapter", adapter, catalogue.nearestPreset(adapter)));
  return [];
}

/** How a server that was named by its program alone is kept from a stranger's code: as the preset of that program says. */
function programLayers(server: LayerTable, run: readonly Preset[]): Layer[] {
  const named = (key: string) => leafValue(server.entries.get(key));
  if ((named("kind") ?? "generic") !== "generic" || named("adapter") !== undefined) return [];
  return run.slice(0, 1).map((preset) => ({ ...preset.layer, tree: { untrusted: forStrangers(preset) } }));
}

/** Of several words about workspaces that nobody trusts the strictest counts; only the server's own table says otherwise. */
function heldLayers(below: readonly Layer[], run: readonly Preset[]): Layer[] {
  const layers = run.map(({ layer, ...preset }) => ({
    ...layer,
    tree: { untrusted: forStrangers({ layer, ...preset }) },
  }));
  return [...below, ...layers]
    .filter(({ tree: { untrusted } }) => isTable(untrusted) && untrusted.start === false)
    .slice(0, 1)
    .map((layer) => ({ ...layer, tree: { untrusted: { start: false } } }));
}

/** The presets whose programs a server's own words name: the program, what a launcher runs, a script or a link to it. */
function presetsRun(server: LayerTable, catalogue: Catalogue): Preset[] {
  const command = server.entries.get("command");
  const [program, ...more] = [leafValue(command) ?? itemsOf(command).map(leafValue)].flat();
  if (typeof program !== "string") return [];
  const words = [...more, ...itemsOf(server.entries.get("args")).map(leafValue)] as Json[];
  const own = catalogue.presetRunning(basename(program), words);
  if (own !== undefined) return [own];
  const found = fetched(basename(program), words.map(String));
  if (found !== undefined)
    return [catalogue.presetRunning(catalogue.programIn(found.name), found.args) ?? []].flat();
  return words.flatMap((word, at) =>
    typeof word === "string" && !word.startsWith("-")
      ? (catalogue.presetRunning(basename(word), words.slice(at + 1)) ?? [])
      : [],
  );
}

/** A layer that no file wrote; its values stand where the server stands. */
function beside(server: LayerTable, tree: Layer["tree"]): Layer {
  const { places } = server.layer;
  return {
    origin: server.layer.origin,
    tree,
    places: {
      place: (_, part) => places.place(server.path, part),
      pointer: () => places.pointer(server.path),
    },
  };
}

function unknownPreset(
  server: LayerTable,
  key: "kind" | "adapter",
  name: string,
  suggestion: string | undefined,
): Problem {
  const node = server.entries.get(key) ?? server;
  return problemAt(node.layer.places, "config/unknown-preset", `there is no preset \`${name}\``, node.path, {
    suggestion,
    fix:
      suggestion === undefined ? codes["config/unknown-preset"].fix : `Write \`${key} = "${suggestion}"\`.`,
  });
}
