/** The `file:` URI of a path. Every URI that leaves the program is made here, and means the very file that was named. */
import { sep } from "node:path";
import { pathToFileURL } from "node:url";

/** A path of which no character is written otherwise in a URI, and no part means another folder. */
const plain = /^(?:\/[\w-][\w.-]*)+$/;
const prefix = "file://";

/** The URI of an absolute path. */
export function fileUri(path: string): string {
  if (sep === "/" && plain.test(path)) return `${prefix}${path}`;
  // URLs lose blanks and control characters at their end, and would then name another file.
  return pathToFileURL(`${path}_`).href.slice(0, -1);
}

/** The path of a URI that is spelt as plainly as can be; undefined where it must be read with more care. */
export function plainPath(uri: string): string | undefined {
  if (sep !== "/" || !uri.startsWith(prefix)) return undefined;
  const path = uri.slice(prefix.length);
  return plain.test(path) ? path : undefined;
}
