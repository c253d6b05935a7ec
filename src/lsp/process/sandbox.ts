/**
 * Confines a server with bubblewrap: read-only, no network, or both. Without bubblewrap, util-linux takes away the network as
 * well, and nothing else. A sandbox that was asked for and cannot be had is a refusal; no server ever runs
 * without it.
 */
import { execFile } from "node:child_process";
import type { Plan, SandboxName, ServerPlan } from "../../abi/plan.js";
import { Refusal } from "../../base/problem.js";
import type { PoolContext } from "../types.js";
import { redact } from "../wire/redact.js";
import { type MountContext, mountWords } from "./mounts.js";
import { findTool, runsElsewhere } from "./program.js";

const PROBE_MS = 10_000;

/** A way to start a program confined. */
export interface Sandbox {
  /** The words before the program's own; none for a server that asks for no sandbox. */
  words: string[];
  /** Processes that the sandbox has of its own. */
  processes: number;
}

/** Whether a sandbox holds code of strangers, which must neither change what is run outside nor send away what it reads. */
export function holdsStrangers(sandbox: SandboxName): boolean {
  return sandbox === "read_only_no_network";
}

type SandboxContext = MountContext & Pick<PoolContext, "avoid">;

/** The sandbox of a server. Throws a Refusal when it asks for one that cannot be had. */
export async function sandboxOf(
  { workspace }: Plan,
  server: ServerPlan,
  context: SandboxContext,
): Promise<Sandbox> {
  if (server.sandbox === "none") return { words: [], processes: 0 };
  if (runsElsewhere(server)) throw refused(server, "it runs elsewhere");
  if (server.transport.kind === "tcp" && server.sandbox !== "read_only")
    throw refused(server, "it is spoken to over the network");
  if (process.platform !== "linux") throw refused(server, "only Linux has one");
  const ways = [
    ...withBubblewrap(server.sandbox, [...context.roots, ...workspace.extraRoots], context),
    ...(server.sandbox === "no_network" ? withUnshare(context) : []),
  ];
  let failure = "";
  for (const way of ways) {
    const failed = await probe(way.words);
    if (failed === undefined) return way;
    failure ||= failed;
  }
  const why =
    ways.length > 0
      ? `this system forbids it: ${redact(failure, context.roots)}`
      : "bubblewrap (`bwrap`) is not installed";
  throw refused(server, why);
}

/** The process that a confined server may take for its client: the first of its own table, there as long as the sandbox is. */
export const CLIENT_INSIDE = 1;

/**
 * Devices are replaced, every capability is dropped, and the superuser gets a user namespace as others do anyway, so that
 * no process outside can be entered through its folder in the process table. Its own process table ends whatever was
 * started in it, wherever that went. A container may forbid a process table of one's own; the host's, of which nothing can
 * be entered, then stays in sight.
 */
function withBubblewrap(
  sandbox: SandboxName,
  folders: readonly string[],
  context: SandboxContext,
): Sandbox[] {
  const bwrap = findTool("bwrap", context);
  if (bwrap === undefined) return [];
  const mounts = mountWords(sandbox !== "no_network", folders, context);
  return [["--proc", "/proc"], []].map((table) => ({
    words: [
      ...[bwrap, ...mounts, "--dev", "/dev", ...table, "--cap-drop", "ALL"],
      ...["--unshare-pid", "--die-with-parent"],
      ...(isSuperuser() ? ["--unshare-user"] : []),
      ...(sandbox === "read_only" ? [] : ["--unshare-net"]),
      "--",
    ],
    // The one that waits outside and the first one inside.
    processes: 2,
  }));
}

/**
 * A network and a process table of one's own, by namespaces that only somebody outside could leave: without capabilities, and
 * with no way to get any. To make a folder read-only a step would have to stand between two programs, which is a shell.
 */
function withUnshare(context: Pick<PoolContext, "roots" | "avoid" | "env">): Sandbox[] {
  const [unshare, setpriv] = ["unshare", "setpriv"].map((name) => findTool(name, context));
  if (unshare === undefined || setpriv === undefined) return [];
  return [["--mount", "--mount-proc"], []].map((table) => ({
    words: [
      ...[
        unshare,
        "--user",
        "--map-current-user",
        "--net",
        "--pid",
        "--fork",
        "--kill-child",
        ...table,
        "--",
      ],
      ...[
        setpriv,
        "--no-new-privs",
        ...(isSuperuser() ? ["--bounding-set=-all", "--inh-caps=-all"] : []),
        "--",
      ],
    ],
    processes: 1,
  }));
}

function isSuperuser(): boolean {
  return process.getuid?.() === 0;
}

/** Starts the sandbox once around a program of its own that says its version; gives why that failed. */
function probe([program = "", ...words]: readonly string[]): Promise<string | undefined> {
  return new Promise((done) => {
    execFile(program, [...words, program, "--version"], { timeout: PROBE_MS, env: {} }, (error, _out, told) =>
      done(error === null ? undefined : told.split("\n")[0] || "the sandbox failed"),
    );
  });
}

function refused(server: ServerPlan, why: string): Refusal {
  return new Refusal(
    "lsp/no-sandbox",
    `server "${server.id}" asks for sandbox = "${server.sandbox}", and is not started without it: ${why}`,
  );
}
