/**
 * The generated index of all presets: what detection, `servers` and `kind` need. The rest is read only when it is used.
 */
import { fromPointer, getAt, type Json } from "../../base/json.js";
import { namedModules } from "../../base/placeholders.js";
import { asText, type Files } from "../files.js";
import type { PresetConfig } from "../schema.js";

/** The index file, relative to the folder of the shipped configs. */
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
  "requires",
  "probe",
  "extensions",
  "filenames",
  "globs",
  "install",
] as const satisfies readonly (keyof PresetConfig)[];

/** The facts of a preset that the index contains. */
export type PresetFacts = Pick<PresetConfig, (typeof FACTS)[number]> & {
  /** The files in `<node_modules>` that it names. */
  loads?: string[];
  /** It runs nothing of a project, so that it is also started in untrusted workspaces. */
  harmless?: true;
};

export function presetFacts(preset: PresetConfig): PresetFacts {
  const facts = FACTS.flatMap((key) => (preset[key] === undefined ? [] : [[key, preset[key]]]));
  const loads = loadedFrom(preset);
  return Object.fromEntries([
    ...facts,
    ...(loads.length === 0 ? [] : [["loads", loads]]),
    ...(preset.untrusted?.start === true ? [["harmless", true]] : []),
  ]) as PresetFacts;
}

/** The files in `<node_modules>` that a preset names; for a folder, the file in it that is loaded. */
function loadedFrom({
  args,
  initialize_options: options,
  workspace_configuration,
  untrusted,
}: PresetConfig): string[] {
  const files = Object.entries(untrusted?.loads ?? {}).flatMap(([pointer, file]): [string, string][] =>
    namedModules(getAt(options, fromPointer(pointer)) as Json).map((path) => [path, file]),
  );
  const loadedFileByFolder = new Map(files);
  return namedModules([args ?? [], options ?? null, workspace_configuration ?? {}] as Json)
    .map((path) => {
      const file = loadedFileByFolder.get(path);
      return (file === undefined || path.endsWith(`/${file}`) ? path : `${path}/${file}`).slice(1);
    })
    .filter((path) => path !== "");
}

/** The text of the index: one preset per line, in the order given. */
export function indexText(presets: readonly PresetConfig[]): string {
  return `[\n${presets.map((preset) => JSON.stringify(presetFacts(preset))).join(",\n")}\n]\n`;
}

export function readIndex(files: Files, path: string): PresetFacts[] | undefined {
  const content = files.read(path);
  if (content === undefined) return undefined;
  return JSON.parse(asText(content)) as PresetFacts[];
}

/** The program of a preset's command. */
export function programOf({ command }: Pick<PresetFacts, "command">): string | undefined {
  return [command ?? []].flat()[0];
}
