/**
 * From what a call or a server calls a file to an absolute path, without touching the disk. Whatever is not plainly a
 * path or a local `file:` URI is refused: a guess here would be a hole in the gate.
 */
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { plainPath } from "../base/file-uri.js";
import { Refusal } from "../base/problem.js";

const longestName = 4096;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]+:/;
const localFileUri = /^file:(?:\/\/(?:localhost)?)?\/(?!\/)/i;
const pathWay = "Give a path relative to the workspace, such as `src/main.ts` or `./odd:name.txt`.";
const uriWay =
  "Give the whole URI of a file of the workspace, such as `file:///home/me/project/src/main.ts`.";
const hiddenSeparator = /%(?:2f|5c|00)/i;

/** The absolute path that a name means; relative names start at `base`. Symlinks are not resolved yet. */
export function pathOfName(name: string, base: string): string {
  if (name === "" || name.length > longestName || name.includes("\0"))
    throw unusable("The file name is empty, too long or contains a NUL character.", pathWay);
  if (!isUri(name)) return resolve(base, name);
  return localPath(name, "paths and `file:` URIs", pathWay);
}

/** The absolute path of a local `file:` URI. */
export function pathOfUri(uri: string): string {
  return plainPath(uri) ?? localPath(uri, "`file:` URIs", uriWay);
}

function localPath(uri: string, taken: string, way: string): string {
  if (!localFileUri.test(uri)) throw unusable(`Only ${taken} without a host are accepted.`, way);
  if (hiddenSeparator.test(uri) || uri.includes("?") || uri.includes("#"))
    throw unusable("A `file:` URI may not have encoded separators, a query or a fragment.", way);
  try {
    return fileURLToPath(new URL(uri));
  } catch (cause) {
    throw unusable("The `file:` URI does not decode to a path.", way, cause);
  }
}

function isUri(name: string): boolean {
  return scheme.test(name) && !isAbsolute(name);
}

function unusable(message: string, way: string, cause?: unknown): Refusal {
  return new Refusal("guard/bad-uri", message, { cause, nextSteps: [{ kind: "doc", text: way }] });
}
