/** Chooses presets for the files of a workspace. The choice is deterministic, and no process is started. */
import type { JsonObject } from "../../base/json.js";
import { sortBy, sortedSet } from "../../base/order.js";
import type { PresetFacts } from "./preset-index.js";

interface FilesHere {
  /** Lower-case extension without the dot → files. */
  extensions: ReadonlyMap<string, number>;
  /** File name → files. */
  filenames: ReadonlyMap<string, number>;
}

export interface Stack {
  name: string;
  members: PresetFacts[];
  /** The files that its servers serve. */
  claims: string[];
}

/** The files that a preset serves: extensions as `*.ext`, and file names. */
export function claimsOf(preset: Pick<PresetFacts, "extensions" | "filenames">): string[] {
  return [
    ...(preset.extensions ?? []).map((extension) => `*.${extension.toLowerCase()}`),
    ...(preset.filenames ?? []),
  ];
}

/** A preset that would serve files of the workspace. */
export interface Proposal {
  /** The stack that is written instead, where the preset works only with others. */
  stack?: Stack;
  preset: PresetFacts;
  /** The files that it would serve: extensions as `*.ext`, and file names. */
  claims: string[];
  /** Whether other proposals serve some of the preset's files. */
  narrowed: boolean;
  files: number;
}

/**
 * Proposes one server for each kind of file. Presets of an earlier tier come first, and within a tier those with a
 * higher rank. No two proposals serve the same files; companions are never proposed.
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
  for (const isUsable of tiers) {
    for (const preset of ranked) propose(preset, isUsable);
  }
  return sortBy(proposals, ({ preset }) => [preset.id]);
}

/** The proposals without the files that the chosen stacks serve. */
export function outsideStacks(proposals: readonly Proposal[], scan: FilesHere): Proposal[] {
  const served = new Set(proposals.flatMap(({ stack }) => stack?.claims ?? []));
  return proposals.flatMap((proposal) => {
    if (proposal.stack !== undefined) return [proposal];
    const claims = proposal.claims.filter((claim) => !served.has(claim));
    const files = claims.reduce((sum, claim) => sum + filesOf(claim, scan), 0);
    const narrowed = proposal.narrowed || claims.length < proposal.claims.length;
    return files === 0 ? [] : [{ ...proposal, claims, narrowed, files }];
  });
}

function filesOf(claim: string, scan: FilesHere): number {
  const found = claim.startsWith("*.") ? scan.extensions.get(claim.slice(2)) : scan.filenames.get(claim);
  return found ?? 0;
}

/** Whether a preset serves any file of the workspace. */
export function servesAny(preset: PresetFacts, scan: FilesHere): boolean {
  return claimsOf(preset).some((claim) => filesOf(claim, scan) > 0);
}

export function claimsHere({ claims }: Proposal, scan: FilesHere): string[] {
  return sortedSet(claims.filter((claim) => filesOf(claim, scan) > 0));
}

export interface LanguageHere {
  language: string;
  files: number;
}

/**
 * Languages of documents, styles, data and builds.
 * Agents seldom ask about them, and some of their servers take minutes to build.
 */
const documents = new Set(
  `any asciidoc autoconf automake bazelrc bibtex cmake config context css django-html dockercompose dockerfile dot earthfile erb
  git-commit github-actions gitlab-ci gn gomod gowork handlebars home-assistant html http hyprlang ini jinja json json5 jsonc
  just kdl latex less liquid makefile markdoc markdown mdx meson muttrc nginx openapi org quarto restructuredtext rmarkdown ron
  sass scss sql systemd text tilt toml turtle twig typst vimdoc wikitext xml yaml`.split(/\s+/),
);
const FEW_FILES = 10;
const SMALL_SHARE = 0.1;

/**
 * The proposals whose servers are installed without being named: those of the language with the most files, and of
 * programming languages with ten files or a tenth of all.
 */
export function neededProposals<T extends Pick<Proposal, "files">>(
  proposals: readonly T[],
  languagesOf: (proposal: T) => readonly LanguageHere[],
): T[] {
  const all = proposals.reduce((sum, { files }) => sum + files, 0);
  const most = Math.max(...proposals.map(({ files }) => files));
  const isCode = (proposal: T) => languagesOf(proposal).some(({ language }) => !documents.has(language));
  return proposals.filter(
    (proposal) =>
      proposal.files === most ||
      (isCode(proposal) && (proposal.files >= FEW_FILES || proposal.files >= all * SMALL_SHARE)),
  );
}

/** Headers of C, C++ and Objective-C alike. They count with the one that has the most other files. */
const SHARED_HEADERS = "*.h";

/** The languages that a proposal would serve, most files first; of several languages those of the files' ids count. */
export function languagesHere(
  proposal: Proposal,
  scan: FilesHere,
  idOf: (file: string) => string,
): LanguageHere[] {
  const { languages = [] } = proposal.preset;
  const counts = new Map<string, number>();
  const add = (claim: string, language: string) =>
    counts.set(language, (counts.get(language) ?? 0) + filesOf(claim, scan));
  const sorted = () =>
    sortBy(
      [...counts].map(([language, files]) => ({ language, files })),
      ({ language, files }) => [-files, language],
    );
  const languageOf = (claim: string) =>
    (languages.length === 1 ? languages[0] : undefined) ?? idOf(claim.replace(/^\*\./, ""));
  const here = claimsHere(proposal, scan);
  for (const claim of here) {
    if (claim !== SHARED_HEADERS) add(claim, languageOf(claim));
  }
  if (here.includes(SHARED_HEADERS)) add(SHARED_HEADERS, sorted()[0]?.language ?? languageOf(SHARED_HEADERS));
  return sorted();
}

export function chooseServers(
  scan: FilesHere,
  presets: readonly PresetFacts[],
  tiers: readonly ((preset: PresetFacts) => boolean)[],
): JsonObject {
  // A preset of a stack does not work alone, and a person must configure what else it needs.
  const standalone = presets.filter(({ stack }) => stack === undefined);
  return { servers: proposeServers(scan, standalone, tiers).map(serverEntry) };
}

export function serverEntry({ preset, claims, narrowed }: Proposal): JsonObject {
  const entry = { id: preset.id, kind: preset.id };
  if (!narrowed) return entry;
  const isExtension = (claim: string) => claim.startsWith("*.");
  return {
    ...entry,
    extensions: sortedSet(claims.filter(isExtension).map((claim) => claim.slice(2))),
    filenames: sortedSet(claims.filter((claim) => !isExtension(claim))),
  };
}
