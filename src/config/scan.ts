/**
 * What a workspace is made of: a bounded walk, nearest folders first, that sees what git sees. Equal workspaces give equal
 * answers; no single folder uses up the bound, and what was not counted is told.
 */
import { join } from "node:path";
import { sortBy } from "../base/order.js";
import type { Files } from "./files.js";
import { folderRules, type IgnoreRules, isIgnored, outerRules, type Person } from "./git-ignore.js";

/** How many files of each kind a workspace has. */
export interface WorkspaceScan {
  /** Lower-case extension without the dot → files. */
  extensions: ReadonlyMap<string, number>;
  /** File name → files. */
  filenames: ReadonlyMap<string, number>;
  /** Whether a bound left files out: all numbers are then the least that there are. */
  cut: boolean;
}

/** Entries that are looked at in all, and in one folder. */
const MAX_ENTRIES = 200_000;
const MAX_IN_FOLDER = 50_000;
const MAX_DEPTH = 64;
const SKIPPED: ReadonlySet<string> = new Set([".git", ".hg", ".svn", "node_modules"]);
/** How long the walk may keep others waiting. */
const SLICE_MS = 40;

/** Walks a workspace in one go. */
export function scanWorkspace(root: string, files: Files, person: Person): WorkspaceScan {
  const steps = walk(root, files, person);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** The same walk, which lets timers and signals have their turn; `meet` gets the path of each file that counts. */
export async function scanInTurns(
  root: string,
  files: Files,
  person: Person,
  meet?: (path: string) => void,
): Promise<WorkspaceScan> {
  const steps = walk(root, files, person, meet);
  for (let began = Date.now(); ; ) {
    const { done, value } = steps.next();
    if (done) return value;
    if (Date.now() - began < SLICE_MS) continue;
    await new Promise((resolve) => setImmediate(resolve));
    began = Date.now();
  }
}

function* walk(
  root: string,
  files: Files,
  person: Person,
  meet?: (path: string) => void,
): Generator<void, WorkspaceScan, void> {
  const extensions = new Map<string, number>();
  const filenames = new Map<string, number>();
  let seen = 0;
  let cut = false;
  let level: { folder: string; rules: IgnoreRules[] }[] = [
    { folder: "", rules: outerRules(root, files, person) },
  ];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return { extensions, filenames, cut: true };
    const next: typeof level = [];
    for (const { folder, rules: outer } of level) {
      if (seen >= MAX_ENTRIES) return { extensions, filenames, cut: true };
      yield;
      const rules = [...outer, ...folderRules(root, folder, files)];
      const entries = sortBy(files.list(join(root, folder)), ({ name }) => [name]);
      const room = Math.min(MAX_IN_FOLDER, MAX_ENTRIES - seen);
      let looked = 0;
      for (const { name, kind } of entries) {
        if (kind === "other" || SKIPPED.has(name)) continue;
        const path = folder === "" ? name : `${folder}/${name}`;
        // Folders are looked into even where a folder has too many files: a project may lie in the last of them.
        if (kind === "file" && ++looked > room) {
          cut = true;
          continue;
        }
        if (isIgnored(path, kind === "folder", rules)) continue;
        if (kind === "folder") next.push({ folder: path, rules });
        else {
          count(name, extensions, filenames);
          meet?.(path);
        }
        if (looked % 1000 === 0) yield;
      }
      seen += Math.min(looked, room);
    }
    level = next;
  }
  return { extensions, filenames, cut };
}

function count(name: string, extensions: Map<string, number>, filenames: Map<string, number>): void {
  filenames.set(name, (filenames.get(name) ?? 0) + 1);
  const dot = name.lastIndexOf(".");
  if (dot < 0 || dot === name.length - 1) return;
  const extension = name.slice(dot + 1).toLowerCase();
  extensions.set(extension, (extensions.get(extension) ?? 0) + 1);
}
