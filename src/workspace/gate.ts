/**
 * The gate: from the name that a call or a server uses for a file to its real path, and whether that lies inside
 * the roots. Every symlink is resolved. Anything but a path or a local `file:` URI is refused.
 */

import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { lstatOf } from "../base/file-stamp.js";
import { uniqueBy } from "../base/order.js";
import { fileUri, isInside, isOnShare, slashed } from "../base/paths.js";
import { here, type Platform } from "../base/platform.js";
import { Refusal } from "../base/problem.js";
import { systemCode } from "../base/system.js";
import { compileDeny } from "./deny.js";
import type { Admitted, Gate } from "./gate-types.js";
import { existing, noRoot, realRoot } from "./roots.js";

/** The part of the file system that may be read. */
interface GateOptions {
  /** Absolute folders; relative names start at the first. */
  roots: string[];
  /** Absolute folders that may be read, never written. */
  extraRoots: string[];
  /** The library folder of a real path, if it lies in one; its files may be read, never written. */
  libraryOf?(path: string): string | undefined;
  /** Globs relative to a root. */
  deny: string[];
}

/** Opens the gate of a workspace; throws a ConfigError for a root that does not exist. */
export async function openGate(options: GateOptions, platform: Platform = here): Promise<Gate> {
  const roots = uniqueBy(await Promise.all(options.roots.map(realRoot)), (root) => root);
  const extraRoots = await existing(options.extraRoots);
  const named = [...roots, ...options.roots, ...extraRoots, ...options.extraRoots];
  const base = roots[0];
  if (base === undefined) throw noRoot("The workspace has no root.", 0);
  const outside = () => outsideOf(basename(base) || base);
  const deny = compileDeny(options.deny);

  const check = (path: string): Admitted | Refusal => {
    const root = roots.find((folder) => isInside(path, folder));
    const extra = root ?? extraRoots.find((folder) => isInside(path, folder));
    const home = extra ?? options.libraryOf?.(path);
    if (home === undefined) return outside();
    if (isSystemPath(path, home)) return systemPath();
    const isDenied = deny.matches(...prefixes(relative(home, path)));
    if (isDenied !== false) return denied(isDenied === undefined);
    const shown = root === undefined ? path : relative(base, path) || ".";
    const admitted = { path, uri: fileUri(path), shown: slashed(shown), writable: root !== undefined };
    return extra === undefined ? { ...admitted, isLibrary: true } : admitted;
  };

  const isNamed = (path: string) => named.some((folder) => isInside(path, folder));
  // Looking at a share of another machine would already send it the user's credentials.
  const isOtherShare = (path: string) => isOnShare(path, platform) && !isNamed(path);

  const resolve = (path: string): string => {
    if (isOtherShare(path)) throw outside();
    try {
      return realPathOf(path);
    } catch (error) {
      // The refusal does not say why a path outside the workspace cannot be resolved.
      throw isNamed(path) ? error : outside();
    }
  };

  const checkOrThrow = (path: string): Admitted => {
    const admitted = check(path);
    if (admitted instanceof Refusal) throw admitted;
    return admitted;
  };

  const lookUp = (name: string) => {
    const admitted = checkOrThrow(resolve(pathOfName(name, base, platform)));
    const facts = statOrRefuse(admitted.path);
    return { admitted: ordinary(admitted, facts), facts };
  };

  return {
    roots,
    check,
    admit: async (name) => lookUp(name).admitted,
    async admitFile(name) {
      const { admitted, facts } = lookUp(name);
      return fileOrThrow(admitted, facts);
    },
    async admitEntry(name) {
      const path = pathOfName(name, base, platform);
      if (dirname(path) === path) throw outside();
      const admitted = checkOrThrow(join(resolve(dirname(path)), basename(path)));
      const facts = lstatOrRefuse(admitted.path);
      return facts?.isSymbolicLink() ? admitted : ordinary(admitted, facts);
    },
    show(uri, resolve = realPathOf) {
      try {
        const path = strictPathOfUri(uri, platform);
        const shown = isOtherShare(path) ? outside() : check(resolve(path));
        return shown instanceof Refusal ? undefined : shown;
      } catch (error) {
        if (error instanceof Refusal) return undefined;
        throw error;
      }
    },
  };
}

/** Only files and folders are read, moved or deleted: a pipe or a device has no text. */
function ordinary(admitted: Admitted, facts: Stats | undefined): Admitted {
  if (facts !== undefined && !facts.isFile() && !facts.isDirectory())
    throw new Refusal("guard/not-a-file", `${admitted.shown} is not a regular file.`);
  return admitted;
}

/** The refusal of a file that does not exist. */
export class MissingFile extends Refusal {
  constructor({ shown }: Admitted) {
    super("guard/not-a-file", `${shown} does not exist.`);
  }
}

/** Returns what was admitted if it is a file. */
export function fileOrThrow(admitted: Admitted, facts: Stats | undefined): Admitted {
  if (facts?.isFile()) return admitted;
  if (facts === undefined) throw new MissingFile(admitted);
  throw new Refusal("guard/not-a-file", `${admitted.shown} is a folder.`);
}

/** Whether a path is one of the kernel's or of a device. Only a root inside `/dev` may have ordinary files there. */
function isSystemPath(path: string, home: string): boolean {
  if (here.hasDrives) return false;
  return (
    isInside(path, "/proc") || isInside(path, "/sys") || (isInside(path, "/dev") && !isInside(home, "/dev"))
  );
}

/** `a/b/c` → `a`, `a/b`, `a/b/c`: a denied folder denies everything in it. */
function prefixes(path: string): string[] {
  const parts = path.split(sep);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** The same whether the path exists or not, so that the refusal says nothing about files outside. */
function outsideOf(folder: string): Refusal {
  return new Refusal("guard/outside-root", `The path leads outside the workspace folder \`${folder}\`.`, {
    nextSteps: [
      {
        kind: "config",
        text: "Give a path relative to the workspace folder. To read files of another folder, add that folder to `workspace.extra_roots`.",
      },
    ],
  });
}

function systemPath(): Refusal {
  return new Refusal(
    "guard/outside-root",
    "The path leads to the system's own files: `/proc`, `/sys` or `/dev`.",
  );
}

function denied(isTooSlow: boolean): Refusal {
  const why = isTooSlow ? "takes too long to match against" : "matches";
  return new Refusal("guard/denied", `The path ${why} \`workspace.deny\`.`);
}

/** The real path of a file, or, for one that does not exist, of its nearest existing parent with the rest appended. */
export function realPathOf(path: string): string {
  const rest: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      const real = realpathSync.native(current);
      return rest.length === 0 ? real : join(real, ...rest);
    } catch (cause) {
      if (systemCode(cause) !== "ENOENT" || dirname(current) === current) throw notAFile(cause);
      // A name that exists while its target does not is a dangling link: where it leads is unknown.
      if (lstatOrRefuse(current) !== undefined) throw notAFile(cause);
      rest.unshift(basename(current));
    }
  }
}

/** Resolves the real paths of one call: each folder once, and each file with one stat. */
export class RealPaths {
  /** The real path of a folder, with a separator at its end. */
  readonly #folders = new Map<string, string>();

  constructor(private readonly platform: Platform = here) {}

  /** The same as `realPathOf`. */
  of(path: string): string {
    const name = basename(path);
    // Where a file has several spellings, the system must be asked for the real one.
    const isPlain = !this.platform.ignoresCase && name !== "" && !path.endsWith(sep);
    const folder = isPlain ? this.#folder(dirname(path)) : undefined;
    if (folder === undefined) return realPathOf(path);
    const real = `${folder}${name}`;
    const facts = lstatOf(real);
    return facts === undefined || facts.isSymbolicLink() ? realPathOf(path) : real;
  }

  #folder(path: string): string | undefined {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    try {
      const real = realpathSync.native(path);
      const prefix = real.endsWith(sep) ? real : `${real}${sep}`;
      this.#folders.set(path, prefix);
      return prefix;
    } catch {
      return undefined;
    }
  }
}

/** The stat result of a path; undefined when nothing exists there. Throws a Refusal when it cannot be read. */
export function statOrRefuse(path: string): Stats | undefined {
  return refuseUnreadable(() => statSync(path));
}

/** The same for the entry itself: a link is not followed. */
function lstatOrRefuse(path: string): Stats | undefined {
  return refuseUnreadable(() => lstatSync(path));
}

function refuseUnreadable(stat: () => Stats): Stats | undefined {
  try {
    return stat();
  } catch (cause) {
    if (systemCode(cause) === "ENOENT") return undefined;
    throw notAFile(cause);
  }
}

function notAFile(cause: unknown): Refusal {
  return new Refusal("guard/not-a-file", "The path does not lead to a readable file.", { cause });
}

const MAX_NAME = 4096;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]+:/;
const localFileUri = /^file:(?:\/\/(?:localhost)?)?\/(?!\/)/i;
const shareUri = /^file:\/\/[^/]/i;
const pathHint = "Give a path relative to the workspace, such as `src/main.ts` or `./odd:name.txt`.";
const uriHint =
  "Give the whole URI of a file of the workspace, such as `file:///home/me/project/src/main.ts`.";
const hiddenSeparator = /%(?:2f|5c|00)/i;

/** The absolute path of a name; relative names start at `base`. Symbolic links are not resolved. */
export function pathOfName(name: string, base: string, platform: Platform = here): string {
  if (name === "" || name.length > MAX_NAME || name.includes("\0"))
    throw unusable("The file name is empty, too long or contains a NUL character.", pathHint);
  if (!isUri(name)) return resolve(base, name);
  return localPath(name, "paths and `file:` URIs", pathHint, platform);
}

/** The absolute path of a local `file:` URI; refuses any other, where `pathOfUri` of `base/paths` returns undefined. */
export function strictPathOfUri(uri: string, platform: Platform = here): string {
  return localPath(uri, "`file:` URIs", uriHint, platform);
}

function localPath(uri: string, accepted: string, hint: string, platform: Platform): string {
  // On Windows the host is that of a share.
  const isLocal = localFileUri.test(uri) || (platform.hasDrives && shareUri.test(uri));
  if (!isLocal) throw unusable(`Only ${accepted} without a host are accepted.`, hint);
  if (hiddenSeparator.test(uri) || uri.includes("?") || uri.includes("#"))
    throw unusable("A `file:` URI may not have encoded separators, a query or a fragment.", hint);
  try {
    return fileURLToPath(new URL(uri), { windows: platform.hasDrives });
  } catch (cause) {
    throw unusable("The `file:` URI does not decode to a path.", hint, cause);
  }
}

function isUri(name: string): boolean {
  return scheme.test(name) && !isAbsolute(name);
}

function unusable(message: string, hint: string, cause?: unknown): Refusal {
  return new Refusal("guard/bad-uri", message, { cause, nextSteps: [{ kind: "doc", text: hint }] });
}
