/** How messages name a file. */
import { relative } from "node:path";
import { escapeLine } from "../../base/hidden-characters.js";
import { isInside, slashed } from "../../base/paths.js";

/** A path as it is shown: relative to the base when it is below it. */
export function shownFile(file: string, base: string | undefined): string {
  if (base === undefined) return escapeLine(file);
  const isBelow = isInside(file, base) && relative(base, file) !== "";
  return escapeLine(isBelow ? slashed(relative(base, file)) : file);
}
