/** The files in a folder that something happens to. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sortBy } from "../../base/order.js";
import type { OperatedFile } from "../../lsp/documents/file-operations.js";

/** As many as one edit may have. */
const mostFiles = 5000;
const skipped = new Set([".git", "node_modules"]);

/** What happens to each file in a folder, which stands at `now`. */
export async function filesBelow({ path, newPath }: OperatedFile, now: string): Promise<OperatedFile[]> {
  const files: OperatedFile[] = [];
  for await (const file of filesIn(now)) {
    const rest = file.slice(now.length);
    files.push({
      path: path + rest,
      ...(newPath === undefined ? {} : { newPath: newPath + rest }),
      isFolder: false,
    });
  }
  return files;
}

/** Files in a folder, in the order of their names, at most as many as one edit may have. */
export async function* filesIn(folder: string): AsyncGenerator<string> {
  const folders = [folder];
  let seen = 0;
  for (let next = folders.shift(); next !== undefined && seen < mostFiles; next = folders.shift()) {
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of sortBy(entries, ({ name }) => [name])) {
      if (entry.isFile()) {
        if (++seen > mostFiles) return;
        yield join(next, entry.name);
      } else if (entry.isDirectory() && !skipped.has(entry.name)) folders.push(join(next, entry.name));
    }
  }
}
