/**
 * What a workspace is made of, and which presets serve it. The walk is bounded and sees what git sees; no process
 * is started here, and equal workspaces give equal answers.
 */
import { join } from "node:path";
import ignore from "ignore";
import type { JsonObject } from "../base/json.js";
import { sortBy, sortedSet } from "../base/order.js";
import { type Files, readOrExplain } from "./files.js";
import type { PresetFacts } from "./preset-index.js";

/** How many files of each kind a workspace has. */
export interface WorkspaceScan {
  /** Lower-case extension without the dot → files. */
  extensions: ReadonlyMap<string, number>;
  /** File name → files. */
  filenames: ReadonlyMap<string, number>;
  /** Whether a bound ended the walk before its end. */
  cut: boolean;
}

const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 8;
const SKIPPED: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);

/** The rules of one `.gitignore` and the folder that they speak about, relative to the root. */
interface IgnoreRules {
  folder: string;
  matcher: ReturnType<typeof ignore>;
}

/** Walks a workspace, nearest folders first. */
export function scanWorkspace(root: string, files: Files): WorkspaceScan {
  const extensions = new Map<string, number>();
  const filenames = new Map<string, number>();
  let seen = 0;
  const cut = false;
  let level: { folder: string; rules: IgnoreRules[] }[] = [{ folder: "", rules: [] }];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return { extensions, filenames, cut: true };
    const next: typeof level = [];
    for (const { folder, rules: outer } of level) {
      const rules = withIgnoreFile(root, folder, outer, files);
      for (const entry of sortBy(files.list(join(root, folder)), ({ name }) => [name])) {
        if (++seen > MAX_ENTRIES) return { extensions, filenames, cut: true };
        const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
        if (SKIPPED.has(entry.name) || isIgnored(path, entry.kind === "folder", rules)) continue;
        if (entry.kind === "folder") next.push({ folder: path, rules });
        if (entry.kind === "file") count(entry.name, extensions, filenames);
      }
    }
    level = next;
  }
  return { extensions, filenames, cut };
}

function withIgnoreFile(root: string, folder: string, outer: IgnoreRules[], files: Files): IgnoreRules[] {
  const answer = readOrExplain(files, join(root, folder, ".gitignore"));
  // One that cannot be read ignores nothing: the scan then only sees more than git would.
  if ("failure" in answer) return outer;
  const text = typeof answer.content === "string" ? answer.content : new TextDecoder().decode(answer.content);
  return [...outer, { folder, matcher: ignore().add(text) }];
}

/** The innermost `.gitignore` that says anything about a path decides, as in git. */
function isIgnored(path: string, isFolder: boolean, rules: readonly IgnoreRules[]): boolean {
  for (const { folder, matcher } of rules.toReversed()) {
    const local = folder === "" ? path : path.slice(folder.length + 1);
    const verdict = matcher.test(isFolder ? `${local}/` : local);
    if (verdict.ignored) return true;
    if (verdict.unignored) return false;
  }
  return false;
}

function count(name: string, extensions: Map<string, number>, filenames: Map<string, number>): void {
  filenames.set(name, (filenames.get(name) ?? 0) + 1);
  const dot = name.lastIndexOf(".");
  if (dot < 0 || dot === name.length - 1) return;
  const extension = name.slice(dot + 1).toLowerCase();
  extensions.set(extension, (extensions.get(extension) ?? 0) + 1);
}

/** What a preset claims: extensions as `*.ext`, file names as they are. */
function claimsOf(preset: PresetFacts): string[] {
  return [
    ...(preset.extensions ?? []).map((extension) => `*.${extension.toLowerCase()}`),
    ...(preset.filenames ?? []),
  ];
}

/** A preset that would serve files of a workspace. */
export interface Proposal {
  preset: PresetFacts;
  installed: boolean;
  /** What it would serve: extensions as `*.ext`, and file names. */
  claims: string[];
  /** Whether other proposals serve a part of what the preset claims. */
  narrowed: boolean;
  /** Files of the workspace that it would serve. */
  files: number;
}

/**
 * One server per kind of file that is there: of the installed presets that claim it the one with the highest rank, and
 * for what is left, if wanted, the best that could be installed. Two of them never claim the same files, and none is a
 * companion.
 */
export function proposeServers(
  scan: WorkspaceScan,
  presets: readonly PresetFacts[],
  isInstalled: (preset: PresetFacts) => boolean,
  wanted: { missing: boolean },
): Proposal[] {
  const own = presets.filter(({ companion }) => companion !== true);
  const ranked = sortBy(own, (preset) => [-(preset.rank ?? 0), preset.id]);
  const installed = new Map<string, boolean>();
  const usable = (preset: PresetFacts) => {
    if (!installed.has(preset.id)) installed.set(preset.id, isInstalled(preset));
    return installed.get(preset.id) === true;
  };
  const taken = new Set<string>();
  const proposals: Proposal[] = [];
  const propose = (preset: PresetFacts, isUsable: (preset: PresetFacts) => boolean) => {
    const claims = claimsOf(preset);
    const free = claims.filter((claim) => !taken.has(claim));
    const files = free.reduce((sum, claim) => sum + filesOf(claim, scan), 0);
    if (files === 0 || !isUsable(preset)) return;
    const narrowed = free.length < claims.length;
    proposals.push({ preset, installed: usable(preset), claims: free, narrowed, files });
    for (const claim of claims) taken.add(claim);
  };
  for (const preset of ranked) propose(preset, usable);
  if (wanted.missing) for (const preset of ranked) propose(preset, () => true);
  return sortBy(proposals, ({ preset }) => [preset.id]);
}

/** How many files of a workspace a claim is about. */
export function filesOf(claim: string, scan: WorkspaceScan): number {
  const found = claim.startsWith("*.") ? scan.extensions.get(claim.slice(2)) : scan.filenames.get(claim);
  return found ?? 0;
}

/** A config layer with the installed servers for what is in a workspace. */
export function chooseServers(
  scan: WorkspaceScan,
  presets: readonly PresetFacts[],
  isInstalled: (preset: PresetFacts) => boolean,
): JsonObject {
  return { servers: proposeServers(scan, presets, isInstalled, { missing: false }).map(serverEntry) };
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
