/**
 * Real paths. From the name that a call or a server uses for a file to an absolute path, and from there, with
 * every symlink resolved, to where it really leads. Anything but a path or a local `file:` URI is refused.
 */
import { lstatSync, realpathSync, type Stats, statSync } from "node:fs";
import { basename, dirname, isAbsolute, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { entryFacts } from "../base/facts.js";
import { plainPath } from "../base/file-uri.js";
import { Refusal } from "../base/problem.js";

/** The real path of a file, or, for one that does not exist, of its nearest existing parent with the rest appended. */
export function realPathOf(path: string): string {
  const rest: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      const real = realpathSync.native(current);
      return rest.length === 0 ? real : join(real, ...rest);
    } catch (cause) {
      if (errorCode(cause) !== "ENOENT" || dirname(current) === current) throw notAFile(cause);
      // A name that exists while its target does not is a dangling link: where it leads is unknown.
      if (linkStatOf(current) !== undefined) throw notAFile(cause);
      rest.unshift(basename(current));
    }
  }
}

/** Whether a file has one spelling only. Case-insensitive systems must be asked for the real one. */
const isCaseSensitive = sep === "/" && process.platform !== "darwin";

/** Resolves the real paths of one call: each folder once, and each file with one stat. */
export class RealPaths {
  /** The real path of a folder, with a separator at its end. */
  readonly #folders = new Map<string, string>();

  /** The same as `realPathOf`. */
  of(path: string): string {
    const name = basename(path);
    const isPlain = isCaseSensitive && name !== "" && !path.endsWith(sep);
    const folder = isPlain ? this.#folder(dirname(path)) : undefined;
    if (folder === undefined) return realPathOf(path);
    const real = `${folder}${name}`;
    const facts = entryFacts(real);
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

/** The stat result of what a path leads to; undefined when it does not exist, a Refusal when it cannot be read. */
export function statOf(path: string): Stats | undefined {
  return statOrRefuse(() => statSync(path));
}

/** The same for the entry itself: for a link, not for what it leads to. */
export function linkStatOf(path: string): Stats | undefined {
  return statOrRefuse(() => lstatSync(path));
}

function statOrRefuse(stat: () => Stats): Stats | undefined {
  try {
    return stat();
  } catch (cause) {
    if (errorCode(cause) === "ENOENT") return undefined;
    throw notAFile(cause);
  }
}

function errorCode(cause: unknown): string | undefined {
  return cause instanceof Error && "code" in cause ? String(cause.code) : undefined;
}

function notAFile(cause: unknown): Refusal {
  return new Refusal("guard/not-a-file", "The path does not lead to a readable file.", { cause });
}

const MAX_NAME = 4096;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]+:/;
const localFileUri = /^file:(?:\/\/(?:localhost)?)?\/(?!\/)/i;
const pathHint = "Give a path relative to the workspace, such as `src/main.ts` or `./odd:name.txt`.";
const uriHint =
  "Give the whole URI of a file of the workspace, such as `file:///home/me/project/src/main.ts`.";
const hiddenSeparator = /%(?:2f|5c|00)/i;

/** The absolute path of a name; relative names start at `base`. Symbolic links are not resolved. */
export function pathOfName(name: string, base: string): string {
  if (name === "" || name.length > MAX_NAME || name.includes("\0"))
    throw unusable("The file name is empty, too long or contains a NUL character.", pathHint);
  if (!isUri(name)) return resolve(base, name);
  return localPath(name, "paths and `file:` URIs", pathHint);
}

/** The absolute path of a local `file:` URI; refuses any other, where `pathOfUri` of `base/paths` returns undefined. */
export function strictPathOfUri(uri: string): string {
  return plainPath(uri) ?? localPath(uri, "`file:` URIs", uriHint);
}

function localPath(uri: string, accepted: string, hint: string): string {
  if (!localFileUri.test(uri)) throw unusable(`Only ${accepted} without a host are accepted.`, hint);
  if (hiddenSeparator.test(uri) || uri.includes("?") || uri.includes("#"))
    throw unusable("A `file:` URI may not have encoded separators, a query or a fragment.", hint);
  try {
    return fileURLToPath(new URL(uri));
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
