/** A file system in memory, and the same laid over the real disk for the shipped configs. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { FolderEntry } from "../../src/base/disk.js";
import { diskFiles, type Files, type StateFiles } from "../../src/config/files.js";
import type { ConfigRequest } from "../../src/config/load.js";

/** Absolute folder of the configs that are shipped. */
export const SHIPPED = fileURLToPath(new URL("../../configs", import.meta.url));

/** Files by absolute path; folders are implied. `links` maps a path to the real one. */
export function memoryFiles(
  contents: { [path: string]: string | Uint8Array },
  links: { [path: string]: string } = {},
): StateFiles & { contents: { [path: string]: string | Uint8Array } } {
  return {
    contents,
    read: (path) => contents[path],
    list: (path) => {
      const entries = new Map<string, FolderEntry>();
      for (const file of Object.keys(contents)) {
        if (!file.startsWith(`${path}/`)) continue;
        const [name = "", ...rest] = file.slice(path.length + 1).split("/");
        entries.set(name, { name, kind: rest.length > 0 ? "folder" : "file" });
      }
      return [...entries.values()];
    },
    realpath: (path) => links[path] ?? path,
    remove: (path) => {
      delete contents[path];
    },
    replace: (path, text) => {
      contents[path] = text;
    },
  };
}

/** Memory for the workspace and the home, the disk for what is shipped. */
export function overShipped(contents: { [path: string]: string | Uint8Array }): Files {
  const memory = memoryFiles(contents);
  const pick = (path: string): Files =>
    path === SHIPPED || dirname(path).startsWith(SHIPPED) ? diskFiles : memory;
  return {
    read: (path) => pick(path).read(path),
    list: (path) => pick(path).list(path),
    realpath: (path) => path,
  };
}

/** A request for the workspace `/w` of the user whose home is `/home/me`. */
export function request(changes: Partial<ConfigRequest> = {}): ConfigRequest {
  return { workspace: "/w", env: {}, home: "/home/me", shipped: "/shipped", commandLine: {}, ...changes };
}
