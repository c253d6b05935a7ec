/** Routes files to servers: which servers handle a file, in which order, with which root and language id. */
import { existsSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { LRUCache } from "lru-cache";
import type { ServerPlan } from "../abi/plan.js";
import { namesIn, realPath } from "../base/disk.js";
import { GlobError, GlobList } from "../base/glob.js";
import { readRegularFile } from "../base/guarded-open.js";
import { sortBy } from "../base/order.js";
import { isInside, slashed } from "../base/paths.js";
import { shareFeatures } from "../protocol/methods.js";
import type { WorkspaceWatch } from "./watch/workspace-watch.js";

/** How much of a first line is read. */
const FIRST_LINE_BYTES = 256;

/** The servers of each file: those with the higher priority first, then by id. */
export class FileRoutes {
  /** Real paths by server id. A server without a `root_dir`, or whose `root_dir` is the config's folder, has none. */
  readonly #rootDirs = new Map<string, string>();

  constructor(
    private readonly servers: readonly ServerPlan[],
    private readonly roots: readonly string[],
    base: string,
  ) {
    for (const { id, rootDir } of servers) {
      const folder = resolve(base, rootDir ?? "");
      if (folder !== resolve(base)) this.#rootDirs.set(id, realPath(folder));
    }
  }

  of(path: string): ServerPlan[] {
    const matching = this.servers.filter((server) => claims(server, path, this.roots));
    const found = matching.length > 0 ? matching : routeScript(this.servers, path);
    return sortBy(this.#withoutRivals(found, path), (server) => [-server.priority, server.id]);
  }

  /** Of rivals, only the one whose `root_dir` contains the file most closely; the first by id if none contains it. */
  #withoutRivals(servers: readonly ServerPlan[], path: string): ServerPlan[] {
    const ranked = sortBy(servers, ({ id }) => [-depthOf(this.#rootDirs.get(id), path), id]);
    return ranked.filter(
      (server, index) => !ranked.slice(0, index).some((other) => this.#areRivals(server, other)),
    );
  }

  /** Whether only their roots say which of two servers answers. */
  #areRivals(one: ServerPlan, other: ServerPlan): boolean {
    const haveOtherRoots = this.#rootDirs.get(one.id) !== this.#rootDirs.get(other.id);
    return one.priority === other.priority && haveOtherRoots && shareFeatures(one, other);
  }
}

/** How many folders lead to a root that contains the file; 0 for no root, -1 for a root that does not contain it. */
function depthOf(root: string | undefined, path: string): number {
  if (root === undefined) return 0;
  return isInside(path, root) ? slashed(root).split("/").length : -1;
}

/** Whether a server claims a file by extension (in any case), file name or glob. */
export function claims(server: ServerPlan, path: string, roots: readonly string[]): boolean {
  const extensions = extensionsOf(path);
  if (server.extensions.some((extension) => extensions.includes(extension.toLowerCase()))) return true;
  if (server.filenames.includes(basename(path))) return true;
  if (server.globs.length === 0) return false;
  const root = roots.find((candidate) => isInside(path, candidate));
  const shown = slashed(root === undefined ? path : relative(root, path));
  return matchesAny(server.globs, shown);
}

/** The compiled globs of each list of a plan. */
const compiled = new WeakMap<readonly string[], GlobList>();

/** Whether any of a plan's globs matches. One that takes too long does not, nor does a list that cannot be used. */
function matchesAny(globs: readonly string[], path: string): boolean {
  const list = compiled.get(globs) ?? usableList(globs);
  compiled.set(globs, list);
  return list.matches(path) ?? false;
}

function usableList(globs: readonly string[]): GlobList {
  try {
    return new GlobList(globs);
  } catch (error) {
    if (error instanceof GlobError) return new GlobList([]);
    throw error;
  }
}

/** A file without an extension is routed by the interpreter that its first line names. */
function routeScript(servers: readonly ServerPlan[], path: string): ServerPlan[] {
  if (extensionsOf(path).length > 0) return [];
  const language = shebangLanguage(firstLine(path));
  if (language === undefined) return [];
  return servers.filter(({ languageId, languageIds }) =>
    [languageId, ...Object.values(languageIds)].includes(language),
  );
}

function firstLine(path: string): string {
  try {
    const text = readRegularFile(path, FIRST_LINE_BYTES)?.bytes.toString("utf8") ?? "";
    return text.split("\n", 1)[0] ?? "";
  } catch {
    return "";
  }
}

/** The root of a server for a file: the configured one, else the folder with a marker file, else the workspace root. */
export function rootOf(
  server: ServerPlan,
  path: string | undefined,
  roots: readonly string[],
  base: string,
  listNames: (folder: string) => Iterable<string> = namesIn,
): string {
  if (server.rootDir !== null) return resolve(base, server.rootDir);
  const workspace = roots.find((root) => path !== undefined && isInside(path, root)) ?? roots[0] ?? base;
  if (path === undefined || server.rootMarkers.length === 0) return workspace;
  const folders = foldersUpTo(dirname(path), workspace);
  const inOrder = server.rootPick === "nearest" ? folders : folders.toReversed();
  return inOrder.find((folder) => isMarked(folder, server.rootMarkers, listNames)) ?? workspace;
}

const MAX_CACHED_ROOTS = 1_024;

/** The roots of servers, cached by server and folder as long as no file is created or deleted. */
export class ServerRoots {
  readonly #roots = new LRUCache<string, string>({ max: MAX_CACHED_ROOTS });
  #cursor = 0;

  constructor(
    private readonly watch: WorkspaceWatch,
    private readonly roots: readonly string[],
    private readonly base: string,
  ) {}

  /** The server's root for a file, or for no file. */
  of(server: ServerPlan, path: string | undefined): string {
    const { watch, roots, base } = this;
    if (path === undefined || !watch.isUpToDate(path)) return rootOf(server, path, roots, base);
    if (this.#cursor !== watch.namesCursor) this.#roots.clear();
    this.#cursor = watch.namesCursor;
    const key = `${server.id}\n${dirname(path)}`;
    const listNames = (folder: string) => watch.namesIn(folder) ?? namesIn(folder);
    const root = this.#roots.get(key) ?? rootOf(server, path, roots, base, listNames);
    this.#roots.set(key, root);
    return root;
  }
}

/** The folders from one up to another that contains it, both included. */
function foldersUpTo(from: string, top: string): string[] {
  const folders: string[] = [];
  for (let folder = from; isInside(folder, top); folder = dirname(folder)) {
    folders.push(folder);
    if (folder === top || dirname(folder) === folder) break;
  }
  return folders;
}

function isMarked(
  folder: string,
  markers: readonly string[],
  listNames: (folder: string) => Iterable<string>,
): boolean {
  if (markers.some((marker) => !isGlob(marker) && existsSync(join(folder, marker)))) return true;
  if (!markers.some(isGlob)) return false;
  for (const name of listNames(folder)) {
    if (isMarker(name, markers)) return true;
  }
  return false;
}

function isGlob(marker: string): boolean {
  return /[*?[{]/.test(marker);
}

/** Whether a file with this name marks a root. */
export function isMarker(name: string, markers: readonly string[]): boolean {
  return matchesAny(markers, name);
}

const interpreters: { [program: string]: string } = {
  sh: "shellscript",
  bash: "shellscript",
  dash: "shellscript",
  ksh: "shellscript",
  zsh: "shellscript",
  python: "python",
  node: "javascript",
  deno: "typescript",
  bun: "typescript",
  tsx: "typescript",
  ruby: "ruby",
  perl: "perl",
  php: "php",
  lua: "lua",
  Rscript: "r",
  fish: "fish",
  awk: "awk",
  gawk: "awk",
  pwsh: "powershell",
  elixir: "elixir",
  escript: "erlang",
  groovy: "groovy",
  julia: "julia",
};

/** Extensions of a file name from the longest to the shortest, lower case: `a.d.ts` gives `d.ts`, `ts`. */
function extensionsOf(path: string): string[] {
  const parts = basename(path).toLowerCase().split(".").slice(1);
  return parts.map((_, index) => parts.slice(index).join("."));
}

function shebangLanguage(firstLine: string): string | undefined {
  const match = /^#!\s*(\S+)((?:\s+\S+)*)/.exec(firstLine);
  if (!match) return undefined;
  const words = [basename(match[1] ?? ""), ...(match[2] ?? "").trim().split(/\s+/)];
  const program = words[0] === "env" ? words.slice(1).find((word) => !/^-|=/.test(word)) : words[0];
  return interpreters[basename(program ?? "").replace(/[\d.]+$/, "")];
}

/** The language id of a file for a server; `firstLine` counts only for files without an extension. */
export function languageIdOf(server: ServerPlan, path: string, firstLine: string): string {
  const named = lookUp(server.languageIds, basename(path));
  if (named !== undefined) return named;
  for (const extension of extensionsOf(path)) {
    const id = lookUp(server.languageIds, extension);
    if (id !== undefined) return id;
    if (server.extensions.some((known) => known.toLowerCase() === extension)) return server.languageId;
  }
  const script = extensionsOf(path).length === 0 ? shebangLanguage(firstLine) : undefined;
  return script ?? server.languageId;
}

function lookUp(ids: { [match: string]: string }, name: string): string | undefined {
  if (Object.hasOwn(ids, name)) return ids[name];
  const match = Object.keys(ids).find((key) => key.toLowerCase() === name.toLowerCase());
  return match === undefined ? undefined : ids[match];
}

/** Whether a root has none of the files that describe a project to the server. */
export function lacksProject({ projectFiles }: ServerPlan, root: string): boolean {
  return projectFiles.length > 0 && !projectFiles.some((name) => existsSync(join(root, name)));
}
