/**
 * The index of the catalogue: what detection, `servers` and a config's `kind` need to know of all presets, in one file
 * that is printed from them. Everything else of a preset is read only when the preset is used.
 */
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
export type PresetFacts = Pick<PresetConfig, (typeof FACTS)[number]>;

/** A preset without what only its own start needs. */
export function presetFacts(preset: PresetConfig): PresetFacts {
  return Object.fromEntries(
    FACTS.flatMap((key) => (preset[key] === undefined ? [] : [[key, preset[key]]])),
  ) as PresetFacts;
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
