/** Versions of programs: read from their node package without starting them, and compared with the oldest that works. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { readRegularFile } from "../../base/guarded-open.js";
import { isTable } from "../../base/json.js";
import { compareKeys } from "../../base/order.js";

const MAX_MANIFEST_BYTES = 1 << 20;

/** The version of the node package that a program belongs to. Undefined where it belongs to none. */
export function packageVersion(program: string): string | undefined {
  for (let folder = dirname(realpathSync(program)); dirname(folder) !== folder; folder = dirname(folder)) {
    const file = join(folder, "package.json");
    if (!existsSync(file)) continue;
    try {
      // In an untrusted folder it may be a pipe or endless, so the guarded reader is used.
      const content = readRegularFile(file, MAX_MANIFEST_BYTES)?.bytes.toString("utf8") ?? "";
      const manifest: unknown = JSON.parse(content);
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
