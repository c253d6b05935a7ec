/** Reads the template files from disk. Rendering them (`render.ts`) is pure. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sortedSet } from "../base/order.js";
import type { Templates } from "./render.js";

const extension = ".hbs";

/** Every `.hbs` file below a folder, by its path without the extension. */
export function readTemplates(folder: string): Templates {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    name.replaceAll("\\", "/"),
  );
  const files = sortedSet(names.filter((name) => name.endsWith(extension)));
  return Object.fromEntries(
    files.map((name) => [
      name.slice(0, -extension.length),
      readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n"),
    ]),
  );
}
