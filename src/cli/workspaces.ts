/** The workspaces of a gateway that serves several: those that are named, or all trusted ones below a folder. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { realPath } from "../base/disk.js";
import { sha256 } from "../base/hash.js";
import { homeOf } from "../base/home.js";
import { sortedSet } from "../base/order.js";
import { isInside } from "../base/paths.js";
import { listTrusted, openTrust } from "../config/trust/trust.js";
import type { Runtime } from "../runtime/runtime.js";
import { Input, type Io, UsageError } from "./command.js";
import type { ServedWorkspace } from "./dashboard/served-pages.js";
import { openFrom } from "./open.js";

/** The workspaces by name: that of the command line first. All share the watch of this process's memory. */
export async function openWorkspaces(
  input: Input,
  io: Io,
  first: { folder: string; runtime: Runtime; source: string },
): Promise<[ServedWorkspace, ...ServedWorkspace[]]> {
  const { runtime, source } = first;
  const further = foldersOf(input, io).filter((folder) => folder !== first.folder);
  const nameOf = uniqueNames([first.folder, ...further]);
  const workspaces: [ServedWorkspace, ...ServedWorkspace[]] = [
    { name: nameOf(first.folder), runtime, input, io, source },
  ];
  try {
    for (const folder of further) {
      const flags = { ...input.flags, workspace: folder, config: undefined, bundle: undefined };
      const options = { servesUntrusted: true, reloads: true, memory: first.runtime.memory };
      const own = new Input(flags);
      const there = { ...io, cwd: folder };
      const { runtime, source } = await openFrom(own, there, options);
      workspaces.push({ name: nameOf(folder), runtime, input: own, io: there, source });
    }
    return workspaces;
  } catch (error) {
    await Promise.all(workspaces.map(({ runtime }) => runtime.close()));
    throw error;
  }
}

function foldersOf(input: Input, io: Io): string[] {
  const there = (flag: string, given: string): string => {
    const folder = realPath(resolve(io.cwd, given));
    if (!existsSync(folder)) throw new UsageError(`--${flag}: ${folder} does not exist`);
    return folder;
  };
  const named = input.texts("serve-workspace").map((given) => there("serve-workspace", given));
  const below = input.text("below");
  const trusted = below === undefined ? [] : trustedBelow(there("below", below), io);
  return [...new Set([...named, ...trusted])];
}

/** The trusted folders below one, sorted. */
function trustedBelow(folder: string, io: Io): string[] {
  const { folders } = listTrusted(openTrust(io.env, homeOf(io.env)));
  const here = sortedSet(folders.filter((trusted) => isInside(trusted, folder) && existsSync(trusted)));
  if (here.length === 0)
    throw new UsageError(
      `--below: there is no trusted workspace below ${folder}; run \`lsp-proxy trust\` in each that is to be served`,
    );
  return here;
}

/**
 * Names for folders: the last part of the path, with as many parts before it as make the name unique. So a folder that
 * is served later never takes over the name of another one. Characters that a URL may not have are replaced.
 */
export function uniqueNames(folders: readonly string[]): (folder: string) => string {
  const nameOf = (folder: string, count: number) =>
    folder
      .split(/[\\/]/)
      .filter((part) => part !== "")
      .slice(-count)
      .map((part) => part.replace(/[^\w.-]/g, "-"))
      .join("-") || "workspace";
  return (folder) => {
    for (let count = 1; count <= folder.length; count++) {
      const name = nameOf(folder, count);
      if (folders.every((other) => other === folder || nameOf(other, count) !== name)) return name;
    }
    // Two paths that differ only in characters that were replaced.
    return `${nameOf(folder, 1)}-${sha256(folder).slice(0, 8)}`;
  };
}
