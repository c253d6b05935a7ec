/** Path containment. Callers pass absolute paths, with links resolved where links matter. */
import { isAbsolute, relative } from "node:path";

/** Whether a path is a folder or is inside it; `/a/bc` is not inside `/a/b`. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !/^\.\.[/\\]/.test(way) && !isAbsolute(way));
}
