/** Paths and `file:` URIs, by text only: containment, slashes, conversion. Paths are absolute real paths. */
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { here, type Platform } from "./platform.js";

/** Whether a path is the folder itself or lies inside it. */
export function isInside(path: string, folder: string): boolean {
  const steps = relative(folder, path);
  return steps !== ".." && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}

/** Where a path is after a file or folder was moved. */
export function pathAfterMove(path: string, from: string, to: string): string {
  return isInside(path, from) ? to + path.slice(from.length) : path;
}

/** A name as macOS compares it: in any letter case, with `é` as one character or as `e` and an accent. */
export function folded(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** Whether a path leads to another machine, or to a device of Windows. */
export function isOnShare(path: string, { hasDrives }: Platform = here): boolean {
  return hasDrives && /^[\\/]{2}/.test(path);
}

/** The path with forward slashes. */
export function slashed(path: string): string {
  return here.hasDrives ? path.split(sep).join("/") : path;
}

/** The `file:` URI of an absolute path. */
export function fileUri(path: string): string {
  // `pathToFileURL` drops white space at the end, which would name another file.
  return pathToFileURL(`${path}_`).href.slice(0, -1);
}

/**
 * The path of a `file:` URI, however it is escaped; undefined for any other URI. On Windows servers write
 * `file:///c%3A/` for the drive `C:`, whose real paths have a capital letter.
 */
export function pathOfUri(uri: unknown, { hasDrives }: Platform = here): string | undefined {
  if (typeof uri !== "string" || !uri.startsWith("file:")) return undefined;
  try {
    const path = fileURLToPath(uri, { windows: hasDrives });
    return hasDrives ? path.replace(/^[a-z]:/, (drive) => drive.toUpperCase()) : path;
  } catch {
    return undefined;
  }
}
