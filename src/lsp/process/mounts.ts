/**
 * What a confined server may write, as words for bubblewrap. Read-only: nothing but temporary files, and caches of its own that
 * begin empty and end with it, since what is left in a cache others run. In any sandbox our own folders are read-only: they say
 * what this proxy may start.
 */
import { existsSync, mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { sortBy } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import type { PoolContext } from "../types.js";
import { realOf } from "./trusted.js";

/** What decides what is mounted where. */
export type MountContext = Pick<PoolContext, "roots" | "env" | "ownFolders" | "ownFiles">;

type Kind = "writable" | "empty" | "kept";
interface Mount {
  path: string;
  kind: Kind;
}

const words: { [kind in Kind]: (path: string) => string[] } = {
  writable: (path) => ["--bind", path, path],
  empty: (path) => ["--tmpfs", path],
  kept: (path) => ["--ro-bind", path, path],
};

/** The words that lay out the file system; `folders` are the workspace's. */
export function mountWords(isReadOnly: boolean, folders: readonly string[], context: MountContext): string[] {
  const base: Mount = { path: "/", kind: isReadOnly ? "kept" : "writable" };
  const mounts = sorted([
    base,
    ...ownMounts(context),
    ...(isReadOnly ? readOnlyMounts(folders, context) : []),
  ]);
  return sorted([...mounts, ...pinsOf(mounts)]).flatMap(({ path, kind }) => words[kind](path));
}

function readOnlyMounts(folders: readonly string[], { env }: MountContext): Mount[] {
  const home = realOf(env.HOME || homedir());
  const cache = env.XDG_CACHE_HOME || join(home, ".cache");
  make(cache);
  const kept = there([home, ...folders]);
  const temporary = there(["/tmp", "/var/tmp", env.TMPDIR || "/tmp"]);
  // Sockets through which the user's session takes orders.
  const session = there([env.XDG_RUNTIME_DIR || "", `/run/user/${process.getuid?.()}`]);
  const isFree = (path: string) => !there(folders).some((folder) => isInside(path, folder));
  return [
    ...kept.map((path): Mount => ({ path, kind: "kept" })),
    ...[...there([cache]), ...session].filter(isFree).map((path): Mount => ({ path, kind: "empty" })),
    ...temporary.filter(isFree).map((path): Mount => ({ path, kind: "writable" })),
  ];
}

/** A folder of ours that is not there yet could be made by whoever is confined. A workspace's files are the workspace's. */
function ownMounts({ ownFolders = [], ownFiles = [], roots }: MountContext): Mount[] {
  for (const folder of ownFolders) make(folder);
  const folders = there(ownFolders);
  const isOwn = (path: string) => ![...roots, ...folders].some((folder) => isInside(path, folder));
  const files = there(ownFiles).filter(isOwn);
  const isOuter = (path: string) => !files.some((other) => other !== path && isInside(path, other));
  return [...folders, ...files.filter(isOuter)].map((path) => ({ path, kind: "kept" }));
}

/** A writable folder on the way to a kept one could be moved, and another one put in its place; what is mounted on cannot. */
function pinsOf(mounts: readonly Mount[]): Mount[] {
  const above = new Set<string>();
  for (const { path, kind } of mounts)
    if (kind === "kept") for (let at = dirname(path); at !== dirname(at); at = dirname(at)) above.add(at);
  const kindAt = (path: string) => mounts.findLast((mount) => isInside(path, mount.path));
  return [...above].flatMap((path): Mount[] => {
    const over = kindAt(path);
    return over?.kind === "writable" && over.path !== path ? [{ path, kind: "writable" }] : [];
  });
}

/** From the outside in: what is mounted later lies over what was there. Of two at one place the stricter one counts. */
function sorted(mounts: readonly Mount[]): Mount[] {
  const order: Kind[] = ["writable", "empty", "kept"];
  const known = new Map(
    sortBy(mounts, ({ kind }) => [order.indexOf(kind)]).map((mount) => [mount.path, mount]),
  );
  return sortBy([...known.values()], ({ path }) => [path.length, path]);
}

/** Real paths of those that are there. */
function there(paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => path !== "" && existsSync(path)).map(realOf))];
}

function make(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // Where we cannot make it nobody confined can.
  }
}
