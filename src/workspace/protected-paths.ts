/**
 * The files that control the proxy itself: its config, trust and lock files, tokens, the served bundle. An agent that
 * could edit them could grant itself any right, so every edit of them is refused, whatever `deny` says.
 */
import { lstat, readlink } from "node:fs/promises";
import { dirname, parse, relative, resolve, sep } from "node:path";
import { PROTECTED_CONFIG_NAME } from "../base/config-names.js";
import { sortBy } from "../base/order.js";
import { isInside } from "../base/paths.js";
import { Refusal } from "../base/problem.js";

const MAX_LINKS = 40;

/** Checks real paths without reading the disk. */
export interface ProtectedPaths {
  /** Throws a Refusal for a protected file, a name that would be read as config, and anything in a protected folder. */
  refuse(path: string): void;
  /** Also throws for a folder that contains something protected. */
  refuseTree(path: string): void;
}

/** Opens the protected paths of a workspace; `paths` are files and folders that need not exist. */
export async function openProtectedPaths(
  roots: readonly string[],
  paths: readonly string[],
): Promise<ProtectedPaths> {
  const outermost = sortBy(roots, (root) => [root.length]);
  const entries = await Promise.all(paths.map((path) => entriesOf(path)));
  const protectedEntries = new Set(entries.flat().map(normalized));

  const isProtected = (path: string): boolean => {
    const root = outermost.find((folder) => isInside(path, folder)) ?? parse(path).root;
    const names = normalized(sep + relative(root, path)).split(sep);
    if (names.some((name) => PROTECTED_CONFIG_NAME.test(name))) return true;
    for (let at = normalized(path); ; at = dirname(at)) {
      if (protectedEntries.has(at)) return true;
      if (dirname(at) === at) return false;
    }
  };
  const refuse = (path: string): void => {
    if (isProtected(path))
      throw new Refusal("edit/own-config", "controls this proxy and cannot be edited through it");
  };
  return {
    refuse,
    refuseTree(path) {
      refuse(path);
      const folder = normalized(path);
      if ([...protectedEntries].some((entry) => isInside(entry, folder)))
        throw new Refusal(
          "edit/own-config",
          "contains files that control this proxy and cannot be moved or removed through it",
        );
    },
  };
}

/** The directory entries that decide where a path leads: its real path, and every symbolic link on the way. */
async function entriesOf(path: string, links = MAX_LINKS): Promise<string[]> {
  const { root } = parse(path);
  const names = path
    .slice(root.length)
    .split(sep)
    .filter((name) => name !== "");
  let at = root;
  for (const [index, name] of names.entries()) {
    const entry = resolve(at, name);
    const stats = await lstat(entry).catch(() => undefined);
    if (stats?.isSymbolicLink() && links > 0) {
      const target = resolve(at, await readlink(entry), ...names.slice(index + 1));
      return [entry, ...(await entriesOf(target, links - 1))];
    }
    at = entry;
  }
  return [at];
}

/** The path as the most tolerant file system compares it: no case, no invisible characters, no trailing dots. */
function normalized(path: string): string {
  return path
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .toLowerCase()
    .split(sep)
    .map((name, index) => (index === 0 ? name : name.replace(/:.*$/s, "").replace(/(?<=[^. ])[. ]+$/, "")))
    .join(sep);
}
