/**
 * From what a call or a server calls a file to an absolute path, without touching the disk. Whatever is not plainly a
 * path or a local `file:` URI is refused: a guess here would be a hole in the gate.
 */
import { isAbsolute, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Refusal } from "../base/problem.js";

const longestName = 4096;
const scheme = /^[A-Za-z][A-Za-z0-9+.-]+:/;
const localFileUri = /^file:(?:\/\/(?:localhost)?)?\/(?!\/)/i;
const hiddenSeparator = /%(?:2f|5c|00)/i;

/** The absolute path that a name means; relative names start at `base`. Symlinks are not resolved yet. */
export function pathOfName(name: string, base: string): string {
  if (name === "" || name.length > longestName || name.includes("\0"))
    throw unusable("The file name is empty, too long or contains a NUL character.");
  if (!isUri(name)) return resolve(base, name);
  return pathOfUri(name);
}

/** The absolute path of a local `file:` URI. */
export function pathOfUri(uri: string): string {
  if (!localFileUri.test(uri)) throw unusable("Only paths and `file:` URIs without a host are accepted.");
  if (hiddenSeparator.test(uri) || uri.includes("?") || uri.includes("#"))
    throw unusable("A `file:` URI may not have encoded separators, a query or a fragment.");
  try {
    return fileURLToPath(new URL(uri));
  } catch (cause) {
    throw unusable("The `file:` URI does not decode to a path.", cause);
  }
}

function isUri(name: string): boolean {
  return scheme.test(name) && !isAbsolute(name);
}

function unusable(message: string, cause?: unknown): Refusal {
  return new Refusal("guard/bad-uri", message, {
    cause,
    nextSteps: [
      {
        kind: "doc",
        text: "Give a path relative to the workspace, such as `src/main.ts` or `./odd:name.txt`.",
      },
    ],
  });
}
