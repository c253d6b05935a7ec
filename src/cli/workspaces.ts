/** The workspaces of a gateway that serves several: those that are named, or all trusted ones below a folder. */
import { existsSync } from "node:fs";
import { basename, resolve } from "node:path";
import { realPath } from "../base/disk.js";
import { homeOf } from "../base/home.js";
import { sortedSet } from "../base/order.js";
import { isInside } from "../base/paths.js";
import { listTrusted, openTrust } from "../config/trust/trust.js";
import type { Workspace } from "../mcp/http/workspaces.js";
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
  const workspaces: [ServedWorkspace, ...ServedWorkspace[]] = [
    { name: nameFor(first.folder, []), runtime, input, io, source },
  ];
  try {
    for (const folder of foldersOf(input, io).filter((folder) => folder !== first.folder)) {
      const flags = { ...input.flags, workspace: folder, config: undefined, bundle: undefined };
      const options = { servesUntrusted: true, reloads: true, memory: first.runtime.memory };
      const own = new Input(flags);
      const there = { ...io, cwd: folder };
      const { runtime, source } = await openFrom(own, there, options);
      workspaces.push({ name: nameFor(folder, workspaces), runtime, input: own, io: there, source });
    }
    return workspaces;
  } catch (error) {
    await Promise.all(workspaces.map(({ runtime }) => runtime.close()));
    throw error;
  }
}

function foldersOf(input: Input, io: Io): string[] {
  const named = input.texts("serve-workspace").map((folder) => realPath(resolve(io.cwd, folder)));
  for (const folder of named)
    if (!existsSync(folder)) throw new UsageError(`--serve-workspace: ${folder} does not exist`);
  const below = input.text("below");
  const trusted = below === undefined ? [] : trustedBelow(realPath(resolve(io.cwd, below)), io);
  return [...new Set([...named, ...trusted])];
}

/** The trusted folders below one, sorted. */
function trustedBelow(folder: string, io: Io): string[] {
  const { folders } = listTrusted(openTrust(io.env, homeOf(io.env)));
  const here = sortedSet(folders.filter((trusted) => isInside(trusted, folder) && existsSync(trusted)));
  if (here.length === 0) throw new UsageError(`--below: there is no trusted workspace below ${folder}`);
  return here;
}

/** The folder's name, with what a path may not have replaced, and a number where another one has it. */
function nameFor(folder: string, others: readonly Workspace[]): string {
  const base = basename(folder).replace(/[^\w.-]/g, "-") || "workspace";
  const isTaken = (name: string) => others.some((other) => other.name === name);
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!isTaken(name)) return name;
  }
}
