/** The catalogue as commands see it: opened once, searched by what a person calls things, looked for on this machine. */
import { join } from "node:path";
import { nearest } from "../base/nearest.js";
import { sortBy, sortedSet } from "../base/order.js";
import { Catalogue } from "../config/catalogue/catalogue.js";
import { languageNamed } from "../config/catalogue/language-names.js";
import type { PresetFacts } from "../config/catalogue/preset-index.js";
import { diskFiles } from "../config/files.js";
import { isTrustedFolder, openTrust } from "../config/trust/trust.js";
import { homeOf, type Input, isOn, type Surroundings, UsageError } from "./command.js";
import { workspaceFolder } from "./compile.js";
import { shippedConfigs } from "./shipped.js";
import { strangersAround } from "./strangers.js";
import { withProgress } from "./terminal/progress.js";
import { isInPackages, isInstalledInTurn, lackingOf } from "./trial/installed.js";

/** The shipped catalogue. */
export function openCatalogue(): Catalogue {
  return new Catalogue(shippedConfigs, diskFiles);
}

/**
 * Whether a program can be started, is here without what it loads, lies in packages of a workspace that nobody trusts, or is
 * not here.
 */
export type Presence = "installed" | "incomplete" | "untrusted" | "missing";

/** Looks for the programs of presets, all at once, and tells how it stands with each. */
export async function lookAround(
  presets: readonly PresetFacts[],
  input: Input,
  io: Surroundings,
): Promise<(preset: PresetFacts) => Presence> {
  const workspace = workspaceFolder(input, io);
  const packages = join(workspace, "node_modules", ".bin");
  const avoid = strangersOf(input, io);
  const trusts = avoid.length === 0;
  const here = { folders: trusts ? [packages] : [], env: io.env, avoid };
  const found = presets.map(async (preset): Promise<[string, Presence]> => {
    if (await isInstalledInTurn(preset, here))
      return [preset.id, lackingOf(preset, here, workspace).length === 0 ? "installed" : "incomplete"];
    return [preset.id, !trusts && isInPackages(preset, packages) ? "untrusted" : "missing"];
  });
  const known = new Map(await withProgress(io, "looking for language servers", () => Promise.all(found)));
  return ({ id }) => known.get(id) ?? "missing";
}

/** Folders of the workspace, and around it, whose programs do not count; none once it is trusted. */
export function strangersOf(input: Input, io: Surroundings): string[] {
  const workspace = workspaceFolder(input, io);
  const trust = openTrust(io.env, homeOf(io));
  const trusts = isOn(input, "trust-workspace") || isTrustedFolder(trust, workspace);
  return trusts ? [] : strangersAround([workspace], io, (folder) => isTrustedFolder(trust, folder));
}

/** How it stands with a program, and what to do about it. */
export function presenceText(presence: Presence, install: string, loads: readonly string[] = []): string {
  if (presence === "installed") return "installed";
  if (presence === "incomplete") return `installed without ${loads.join(", ")}, which it loads: ${install}`;
  if (presence === "missing") return `not installed: ${install}`;
  return "in node_modules/.bin, not trusted: `lsp-proxy trust`, or --trust-workspace";
}

/** The presets of a language, the preferred first, companions last. */
export function presetsFor(language: string, facts: readonly PresetFacts[]): PresetFacts[] {
  const mine = facts.filter(({ languages = [] }) => languages.includes(language));
  return sortBy(mine, ({ id, rank = 0, companion }) => [companion === true ? 1 : 0, -rank, id]);
}

/** Whether a preset is the first choice for a language: for that one, else for any that it serves. */
export function isPreferred(preset: PresetFacts, facts: readonly PresetFacts[], language?: string): boolean {
  if (preset.companion) return false;
  const languages = language === undefined ? (preset.languages ?? []) : [language];
  return languages.some((name) => presetsFor(name, facts)[0]?.id === preset.id);
}

/** The preset of that id or other name. */
export function presetNamed(name: string, facts: readonly PresetFacts[]): PresetFacts | undefined {
  return facts.find(({ id }) => id === name) ?? facts.find(({ kinds = [] }) => kinds.includes(name));
}

/** The presets among which a word is looked for: those that it names, or serves, or whose files it names. */
export function candidatesFor(word: string, facts: readonly PresetFacts[]): PresetFacts[] {
  const extension = extensionIn(word);
  return facts.filter(
    ({ id, kinds = [], languages = [], extensions = [] }) =>
      [id, ...kinds].includes(word) ||
      languages.includes(languageNamed(word)) ||
      extensions.includes(extension),
  );
}

/**
 * What a person means by a server's or a language's name. A language means its best installed server, or its best one.
 */
export function meantPreset(
  word: string,
  facts: readonly PresetFacts[],
  presence: (preset: PresetFacts) => Presence,
  command: string,
): PresetFacts {
  const candidates = presetsFor(languageNamed(word), facts).filter(({ companion }) => companion !== true);
  // A server that is called as its language is stands for itself only where it is also the language's choice.
  const found =
    nearestToHand(candidates, presence) ?? presetNamed(word, facts) ?? byExtension(word, facts, presence);
  if (found !== undefined) return found;
  const names = sortedSet(
    facts.flatMap(({ id, kinds = [], languages = [] }) => [id, ...kinds, ...languages]),
  );
  const near = nearest(word, names);
  throw new UsageError(
    `no server or language \`${word}\`${near ? `; did you mean \`${near}\`?` : "."} See \`lsp-proxy servers\``,
    command,
  );
}

function extensionIn(word: string): string {
  return word.replace(/^\*?\./, "").toLowerCase();
}

function byExtension(
  word: string,
  facts: readonly PresetFacts[],
  presence: (preset: PresetFacts) => Presence,
): PresetFacts | undefined {
  const extension = extensionIn(word);
  const mine = facts.filter(({ extensions = [], companion }) => !companion && extensions.includes(extension));
  const ranked = sortBy(mine, ({ id, rank = 0 }) => [-rank, id]);
  return nearestToHand(ranked, presence);
}

/** The first that is installed, else the first that is in the workspace's packages, else the first that is here in part. */
function nearestToHand(
  ranked: readonly PresetFacts[],
  presence: (preset: PresetFacts) => Presence,
): PresetFacts | undefined {
  const first = (wanted: Presence) => ranked.find((preset) => presence(preset) === wanted);
  return first("installed") ?? first("untrusted") ?? first("incomplete") ?? ranked[0];
}
