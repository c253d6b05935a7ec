/** Completes each server of a config from its preset: `kind` brings everything, `adapter` only quirks. */
import { basename } from "node:path";
import { codes } from "../../base/codes.js";
import { isTable, type Json } from "../../base/json.js";
import type { Problem } from "../../base/problem.js";
import type { Environment } from "../discover.js";
import { launchedBy } from "../import/launchers.js";
import {
  itemsOf,
  type Layer,
  type LayerTable,
  layerTable,
  leafValue,
  mergeTables,
  nodeAt,
  serverRule,
  withEntries,
} from "../layer.js";
import { problemAt } from "../text/source.js";
import { type Catalogue, type Preset, presetLayer, untrustedSettings } from "./catalogue.js";
import type { PresetFacts } from "./preset-index.js";

/** Programs that the environment sets in place of a preset's own. */
export function commandsFromEnvironment(catalogue: Catalogue, env: Environment): string[] {
  return catalogue.facts().flatMap((facts) => commandFrom(facts, env) ?? []);
}

function commandFrom({ command_env: variable }: PresetFacts, env: Environment): string | undefined {
  return variable === undefined ? undefined : env[variable] || undefined;
}

/** Programs of servers whose command and arguments both come from a preset. */
export function commandsAsShipped(config: LayerTable): string[] {
  return itemsOf(config.entries.get("servers")).flatMap((server) => {
    const [command, args] = [nodeAt(server, ["command"]), nodeAt(server, ["args"])];
    const program = leafValue(command) ?? leafValue(itemsOf(command)[0]);
    const isShipped = [command, args].every((node) => node?.layer.origin.startsWith("configs/servers/"));
    return typeof program === "string" && isShipped ? [program] : [];
  });
}

/** The config with every server merged over its preset. */
export function applyPresets(
  config: LayerTable,
  catalogue: Catalogue,
  env: Environment,
): { config: LayerTable; problems: Problem[] } {
  const servers = config.entries.get("servers");
  if (servers?.kind !== "list") return { config, problems: [] };
  const problems: Problem[] = [];
  const items = servers.items.map((server) => {
    if (server.kind !== "table") return server;
    const running = presetsRunning(server, catalogue);
    const below = [
      ...kindLayers(server, catalogue, env, problems),
      ...adapterLayers(server, catalogue, problems),
      ...programLayers(server, running),
    ];
    return [...below, ...noStartLayers(below, running)]
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
  // lspi starts a generic server with `--stdio` by default.
  if (kind === "generic") return [impliedLayer(server, { args: ["--stdio"] })];
  const preset = catalogue.preset(kind);
  if (!preset) {
    problems.push(unknownPreset(server, "kind", kind, catalogue));
    return [];
  }
  const command = commandFrom(preset.config, env);
  return [presetLayer(preset, "kind"), ...(command ? [impliedLayer(server, { command })] : [])];
}

function adapterLayers(server: LayerTable, catalogue: Catalogue, problems: Problem[]): Layer[] {
  const adapter = leafValue(server.entries.get("adapter"));
  if (typeof adapter !== "string") return [];
  const preset = catalogue.preset(adapter);
  if (preset) return [presetLayer(preset, "adapter")];
  problems.push(unknownPreset(server, "adapter", adapter, catalogue));
  return [];
}

/** A server that names only a program gets the settings for untrusted workspaces of that program's preset. */
function programLayers(server: LayerTable, running: readonly Preset[]): Layer[] {
  const value = (key: string) => leafValue(server.entries.get(key));
  if ((value("kind") ?? "generic") !== "generic" || value("adapter") !== undefined) return [];
  return running.slice(0, 1).map(untrustedLayer);
}

/** If any preset forbids the start in an untrusted workspace, it is forbidden; only the server's own table overrides that. */
function noStartLayers(below: readonly Layer[], running: readonly Preset[]): Layer[] {
  return [...below, ...running.map(untrustedLayer)]
    .filter(({ tree: { untrusted } }) => isTable(untrusted) && untrusted.start === false)
    .slice(0, 1)
    .map((layer) => ({ ...layer, tree: { untrusted: { start: false } } }));
}

function untrustedLayer(preset: Preset): Layer {
  return { ...preset.layer, tree: { untrusted: untrustedSettings(preset) } };
}

/** The presets whose programs a server's command names: the program itself, what a launcher starts, or an argument. */
function presetsRunning(server: LayerTable, catalogue: Catalogue): Preset[] {
  const command = server.entries.get("command");
  const [program, ...more] = [leafValue(command) ?? itemsOf(command).map(leafValue)].flat();
  if (typeof program !== "string") return [];
  const args = [...more, ...itemsOf(server.entries.get("args")).map(leafValue)] as Json[];
  const own = catalogue.presetRunning(basename(program), args);
  if (own !== undefined) return [own];
  const launched = launchedBy(basename(program), args.map(String));
  if (launched !== undefined)
    return [catalogue.presetRunning(catalogue.programIn(launched.name), launched.args) ?? []].flat();
  return args.flatMap((word, at) =>
    typeof word === "string" && !word.startsWith("-")
      ? (catalogue.presetRunning(basename(word), args.slice(at + 1)) ?? [])
      : [],
  );
}

/** A layer that is in no file; its values have the place of the server. */
function impliedLayer(server: LayerTable, tree: Layer["tree"]): Layer {
  const { places, origin } = server.layer;
  return {
    origin,
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
  catalogue: Catalogue,
): Problem {
  const { layer, path } = server.entries.get(key) ?? server;
  const suggestion = catalogue.nearestPreset(name);
  const fix =
    suggestion === undefined ? codes["config/unknown-preset"].fix : `Write \`${key} = "${suggestion}"\`.`;
  const message = `there is no preset \`${name}\``;
  return problemAt(layer.places, "config/unknown-preset", message, path, { suggestion, fix });
}
