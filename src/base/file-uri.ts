/** The `file:` URI of a path. Every URI that leaves the program is made here, and means the very file that was named. */
import { pathToFileURL } from "node:url";

/** The URI of an absolute path. */
export function fileUri(path: string): string {
  // URLs lose blanks and control characters at their end, and would then name another file.
  return pathToFileURL(`${path}_`).href.slice(0, -1);
}
