/**
 * Absolute paths that stand right behind a word (`error/home/me/x`) look like names that begin nowhere (`src/home/me/x`). They
 * are told by where they lead: to places of this user and this workspace anywhere in a name, to the system's only where a
 * single word stands before them.
 */
import { homedir, tmpdir } from "node:os";
import { dirname, sep } from "node:path";

/** Folders of every system that hardly any project has at its top. */
const systems =
  /^\/(?:etc|nix\/store|opt|private|proc|root|run|snap|srv|tmp|usr\/(?:include|lib\w*|local|s?bin|share|src)|var\/(?:cache|folders|lib|log|mail|run|spool|tmp|www))\//;
/** The word that a path is glued to: no name of several parts. */
const oneWord = /(?:^|[^\p{L}\p{N}_/.@-])[\p{L}\p{N}_]+$/u;

const own = [homedir(), tmpdir()];

/** Where in a name a place begins that can be told from the name's own folders. */
export function knownPlaceIn(name: string, before: string, roots: readonly string[]): number | undefined {
  const starts = [...own, ...roots, ...roots.flatMap(foldersAbove)]
    .filter(isTelling)
    .map((place) => startOf(name, place))
    .filter((start) => start >= 0);
  if (starts.length > 0) return Math.min(...starts);
  return systems.test(name) && oneWord.test(before) ? 0 : undefined;
}

/** Where a folder, whole, first stands in a name; -1 where it does not. */
function startOf(name: string, folder: string): number {
  let start = name.indexOf(folder);
  while (start >= 0 && /[\w-]/.test(name[start + folder.length] ?? sep))
    start = name.indexOf(folder, start + 1);
  return start;
}

function foldersAbove(path: string): string[] {
  const above = dirname(path);
  return above === path ? [] : [above, ...foldersAbove(above)];
}

/** A folder at the top has a name that any project may have. */
function isTelling(place: string): boolean {
  return place.split(sep).length > 2;
}
