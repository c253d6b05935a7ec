/**
 * Versions of programs: read from their node package without starting them, and compared with the oldest that works.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isTable } from "../../base/json.js";
import { compareKeys } from "../../base/order.js";
import { scriptTarget, textOf } from "./launcher-script.js";

/**
 * The version of the node package that a program belongs to. Undefined where it belongs to none, or that is not known.
 */
export function packageVersion(program: string): string | undefined {
  const real = realpathSync.native(program);
  const file = (basename(dirname(real)) === ".bin" ? scriptTarget(real) : undefined) ?? real;
  // A folder above `node_modules` belongs to the project that uses the package.
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    if (basename(folder) === "node_modules") return undefined;
    const text = textOf(join(folder, "package.json"));
    if (text === undefined) continue;
    try {
      const manifest: unknown = JSON.parse(text);
      return isTable(manifest) && typeof manifest.version === "string" ? manifest.version : undefined;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Whether the first version number in a text is at least `wanted`. */
export function isAtLeast(printed: string, wanted: string): boolean {
  const found = /\d+(?:\.\d+)*/.exec(printed)?.[0].split(".");
  const least = wanted.split(".").map(Number);
  return (
    found !== undefined &&
    compareKeys(
      least.map((_, index) => Number(found[index] ?? 0)),
      least,
    ) >= 0
  );
}
