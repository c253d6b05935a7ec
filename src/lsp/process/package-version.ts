/** Versions of programs: read from their node package without starting them, and compared with the oldest that works. */
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readRegularFile } from "../../base/guarded-open.js";
import { isTable } from "../../base/json.js";
import { compareKeys } from "../../base/order.js";

const MAX_MANIFEST_BYTES = 1 << 20;

/** The version of the node package that a program belongs to. Undefined where it belongs to none, or that is not known. */
export function packageVersion(program: string): string | undefined {
  const file = shimTarget(realpathSync(program));
  // What is above `node_modules` is the project that uses the package.
  for (let folder = dirname(file); dirname(folder) !== folder; folder = dirname(folder)) {
    if (basename(folder) === "node_modules") return undefined;
    const text = readText(join(folder, "package.json"));
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

/** The file that a script in `node_modules/.bin` runs: pnpm writes scripts where npm makes links. */
function shimTarget(program: string): string {
  if (basename(dirname(program)) !== ".bin") return program;
  const [, target] = /"\$basedir\/([^"\s]+)" /.exec(readText(program) ?? "") ?? [];
  return target === undefined ? program : join(dirname(program), target);
}

/** In an untrusted folder it may be a pipe or endless, so the guarded reader is used. */
function readText(file: string): string | undefined {
  try {
    return existsSync(file) ? readRegularFile(file, MAX_MANIFEST_BYTES)?.bytes.toString("utf8") : undefined;
  } catch {
    return undefined;
  }
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
