/**
 * The index of the catalogue: what detection, `servers` and a config's `kind` need to know of all presets, in one file
 * that is printed from them. Everything else of a preset is read only when the preset is used.
 */
import type { Json } from "../../base/json.js";
import { namedModules } from "../../base/named-paths.js";
import { fromPointer, getAt } from "../../base/pointer.js";
import type { Files } from "../files.js";
import type { PresetConfig } from "../schema.js";

/** Where the index stands in the folder of the shipped configs. */
export const INDEX_FILE = "servers/index.json";

const FACTS = [
  "id",
  "kinds",
  "known_as",
  "languages",
  "rank",
  "companion",
  "stack",
  "interpreter",
  "command",
  "command_env",
  "probe",
  "extensions",
  "filenames",
  "globs",
  "install",
  "install_on",
] as const satisfies readonly (keyof PresetConfig)[];

/** What the index knows of a preset. */
export type PresetFacts = Pick<PresetConfig, (typeof FACTS)[number]> & {
  /** The files that it names in `<node_modules>`, where it names any. */
  loads?: string[];
  /** It is known to run nothing of a project, and is started also where that is not trusted. */
  harmless?: true;
};

/** A preset without what only its own start needs. */
export function presetFacts(preset: PresetConfig): PresetFacts {
  const facts = FACTS.flatMap((key) => (preset[key] === undefined ? [] : [[key, preset[key]]]));
  const loads = loadedFrom(preset);
  return Object.fromEntries([
    ...facts,
    ...(loads.length === 0 ? [] : [["loads", loads]]),
    ...(preset.untrusted?.start === true ? [["harmless", true]] : []),
  ]) as PresetFacts;
}

/** Where a folder is named and a file in it is what matters, that file. */
function loadedFrom({
  args,
  initialize_options: options,
  workspace_configuration,
  untrusted,
}: PresetConfig): string[] {
  const files = Object.entries(untrusted?.loads ?? {}).flatMap(([pointer, file]): [string, string][] =>
    namedModules(getAt(options, fromPointer(pointer)) as Json).map((path) => [path, file]),
  );
  const within = new Map(files);
  return namedModules([args ?? [], options ?? null, workspace_configuration ?? {}] as Json)
    .map((path) => [path, within.get(path)] as const)
    .map(([path, file]) =>
      (file === undefined || path.endsWith(`/${file}`) ? path : `${path}/${file}`).slice(1),
    )
    .filter((path) => path !== "");
}

/** The text of the index: one preset a line, in the order given. */
export function indexText(presets: readonly PresetConfig[]): string {
  return `[\n${presets.map((preset) => JSON.stringify(presetFacts(preset))).join(",\n")}\n]\n`;
}

/** The index, or nothing where there is none. */
export function readIndex(files: Files, path: string): PresetFacts[] | undefined {
  const content = files.read(path);
  if (content === undefined) return undefined;
  const text = typeof content === "string" ? content : new TextDecoder().decode(content);
  return JSON.parse(text) as PresetFacts[];
}
