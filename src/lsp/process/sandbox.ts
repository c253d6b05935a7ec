/**
 * Confines a server with bubblewrap: read-only, without network, or both. Without bubblewrap, util-linux can take away
 * the network only. A server whose sandbox is not available is refused, never started without it. In every sandbox our
 * own folders are read-only, because they say what this proxy may start.
 */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Plan, SandboxName, ServerPlan } from "../../abi/plan.js";
import { realPath } from "../../base/disk.js";
import { folderNamedBy, homeOf } from "../../base/home.js";
import { sortBy } from "../../base/order.js";
import { isInside } from "../../base/paths.js";
import { here, type Platform } from "../../base/platform.js";
import { Refusal } from "../../base/problem.js";
import type { PoolContext } from "../types.js";
import { redact } from "../wire/redact.js";
import { findTool, runsElsewhere } from "./program.js";

const PROBE_MS = 10_000;

/**
 * The process id that a confined server gets as its client:
 * the first process inside, which lives as long as the sandbox.
 */
export const CLIENT_PID_INSIDE = 1;

export interface Sandbox {
  /** The command prefix; empty for a server without a sandbox. */
  words: string[];
  /** Processes that belong to the sandbox itself. */
  processes: number;
}

type SandboxContext = Pick<PoolContext, "roots" | "env" | "ownFolders" | "ownFiles" | "avoid">;

/** Whether a sandbox may run untrusted code: the code can neither change files outside nor send away what it reads. */
export function confinesUntrusted(sandbox: SandboxName): boolean {
  return sandbox === "read_only_no_network";
}

/** The sandbox of a server. Throws a Refusal when it is not available. */
export async function sandboxOf(
  { workspace }: Plan,
  server: ServerPlan,
  context: SandboxContext,
  platform: Platform = here,
): Promise<Sandbox> {
  if (server.sandbox === "none") return { words: [], processes: 0 };
  if (runsElsewhere(server)) throw unavailable(server, "it runs elsewhere");
  if (server.transport.kind === "tcp" && server.sandbox !== "read_only")
    throw unavailable(server, "it is reached over the network");
  if (!platform.canConfine) throw unavailable(server, "only Linux has one");
  const candidates = [
    ...withBubblewrap(server.sandbox, [...context.roots, ...workspace.extraRoots], context),
    ...(server.sandbox === "no_network" ? withUnshare(context) : []),
  ];
  let failure = "";
  for (const candidate of candidates) {
    const error = await probe(candidate.words);
    if (error === undefined) return candidate;
    failure ||= error;
  }
  if (candidates.length === 0) throw unavailable(server, "bubblewrap (`bwrap`) is not installed");
  throw unavailable(server, `this system forbids it: ${redact(failure, context.roots)}`);
}

/**
 * Devices are replaced, every capability is dropped, and root gets a user namespace, so that no process outside can be
 * entered through /proc. The process namespace ends everything that was started in it. A container may forbid a new
 * /proc; the second candidate keeps the host's.
 */
function withBubblewrap(
  sandbox: SandboxName,
  folders: readonly string[],
  context: SandboxContext,
): Sandbox[] {
  const bwrap = findTool("bwrap", context);
  if (bwrap === undefined) return [];
  const mounts = mountArguments(sandbox !== "no_network", folders, context);
  return [["--proc", "/proc"], []].map((proc) => ({
    words: [
      bwrap,
      ...mounts,
      "--dev",
      "/dev",
      ...proc,
      "--cap-drop",
      "ALL",
      "--unshare-pid",
      "--die-with-parent",
      ...(isSuperuser() ? ["--unshare-user"] : []),
      ...(sandbox === "read_only" ? [] : ["--unshare-net"]),
      "--",
    ],
    // One waits outside, one is the first process inside.
    processes: 2,
  }));
}

/** Takes away the network only: read-only folders would need a shell between two programs. */
function withUnshare(context: SandboxContext): Sandbox[] {
  const [unshare, setpriv] = ["unshare", "setpriv"].map((name) => findTool(name, context));
  if (unshare === undefined || setpriv === undefined) return [];
  const namespaces = ["--user", "--map-current-user", "--net", "--pid", "--fork", "--kill-child"];
  const privileges = isSuperuser() ? ["--bounding-set=-all", "--inh-caps=-all"] : [];
  return [["--mount", "--mount-proc"], []].map((proc) => ({
    words: [unshare, ...namespaces, ...proc, "--", setpriv, "--no-new-privs", ...privileges, "--"],
    processes: 1,
  }));
}

function isSuperuser(): boolean {
  return process.getuid?.() === 0;
}

/** Tries the sandbox with a harmless program; returns the error text when it fails. */
function probe([program = "", ...words]: readonly string[]): Promise<string | undefined> {
  return new Promise((done) => {
    const options = { timeout: PROBE_MS, env: {} };
    execFile(program, [...words, program, "--version"], options, (error, _stdout, stderr) =>
      done(error === null ? undefined : stderr.split("\n")[0] || "the sandbox failed"),
    );
  });
}

function unavailable(server: ServerPlan, why: string): Refusal {
  return new Refusal(
    "lsp/no-sandbox",
    `server "${server.id}" asks for sandbox = "${server.sandbox}", and is not started without it: ${why}`,
  );
}

type MountKind = "writable" | "empty" | "readOnly";
interface Mount {
  path: string;
  kind: MountKind;
}

const mountFlags: { [kind in MountKind]: (path: string) => string[] } = {
  writable: (path) => ["--bind", path, path],
  empty: (path) => ["--tmpfs", path],
  readOnly: (path) => ["--ro-bind", path, path],
};

/** The bubblewrap arguments for the file system; `folders` are those of the workspace. */
function mountArguments(isReadOnly: boolean, folders: readonly string[], context: SandboxContext): string[] {
  const mounts = sortMounts([
    { path: "/", kind: isReadOnly ? "readOnly" : "writable" },
    ...ownMounts(context),
    ...(isReadOnly ? readOnlyMounts(folders, context) : []),
  ]);
  return sortMounts([...mounts, ...pinnedParents(mounts)]).flatMap(({ path, kind }) =>
    mountFlags[kind](path),
  );
}

/**
 * Only temporary files are writable. Caches start empty and are dropped, since other programs run what is in a cache.
 */
function readOnlyMounts(folders: readonly string[], { env }: SandboxContext): Mount[] {
  const home = realPath(homeOf(env));
  const cache = folderNamedBy(env, "XDG_CACHE_HOME") ?? join(home, ".cache");
  makeFolder(cache);
  // Sockets that control the user's session.
  const session = existing([folderNamedBy(env, "XDG_RUNTIME_DIR") ?? "", `/run/user/${process.getuid?.()}`]);
  const temporary = existing(["/tmp", "/var/tmp", folderNamedBy(env, "TMPDIR") ?? "/tmp"]);
  const isOutside = (path: string) => !existing(folders).some((folder) => isInside(path, folder));
  return [
    ...existing([home, ...folders]).map((path): Mount => ({ path, kind: "readOnly" })),
    ...[...existing([cache]), ...session].filter(isOutside).map((path): Mount => ({ path, kind: "empty" })),
    ...temporary.filter(isOutside).map((path): Mount => ({ path, kind: "writable" })),
  ];
}

/**
 * Our own folders are created first, so that no confined program can create them. Files of a workspace are not ours.
 */
function ownMounts({ ownFolders = [], ownFiles = [], roots }: SandboxContext): Mount[] {
  for (const folder of ownFolders) makeFolder(folder);
  const folders = existing(ownFolders);
  const isOwn = (path: string) => ![...roots, ...folders].some((folder) => isInside(path, folder));
  const files = existing(ownFiles).filter(isOwn);
  const isOutermost = (path: string) => !files.some((other) => other !== path && isInside(path, other));
  return [...folders, ...files.filter(isOutermost)].map((path) => ({ path, kind: "readOnly" }));
}

/** A writable parent of a read-only folder could be moved away and replaced. A mount point cannot. */
function pinnedParents(mounts: readonly Mount[]): Mount[] {
  const parents = new Set<string>();
  for (const { path, kind } of mounts)
    if (kind === "readOnly")
      for (let parent = dirname(path); parent !== dirname(parent); parent = dirname(parent))
        parents.add(parent);
  const mountOf = (path: string) => mounts.findLast((mount) => isInside(path, mount.path));
  return [...parents].flatMap((path): Mount[] => {
    const mount = mountOf(path);
    return mount?.kind === "writable" && mount.path !== path ? [{ path, kind: "writable" }] : [];
  });
}

/**
 * Outer folders first, since a later mount covers an earlier one. Of two mounts of one path the stricter one is used.
 */
function sortMounts(mounts: readonly Mount[]): Mount[] {
  const order: MountKind[] = ["writable", "empty", "readOnly"];
  const byPath = new Map(
    sortBy(mounts, ({ kind }) => [order.indexOf(kind)]).map((mount) => [mount.path, mount]),
  );
  return sortBy([...byPath.values()], ({ path }) => [path.length, path]);
}

/** The real paths of those that exist. */
function existing(paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => path !== "" && existsSync(path)).map(realPath))];
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch {
    // A confined program cannot create a folder that we cannot create.
  }
}
