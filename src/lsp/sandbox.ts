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
  const words = [realpathSync(program), ...confinement(server.sandbox, [...roots, ...workspace.extraRoots])];
  const failure = await probe(words);
  if (failure !== undefined) throw refused(server, `this system forbids it: ${redact(failure, roots)}`);
  return words;
}

/**
 * Devices are replaced and every capability dropped, so that the superuser cannot undo it either. The process table stays:
 * servers end when the process that we name as their client is not to be seen.
 */
function confinement(sandbox: SandboxName, folders: readonly string[]): string[] {
  const isReadOnly = sandbox !== "no_network";
  const kept = isReadOnly ? folders.filter((folder) => existsSync(folder)) : [];
  return [
    ...["--bind", "/", "/", "--dev", "/dev", "--cap-drop", "ALL"],
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
