/** The catalogue for commands: search by name, language or extension, and whether a server is installed. */
import { basename, dirname, extname, join } from "node:path";
import { homeOf } from "../base/home.js";
import type { JsonObject } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import { Catalogue } from "../config/catalogue/catalogue.js";
import { languageNamed } from "../config/catalogue/language-names.js";
import type { PresetFacts } from "../config/catalogue/preset-index.js";
import { diskFiles } from "../config/files.js";
import { isTrustedFolder, openTrust } from "../config/trust/trust.js";
import { didYouMean, type Input, type Io, UsageError } from "./command.js";
import { workspaceFolder } from "./compile.js";
import { projectBins, untrustedAround } from "./folder-trust.js";
import { isInPackages, isInstalled, missingModules } from "./installed.js";
import { programFolders } from "./program-folders.js";
import { fitsProject } from "./requires.js";
import { shippedConfigs } from "./shipped.js";
import { withProgress } from "./terminal/prompt.js";

export function openCatalogue(): Catalogue {
  return new Catalogue(shippedConfigs, diskFiles);
}

/** The programs that server entries start, from their own settings or their presets. */
export function serverPrograms(servers: readonly JsonObject[], catalogue: Catalogue): string[] {
  return servers.flatMap(({ command, kind }) => {
    const words = command ?? catalogue.preset(String(kind))?.config.command ?? [];
    return [words].flat().map(String).slice(0, 1);
  });
}

/**
 * Installed; only in an untrusted workspace's `node_modules`; installed without modules that it loads; not found; for
 * another version of a package than the project has, where another server fits.
 */
export const presences = ["installed", "untrusted", "incomplete", "missing", "unfit"] as const;
export type Presence = (typeof presences)[number];

type PresenceOf = (preset: PresetFacts) => Presence;

/** Searches the programs of all presets at once and returns the result for each. */
export async function findInstalled(
  presets: PresetFacts[],
  input: Input,
  io: Io,
  { isForProject = true } = {},
): Promise<PresenceOf> {
  const workspace = workspaceFolder(input, io);
  const packages = join(workspace, "node_modules", ".bin");
  const avoid = untrustedWorkspaceFolders(input, io);
  const isTrusted = avoid.length === 0;
  const folders = isTrusted ? projectBins(workspace) : [];
  const path = { folders, env: io.env, avoid, ...programFolders(io) };
  const found = presets.map(async (preset): Promise<[string, Presence]> => {
    if (await isInstalled(preset, path))
      return [preset.id, missingModules(preset, path, workspace).length === 0 ? "installed" : "incomplete"];
    return [preset.id, !isTrusted && isInPackages(preset, packages) ? "untrusted" : "missing"];
  });
  const fits = isForProject ? fitsProject(workspace) : () => true;
  const fitting = new Set(presets.filter(fits).flatMap(({ languages = [] }) => languages));
  const isUnfit = (preset: PresetFacts) =>
    !fits(preset) && preset.languages?.some((language) => fitting.has(language)) === true;
  const known = new Map(await withProgress(io, "looking for language servers", () => Promise.all(found)));
  return (preset) => (isUnfit(preset) ? "unfit" : (known.get(preset.id) ?? "missing"));
}

/** The workspace and the folders around it whose programs are ignored; empty if the workspace is trusted. */
export function untrustedWorkspaceFolders(input: Input, io: Io): string[] {
  const workspace = workspaceFolder(input, io);
  const trust = openTrust(io.env, homeOf(io.env));
  if (input.isOn("trust-workspace") || isTrustedFolder(trust, workspace)) return [];
  return untrustedAround([workspace], io, (folder) => isTrustedFolder(trust, folder));
}

export function presenceText(presence: Presence, install = "", loads: readonly string[] = []): string {
  const how = install === "" ? "" : `: ${install}`;
  if (presence === "installed") return "installed";
  if (presence === "unfit") return "for another version than the project has";
  if (presence === "incomplete") return `installed without ${loads.join(", ")}, which it loads${how}`;
  if (presence === "missing") return `not installed${how}`;
  return "in node_modules/.bin, not trusted: `lsp-proxy trust`, or --trust-workspace";
}

/** The presets of a language: the preferred one first, companions last. */
export function presetsFor(language: string, facts: readonly PresetFacts[]): PresetFacts[] {
  const mine = facts.filter(({ languages = [] }) => languages.includes(language));
  return sortBy(mine, ({ id, rank = 0, companion }) => [companion === true ? 1 : 0, -rank, id]);
}

/** Whether a preset is the first choice for a language, or for any of its languages. */
export function isPreferred(preset: PresetFacts, facts: readonly PresetFacts[], language?: string): boolean {
  if (preset.companion) return false;
  const languages = language === undefined ? (preset.languages ?? []) : [language];
  return languages.some((name) => presetsFor(name, facts)[0]?.id === preset.id);
}

export function presetNamed(name: string, facts: readonly PresetFacts[]): PresetFacts | undefined {
  return facts.find(({ id }) => id === name) ?? facts.find(({ kinds = [] }) => kinds.includes(name));
}

/** The presets that a word may mean: by id, alias, language or extension. */
export function candidatesFor(word: string, facts: readonly PresetFacts[]): PresetFacts[] {
  const extension = extensionIn(word);
  return facts.filter(
    ({ id, kinds = [], languages = [], extensions = [] }) =>
      [id, ...kinds].includes(word) ||
      languages.includes(languageNamed(word)) ||
      extensions.includes(extension),
  );
}

/** The preset that a word means. A language means its best installed server, or else its preferred one. */
export function resolvePreset(word: string, facts: readonly PresetFacts[], presence: PresenceOf) {
  const own = facts.filter(({ companion }) => companion !== true);
  const matching = own.filter(({ extensions = [] }) => extensions.includes(extensionIn(word)));
  const byExtension = sortBy(matching, ({ id, rank = 0 }) => [-rank, id]);
  // A server with the name of a language is taken only if it is also the best choice for that language.
  const found =
    bestOf(presetsFor(languageNamed(word), own), presence) ??
    presetNamed(word, facts) ??
    bestOf(byExtension, presence);
  if (found !== undefined) return found;
  const names = facts.flatMap(({ id, kinds = [], languages = [] }) => [id, ...kinds, ...languages]);
  const hint = didYouMean(word, sortedSet(names)) || ".";
  throw new UsageError(`no server or language \`${word}\`${hint} See \`lsp-proxy servers\``);
}

/**
 * The preferred server of the catalogue for a file, given by its absolute path: first of all one that fits its project.
 */
export function serverFor(file: string): string | undefined {
  const extension = extname(file).slice(1).toLowerCase();
  const facts = openCatalogue().facts();
  const matching = facts.filter(
    ({ companion, extensions = [], filenames = [] }) =>
      companion !== true && (extensions.includes(extension) || filenames.includes(basename(file))),
  );
  const fits = fitsProject(dirname(file));
  return sortBy(matching, (preset) => [fits(preset) ? 0 : 1, -(preset.rank ?? 0), preset.id])[0]?.id;
}

/** The extension that a word such as `rs`, `.rs` or `*.rs` means. */
export function extensionIn(word: string): string {
  return word.replace(/^\*?\./, "").toLowerCase();
}

/** The first ranked preset with the best presence. */
function bestOf(ranked: readonly PresetFacts[], presence: PresenceOf): PresetFacts | undefined {
  return presences.flatMap((wanted) => ranked.filter((preset) => presence(preset) === wanted))[0];
}
