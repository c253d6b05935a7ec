/**
 * Reads the shipped configs: presets in `servers/`, tools in `tools/`, stacks in `stacks/`, profiles in `profiles/`.
 */
import { join } from "node:path";
import { canonicalText, isTable, type Json, type JsonObject } from "../../base/json.js";
import { nearest } from "../../base/nearest.js";
import { sortBy, sortedSet } from "../../base/order.js";
import type { Problem } from "../../base/problem.js";
import { commentOf } from "../edit/server-text.js";
import { asText, type Files } from "../files.js";
import { packageName } from "../import/launchers.js";
import type { Layer } from "../layer.js";
import type { InstallConfig } from "../schema/install.js";
import { configSchema, type PresetConfig, presetSchema, serverSchema } from "../schema.js";
import { readSource } from "../text/read.js";
import { validate } from "../validate.js";
import { INDEX_FILE, type PresetFacts, presetFacts, programOf, readIndex } from "./preset-index.js";

/** A preset and its layer; the layer's tree is the preset itself. */
export interface Preset {
  config: PresetConfig;
  /** The comment at the start of its file. */
  about: string;
  layer: Layer;
}

const FOLDERS = ["tools", "tools/extra", "servers", "stacks", "profiles"] as const;

/**
 * The shipped configs, each read on first use. A printed index lists all presets, so that a start reads few of them.
 */
export class Catalogue {
  /** Problems in shipped configs: empty unless the installation is damaged. */
  readonly problems: Problem[] = [];
  readonly #names = new Map<string, string[]>();
  readonly #configs = new Map<string, { layer: Layer; about: string } | undefined>();
  #facts: PresetFacts[] | undefined;

  constructor(
    private readonly folder: string,
    readonly files: Files,
  ) {}

  /** All names that `extends` accepts: `tools/core`, `servers/pyright`, `profiles/full`. */
  names(): string[] {
    return FOLDERS.flatMap((folder) => this.#namesIn(folder).map((name) => `${folder}/${name}`));
  }

  profiles(): string[] {
    return this.#namesIn("profiles");
  }

  /** The facts of every preset, sorted by id; from the presets themselves where there is no index. */
  facts(): PresetFacts[] {
    this.#facts ??=
      readIndex(this.files, join(this.folder, INDEX_FILE)) ??
      this.presets().map(({ config }) => presetFacts(config));
    return this.#facts;
  }

  presets(): Preset[] {
    return this.#namesIn("servers").flatMap((name) => this.#preset(name) ?? []);
  }

  /** The preset with that id, or with that name in its `kinds`. */
  preset(name: string): Preset | undefined {
    const all = this.facts();
    const facts = all.find(({ id }) => id === name) ?? all.find(({ kinds }) => kinds?.includes(name));
    return facts === undefined ? undefined : this.#preset(facts.id);
  }

  /** A description of the preset's server: the first sentence of the comment at the start of its file. */
  summary(id: string): string {
    const content = this.files.read(join(this.folder, "servers", `${id}.toml`));
    const about = content === undefined ? "" : commentOf(asText(content));
    return (/^.*?\.(?=\s|$)/.exec(about)?.[0] ?? about).replace(/\.$/, "");
  }

  /** The preset with this program and these arguments, else one whose program is only that server. */
  presetRunning(program: string, args: Json): Preset | undefined {
    const matching = this.facts().filter((facts) => programOf(facts) === program);
    const presets = matching.flatMap(({ id }) => this.#preset(id) ?? []);
    const wanted = canonicalText(args);
    return (
      presets.find(({ config }) => canonicalText(config.args ?? []) === wanted) ??
      presets.find(({ config }) => config.interpreter !== true)
    );
  }

  /** The program of a package: that of the preset which installs it, else the package's own name. */
  programIn(name: string): string {
    const all = this.facts();
    if (all.some((facts) => programOf(facts) === name)) return name;
    const installs = ({ install }: PresetFacts) =>
      packagesOf(install ?? {}).some((spec) => packageName(spec) === name);
    const [facts] = sortBy(all.filter(installs), ({ companion, rank = 0, id }) => [
      companion ? 1 : 0,
      -rank,
      id,
    ]);
    return (facts && programOf(facts)) ?? name.replace(/^@[^/]*\//, "");
  }

  /** The preset name that is most similar to a misspelt one. */
  nearestPreset(name: string): string | undefined {
    return nearest(name, ["generic", ...this.facts().flatMap(({ id, kinds }) => [id, ...(kinds ?? [])])]);
  }

  /** The programs of all presets, without interpreters, which would run any code. */
  commands(): string[] {
    const safe = this.facts().filter(({ interpreter }) => interpreter !== true);
    return sortedSet(safe.flatMap(({ command }) => [command ?? []].flat().slice(0, 1)));
  }

  stack(name: string): { server: JsonObject; preset: Preset }[] {
    const servers = this.layer(`stacks/${name}`)?.tree.servers;
    return (Array.isArray(servers) ? servers : []).flatMap((server) => {
      const preset = isTable(server) && this.preset(String(server.kind));
      return preset ? [{ server, preset }] : [];
    });
  }

  /** A shipped config as a layer; a preset becomes a config with one server. */
  layer(name: string): Layer | undefined {
    const end = name.lastIndexOf("/");
    const folder = FOLDERS.find((one) => one === name.slice(0, end));
    if (folder === undefined || !this.#namesIn(folder).includes(name.slice(end + 1))) return undefined;
    const layer = this.#read(name)?.layer;
    if (!layer || !name.startsWith("servers/")) return layer;
    const id = layer.tree.id ?? "";
    return {
      ...layer,
      tree: { servers: [{ id, kind: id }] },
      places: { place: (_, part) => layer.places.place(["id"], part), pointer: () => "/id" },
    };
  }

  #preset(name: string): Preset | undefined {
    const read = this.#read(`servers/${name}`);
    return read && { ...read, config: read.layer.tree as PresetConfig };
  }

  #namesIn(folder: string): string[] {
    const known = this.#names.get(folder);
    if (known) return known;
    const entries = this.files.list(join(this.folder, folder));
    const files = entries.filter((entry) => entry.kind === "file" && entry.name.endsWith(".toml"));
    const names = sortedSet(files.map((entry) => entry.name.slice(0, -".toml".length)));
    this.#names.set(folder, names);
    return names;
  }

  #read(name: string): { layer: Layer; about: string } | undefined {
    if (!this.#configs.has(name)) this.#configs.set(name, this.#open(name));
    return this.#configs.get(name);
  }

  #open(name: string): { layer: Layer; about: string } | undefined {
    const file = join(this.folder, `${name}.toml`);
    const content = this.files.read(file);
    if (content === undefined) return undefined;
    const source = readSource(file, content);
    const schema = name.startsWith("servers/") ? presetSchema : configSchema;
    const problems = [...source.problems];
    if (!source.broken) problems.push(...validate(schema, source.tree, source, { partial: true }));
    this.problems.push(...problems);
    if (problems.length > 0) return undefined;
    const layer = { origin: `configs/${name}.toml`, places: source, tree: source.tree };
    return { layer, about: commentOf(source.text) };
  }
}

/** The packages of a preset, for each package manager. */
function packagesOf({ npm = [], pip = [], gem = [], go, dotnet, cargo }: InstallConfig): string[] {
  return [...npm, ...pip, ...gem, ...(cargo?.crates ?? []), ...[go ?? [], dotnet ?? []].flat()];
}

/** The keys that an `adapter` takes from a preset. */
const QUIRKS: ReadonlySet<string> = new Set([
  "workspace_configuration",
  "untrusted",
  "replies",
  "forward",
  "ready",
  "diagnostics",
  "initialize_timeout_ms",
  "request_timeout_ms",
  "request_timeout_overrides_ms",
  "never_cancel",
  "warmup_timeout_ms",
]);

/** A preset's layer with only the keys that a server takes from it. */
export function presetLayer(preset: Preset, as: "kind" | "adapter"): Layer {
  const isTaken = (key: string) =>
    as === "adapter"
      ? QUIRKS.has(key)
      : !["id", "kind"].includes(key) && Object.hasOwn(serverSchema.shape, key);
  const keys = Object.entries(preset.layer.tree).filter(([key]) => isTaken(key) && key !== "install");
  const tree: JsonObject = { ...Object.fromEntries(keys), untrusted: untrustedSettings(preset) };
  if (as === "kind" && preset.config.install) tree.install = `lsp-proxy install ${preset.config.id}`;
  return { ...preset.layer, tree };
}

/** A preset's settings for untrusted workspaces. Unless it says otherwise, it is not started there. */
export function untrustedSettings({ layer }: Preset): JsonObject {
  const { untrusted } = layer.tree;
  return { start: false, ...(isTable(untrusted) ? untrusted : {}) };
}
