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

/**
 * A config layer with one server per kind of file that is there: of the installed presets that claim it, the one
 * with the highest rank. Two chosen servers never claim the same files, and none is a companion.
 */
export function chooseServers(
  scan: WorkspaceScan,
  presets: readonly PresetFacts[],
  isInstalled: (preset: PresetFacts) => boolean,
): JsonObject {
  const own = presets.filter(({ companion }) => companion !== true);
  const ranked = sortBy(own, (preset) => [-(preset.rank ?? 0), preset.id]);
  const present = (claim: string) =>
    claim.startsWith("*.") ? scan.extensions.has(claim.slice(2)) : scan.filenames.has(claim);
  const installed = new Map<string, boolean>();
  const usable = (preset: PresetFacts) => {
    if (!installed.has(preset.id)) installed.set(preset.id, isInstalled(preset));
    return installed.get(preset.id) === true;
  };

  const taken = new Set<string>();
  const servers: { id: string; kind: string; extensions?: string[]; filenames?: string[] }[] = [];
  for (const preset of ranked) {
    const claims = claimsOf(preset);
    const free = claims.filter((claim) => !taken.has(claim));
    if (!free.some(present) || !usable(preset)) continue;
    servers.push({
      id: preset.id,
      kind: preset.id,
      ...(free.length < claims.length
        ? { extensions: extensionsOf(free), filenames: filenamesOf(free) }
        : {}),
    });
    for (const claim of claims) taken.add(claim);
  }
  return { servers: sortBy(servers, (server) => [server.id]) };
}

function extensionsOf(claims: readonly string[]): string[] {
  return sortedSet(claims.filter((claim) => claim.startsWith("*.")).map((claim) => claim.slice(2)));
}

function filenamesOf(claims: readonly string[]): string[] {
  return sortedSet(claims.filter((claim) => !claim.startsWith("*.")));
}
