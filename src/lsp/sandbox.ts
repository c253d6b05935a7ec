/**
 * Confines a server with bubblewrap: the workspace read-only, no network, or both. A sandbox that was asked for and
 * cannot be had is a refusal; no server ever runs without it.
 */
import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import type { Plan, SandboxName, ServerPlan } from "../abi/plan.js";
import { Refusal } from "../base/problem.js";
import { findCommand, runsElsewhere } from "./program.js";
import { redact } from "./redact.js";
import type { PoolContext } from "./types.js";

const PROBE_MS = 10_000;

/** The words that start a server's own words in its sandbox; none when it asks for none. */
export async function sandboxWords(
  { workspace }: Plan,
  server: ServerPlan,
  { roots, env }: Pick<PoolContext, "roots" | "env">,
): Promise<string[]> {
  if (server.sandbox === "none") return [];
  if (runsElsewhere(server)) throw refused(server, "it runs elsewhere");
  if (server.transport.kind === "tcp" && server.sandbox !== "read_only")
    throw refused(server, "it is spoken to over the network");
  if (process.platform !== "linux") throw refused(server, "only Linux has one");
  const program = findCommand("bwrap", [], env.PATH, roots);
  if (program === undefined) throw refused(server, "bubblewrap (`bwrap`) is not installed");
  const bwrap = realpathSync(program);
  const folders = [...roots, ...workspace.extraRoots];
  let failure = "";
  // A container may forbid a process table of one's own; the host's, of which nothing can be entered, then stays in sight.
  for (const table of [["--proc", "/proc"], []]) {
    const words = [bwrap, ...confinement(server.sandbox, folders, table)];
    const failed = await probe(words);
    if (failed === undefined) return words;
    failure ||= failed;
  }
  throw refused(server, `this system forbids it: ${redact(failure, roots)}`);
}

/** Processes that a sandbox has of its own: the one that waits outside and the first one inside. */
export const SANDBOX_PROCESSES = 2;

/** The process that a confined server may take for its client: the first of its own table, there as long as the sandbox is. */
export const CLIENT_INSIDE = 1;

/**
 * Devices are replaced, every capability is dropped, and the superuser gets a user namespace as others do anyway, so that
 * no process outside can be entered through its folder in the process table. Its own process table ends whatever was
 * started in it, wherever that went.
 */
function confinement(sandbox: SandboxName, folders: readonly string[], table: readonly string[]): string[] {
  const isReadOnly = sandbox !== "no_network";
  const kept = isReadOnly ? folders.filter((folder) => existsSync(folder)) : [];
  return [
    ...["--bind", "/", "/", "--dev", "/dev", ...table, "--cap-drop", "ALL"],
    ...["--unshare-pid", "--die-with-parent"],
    ...(process.getuid?.() === 0 ? ["--unshare-user"] : []),
    ...kept.flatMap((folder) => ["--ro-bind", folder, folder]),
    ...(sandbox === "read_only" ? [] : ["--unshare-net"]),
    "--",
  ];
}

/** Starts the sandbox once around itself; gives why that failed. */
function probe([program = "", ...words]: readonly string[]): Promise<string | undefined> {
  return new Promise((done) => {
    execFile(program, [...words, program, "--version"], { timeout: PROBE_MS, env: {} }, (error, _out, told) =>
      done(error === null ? undefined : told.split("\n")[0] || "bubblewrap failed"),
    );
  });
}

function refused(server: ServerPlan, why: string): Refusal {
  return new Refusal(
    "lsp/no-sandbox",
    `server "${server.id}" asks for sandbox = "${server.sandbox}", and is not started without it: ${why}`,
  );
}
