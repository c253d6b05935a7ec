/** Reads the template files; what is done with them is pure. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sortedSet } from "../base/order.js";
import type { Templates } from "./render.js";

const ending = ".hbs";

/** Every `.hbs` file below a folder, by its path without the ending. */
export function readTemplates(folder: string): Templates {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) =>
    name.replaceAll("\\", "/"),
  );
  const files = sortedSet(names.filter((name) => name.endsWith(ending)));
  return Object.fromEntries(
    files.map((name) => [
      name.slice(0, -ending.length),
      readFileSync(join(folder, name), "utf8").replaceAll("\r\n", "\n"),
    ]),
  );
}
