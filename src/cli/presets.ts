/** The catalogue as commands see it: opened once, searched by what a person calls things, looked for on this machine. */
import { join } from "node:path";
import { nearest } from "../base/nearest.js";
import { sortBy, sortedSet } from "../base/order.js";
import { Catalogue } from "../config/catalogue.js";
import { diskFiles } from "../config/files.js";
import type { PresetFacts } from "../config/preset-index.js";
import { isTrustedFolder, openTrust } from "../config/trust.js";
import { homeOf, type Input, isOn, type Surroundings, UsageError } from "./command.js";
import { workspaceOf } from "./compile.js";
import { isInstalled } from "./installed.js";
import { shippedConfigs } from "./shipped.js";

/** The shipped catalogue. */
export function openCatalogue(): Catalogue {
  return new Catalogue(shippedConfigs, diskFiles);
}

/** Asks whether a preset's program is here; each is looked for once. */
export function installedHere(input: Input, io: Surroundings): (preset: PresetFacts) => boolean {
  const workspace = workspaceOf(input, io);
  const trust = openTrust(io.env, homeOf(io));
  const trusts = isOn(input, "trust-workspace") || isTrustedFolder(trust, workspace);
  const folders = trusts ? [join(workspace, "node_modules", ".bin")] : [];
  const avoid = trusts ? [] : [diskFiles.realpath(workspace)];
  const known = new Map<string, boolean>();
  return (preset) => {
    const answer = known.get(preset.id) ?? isInstalled(preset, { folders, avoid, env: io.env });
    known.set(preset.id, answer);
    return answer;
  };
}

/** The presets of a language, the preferred first, companions last. */
export function presetsFor(language: string, facts: readonly PresetFacts[]): PresetFacts[] {
  const mine = facts.filter(({ languages = [] }) => languages.includes(language));
  return sortBy(mine, ({ id, rank = 0, companion }) => [companion === true ? 1 : 0, -rank, id]);
}

/** Whether a preset is the first choice for a language that it serves. */
export function isPreferred(preset: PresetFacts, facts: readonly PresetFacts[]): boolean {
  if (preset.companion) return false;
  return (preset.languages ?? []).some((language) => presetsFor(language, facts)[0]?.id === preset.id);
}

/** The preset of that id or other name. */
export function presetNamed(name: string, facts: readonly PresetFacts[]): PresetFacts | undefined {
  return facts.find(({ id }) => id === name) ?? facts.find(({ kinds = [] }) => kinds.includes(name));
}

/**
 * What a person means by a server's or a language's name. A language means its best installed server, or its best one.
 */
export function meantPreset(
  word: string,
  facts: readonly PresetFacts[],
  installed: (preset: PresetFacts) => boolean,
  command: string,
): PresetFacts {
  const candidates = presetsFor(word.toLowerCase(), facts).filter(({ companion }) => companion !== true);
  // A server that is called as its language is stands for itself only where it is also the language's choice.
  const choice = candidates.find(installed) ?? candidates[0];
  const found = choice ?? presetNamed(word, facts) ?? byExtension(word, facts, installed);
  if (found !== undefined) return found;
  const names = sortedSet(
    facts.flatMap(({ id, kinds = [], languages = [] }) => [id, ...kinds, ...languages]),
  );
  const near = nearest(word, names);
  throw new UsageError(
    `no server or language \`${word}\`${near ? `; did you mean \`${near}\`?` : ""} See \`lsp-proxy servers\``,
    command,
  );
}

function byExtension(
  word: string,
  facts: readonly PresetFacts[],
  installed: (preset: PresetFacts) => boolean,
): PresetFacts | undefined {
  const extension = word.replace(/^\*?\./, "").toLowerCase();
  const mine = facts.filter(({ extensions = [], companion }) => !companion && extensions.includes(extension));
  const ranked = sortBy(mine, ({ id, rank = 0 }) => [-rank, id]);
  return ranked.find(installed) ?? ranked[0];
}
