/** Path containment and spelling, by text only: callers pass absolute real paths. */
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { plainPath } from "./file-uri.js";

/** Whether a path is the folder itself or lies inside it. */
export function isInside(path: string, folder: string): boolean {
  const steps = relative(folder, path);
  return steps !== ".." && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}

/** Where a path is after a file or folder was moved. */
export function pathAfterMove(path: string, from: string, to: string): string {
  return isInside(path, from) ? to + path.slice(from.length) : path;
}

/** The path with forward slashes. */
export function slashed(path: string): string {
  return sep === "/" ? path : path.split(sep).join("/");
}

/** The path of a `file:` URI, however it is escaped; undefined for any other URI. */
export function pathOfUri(uri: unknown): string | undefined {
  if (typeof uri !== "string" || !uri.startsWith("file:")) return undefined;
  try {
    return plainPath(uri) ?? fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
