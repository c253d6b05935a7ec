/** What a folder has in it, to compare it with another. */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative } from "node:path";

/** Digest and permissions of each file. */
export function digests(folder: string): { [path: string]: string } {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
  return Object.fromEntries(
    paths.map((path) => {
      const sum = createHash("sha256").update(readFileSync(path)).digest("hex");
      return [relative(folder, path), `${sum} ${(statSync(path).mode & 0o777).toString(8)}`];
    }),
  );
}
