/** Completes each server of a config from its preset: `kind` brings everything, `adapter` only quirks. */
import { basename } from "node:path";
import { isTable, type Json } from "../../base/json.js";
import type { Problem } from "../../base/problem.js";
import type { Environment } from "../discover.js";
import { launchedBy } from "../import/launchers.js";
import {
  itemsAt,
  type Layer,
  type LayerTable,
  layerTable,
  mergeTables,
  nodeAt,
  serverRule,
  valueAt,
  withEntries,
} from "../layer.js";
import { problemAt } from "../text/source.js";
import { type Catalogue, type Preset, presetLayer, untrustedSettings } from "./catalogue.js";
import type { PresetFacts } from "./preset-index.js";

/** Programs that the environment sets in place of a preset's own. */
export function commandsFromEnvironment(catalogue: Catalogue, env: Environment): string[] {
  return catalogue.facts().flatMap((facts) => commandFrom(facts, env) ?? []);
}

function commandFrom({ command_env: variable = "" }: Partial<PresetFacts>, env: Environment) {
  return env[variable] || undefined;
}

/** Programs of servers whose command and arguments both come from a preset. */
export function commandsAsShipped(config: LayerTable): string[] {
  return itemsAt(config, "servers").flatMap((server) => {
    const command = nodeAt(server, ["command"]);
    const args = nodeAt(server, ["args"]);
    const program = valueAt(command) ?? valueAt(itemsAt(command)[0]);
    const isShipped = [command, args].every((node) => node?.layer.origin.startsWith("configs/servers/"));
    return typeof program === "string" && isShipped ? [program] : [];
  });
}

/**
 * The programs of servers that a person describes without a preset.
 * An interpreter of the catalogue would allow any code.
 */
export function commandsWritten(config: LayerTable, catalogue: Catalogue): string[] {
  const interpreters = catalogue
    .facts()
    .flatMap(({ interpreter, command }) => (interpreter ? [command ?? []].flat().slice(0, 1) : []));
  return itemsAt(config, "servers").flatMap((server) => {
    const kind = valueAt(server, "kind") ?? "generic";
    const command = nodeAt(server, ["command"]);
    const program = valueAt(command) ?? valueAt(itemsAt(command)[0]);
    const isOwn = kind === "generic" && valueAt(server, "adapter") === undefined;
    return isOwn && typeof program === "string" && !interpreters.includes(basename(program)) ? [program] : [];
  });
}

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
    const layers = layersBelow(server, catalogue, env, problems);
    return [...layers.map(layerTable), server].reduce((under, over) => mergeTables(under, over, serverRule));
  });
  return { config: withEntries(config, { servers: { ...servers, items } }), problems };
}

function layersBelow(
  server: LayerTable,
  catalogue: Catalogue,
  env: Environment,
  problems: Problem[],
): Layer[] {
  const kind = valueAt(server, "kind");
  const adapter = valueAt(server, "adapter");
  const layers: Layer[] = [];
  const presetOf = (key: "kind" | "adapter", name: string) => {
    const preset = catalogue.preset(name);
    if (preset) layers.push(presetLayer(preset, key));
    else problems.push(unknownPreset(server, key, name, catalogue));
    return preset;
  };
  // lspi starts a generic server with `--stdio` by default.
  if (kind === "generic") layers.push(impliedLayer(server, { args: ["--stdio"] }));
  else if (typeof kind === "string") {
    const command = commandFrom(presetOf("kind", kind)?.config ?? {}, env);
    if (command) layers.push(impliedLayer(server, { command }));
  }
  if (typeof adapter === "string") presetOf("adapter", adapter);
  const running = presetsRunning(server, catalogue).map((preset) => ({
    ...preset.layer,
    tree: { untrusted: untrustedSettings(preset) },
  }));
  // A server that names only a program gets the settings for untrusted workspaces of that program's preset.
  if ((kind ?? "generic") === "generic" && adapter === undefined) layers.push(...running.slice(0, 1));
  // If any preset forbids the start in untrusted workspaces, only the server's own table can allow it.
  const forbidding = [...layers, ...running].find(
    ({ tree: { untrusted } }) => isTable(untrusted) && untrusted.start === false,
  );
  return forbidding ? [...layers, { ...forbidding, tree: { untrusted: { start: false } } }] : layers;
}

/** More words than any preset has after its program. */
const MAX_PRESET_WORDS = 64;

/** The presets whose programs a server's command names: the program itself, what a launcher starts, or an argument. */
function presetsRunning(server: LayerTable, catalogue: Catalogue): Preset[] {
  const command = server.entries.get("command");
  const [program, ...more] = [valueAt(command) ?? itemsAt(command).map((node) => valueAt(node))].flat();
  if (typeof program !== "string") return [];
  const args = [...more, ...itemsAt(server, "args").map((node) => valueAt(node))] as Json[];
  const own = catalogue.presetRunning(basename(program), args);
  if (own !== undefined) return [own];
  const launched = launchedBy(basename(program), args.map(String));
  if (launched !== undefined)
    return [catalogue.presetRunning(catalogue.programIn(launched.name), launched.args) ?? []].flat();
  // The words after a program are compared with those of presets, which are few.
  return args.flatMap((word, at) =>
    typeof word === "string" && !word.startsWith("-") && args.length - at <= MAX_PRESET_WORDS
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
  const fix = suggestion && `Write \`${key} = "${suggestion}"\`.`;
  const message = `there is no preset \`${name}\``;
  return problemAt(layer.places, "config/unknown-preset", message, path, { suggestion, fix });
}
