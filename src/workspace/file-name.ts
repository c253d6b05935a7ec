/**
 * Turns a file name from a call or a server into an absolute path, without touching the disk. What is not plainly a path
 * or a local `file:` URI is refused: a guess would be a hole in the gate.
 */
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Refusal } from "../base/problem.js";

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
  return localPath(uri, "`file:` URIs", uriHint);
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
