/** Which presets serve what is in a workspace. No process is started here, and equal workspaces give equal answers. */
import type { JsonObject } from "../../base/json.js";
import { sortBy, sortedSet } from "../../base/order.js";
import type { PresetFacts } from "./preset-index.js";

/** What detection knows of a workspace: how many files of each kind are in it. */
export interface FilesHere {
  /** Lower-case extension without the dot → files. */
  extensions: ReadonlyMap<string, number>;
  /** File name → files. */
  filenames: ReadonlyMap<string, number>;
}

/** Several servers that are written as one. */
export interface Stack {
  name: string;
  members: PresetFacts[];
  /** What the servers of the stack serve. */
  claims: string[];
}

/** What a preset claims: extensions as `*.ext`, file names as they are. */
export function claimsOf(preset: Pick<PresetFacts, "extensions" | "filenames">): string[] {
  return [
    ...(preset.extensions ?? []).map((extension) => `*.${extension.toLowerCase()}`),
    ...(preset.filenames ?? []),
  ];
}

/** A preset that would serve files of a workspace. */
export interface Proposal {
  /** Where the preset works only with others: all that are written for it. */
  stack?: Stack;
  preset: PresetFacts;
  /** What it would serve: extensions as `*.ext`, and file names. */
  claims: string[];
  /** Whether other proposals serve a part of what the preset claims. */
  narrowed: boolean;
  /** Files of the workspace that it would serve. */
  files: number;
}

/**
 * One server per kind of file that is there: of the presets that claim it, those of the first tier before those of the
 * second and so on, and in a tier the one with the highest rank. Two of them never claim the same files, and none is a
 * companion.
 */
export function proposeServers(
  scan: FilesHere,
  presets: readonly PresetFacts[],
  tiers: readonly ((preset: PresetFacts) => boolean)[],
): Proposal[] {
  const own = presets.filter(({ companion }) => companion !== true);
  const ranked = sortBy(own, (preset) => [-(preset.rank ?? 0), preset.id]);
  const taken = new Set<string>();
  const proposals: Proposal[] = [];
  const propose = (preset: PresetFacts, isUsable: (preset: PresetFacts) => boolean) => {
    const claims = claimsOf(preset);
    const free = claims.filter((claim) => !taken.has(claim));
    const files = free.reduce((sum, claim) => sum + filesOf(claim, scan), 0);
    if (files === 0 || !isUsable(preset)) return;
    proposals.push({ preset, claims: free, narrowed: free.length < claims.length, files });
    for (const claim of claims) taken.add(claim);
  };
  for (const isUsable of tiers) for (const preset of ranked) propose(preset, isUsable);
  return sortBy(proposals, ({ preset }) => [preset.id]);
}

/** Proposals as they are beside a stack that is taken: what the stack serves is not theirs. */
export function besideStacks(proposals: readonly Proposal[], scan: FilesHere): Proposal[] {
  const served = new Set(proposals.flatMap(({ stack }) => stack?.claims ?? []));
  return proposals.flatMap((proposal) => {
    if (proposal.stack !== undefined) return [proposal];
    const claims = proposal.claims.filter((claim) => !served.has(claim));
    const files = claims.reduce((sum, claim) => sum + filesOf(claim, scan), 0);
    const narrowed = proposal.narrowed || claims.length < proposal.claims.length;
    return files === 0 ? [] : [{ ...proposal, claims, narrowed, files }];
  });
}

/** How many files of a workspace a claim is about. */
function filesOf(claim: string, scan: FilesHere): number {
  const found = claim.startsWith("*.") ? scan.extensions.get(claim.slice(2)) : scan.filenames.get(claim);
  return found ?? 0;
}

/** Whether a preset claims any file of a workspace. */
export function servesAny(preset: PresetFacts, scan: FilesHere): boolean {
  return claimsOf(preset).some((claim) => filesOf(claim, scan) > 0);
}

/** The claims of a proposal that files of the workspace are about. */
export function claimsHere({ claims }: Proposal, scan: FilesHere): string[] {
  return sortedSet(claims.filter((claim) => filesOf(claim, scan) > 0));
}

/** A language that is here, and how many files of it. */
export interface LanguageHere {
  language: string;
  files: number;
}

/**
 * The languages of the files that a proposal would serve, the most files first. A server of one language calls all its
 * files so; one of several calls them as it tells the server.
 */
export function languagesHere(
  proposal: Proposal,
  scan: FilesHere,
  idOf: (file: string) => string,
): LanguageHere[] {
  const { languages = [] } = proposal.preset;
  const counts = new Map<string, number>();
  for (const claim of claimsHere(proposal, scan)) {
    const id = idOf(claim.replace(/^\*\./, ""));
    const language = (languages.length === 1 ? languages[0] : undefined) ?? id;
    counts.set(language, (counts.get(language) ?? 0) + filesOf(claim, scan));
  }
  const found = [...counts].map(([language, files]) => ({ language, files }));
  return sortBy(found, ({ language, files }) => [-files, language]);
}

/** A config layer with the servers for what is in a workspace, those of the first tier before those of the second. */
export function chooseServers(
  scan: FilesHere,
  presets: readonly PresetFacts[],
  tiers: readonly ((preset: PresetFacts) => boolean)[],
): JsonObject {
  // One that works only with others would hang alone, and what it needs besides is for a person to say.
  const able = presets.filter(({ stack }) => stack === undefined);
  return { servers: proposeServers(scan, able, tiers).map(serverEntry) };
}

/** A server's table for a proposal. */
export function serverEntry({ preset, claims, narrowed }: Proposal): JsonObject {
  return {
    id: preset.id,
    kind: preset.id,
    ...(narrowed ? { extensions: extensionsOf(claims), filenames: filenamesOf(claims) } : {}),
  };
}

function extensionsOf(claims: readonly string[]): string[] {
  return sortedSet(claims.filter((claim) => claim.startsWith("*.")).map((claim) => claim.slice(2)));
}

function filenamesOf(claims: readonly string[]): string[] {
  return sortedSet(claims.filter((claim) => !claim.startsWith("*.")));
}
