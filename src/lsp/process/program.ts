/** Which program a server is, and whether it may be started here. */
import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join } from "node:path";
import type { Plan, ServerPlan } from "../../abi/plan.js";
import { isLoopback } from "../../base/loopback.js";
import { isInside } from "../../base/paths.js";
import { Refusal } from "../../base/problem.js";
import type { PoolContext } from "../types.js";
import { strangersOf, trustStep } from "./trusted.js";

/** What decides which file a command is. */
export type ProgramContext = Pick<PoolContext, "roots" | "base" | "env" | "binFolders" | "trusted" | "avoid">;

/**
 * Where a bare or absolute command is, or undefined when it is not installed. What really lies in one of the folders of
 * `avoid` does not count, whatever name or link leads to it.
 */
export function findCommand(
  command: string,
  folders: readonly string[],
  path: string | undefined,
  avoid: readonly string[] = [],
): string | undefined {
  const counts = (file: string): boolean => isProgram(file) && !liesIn(avoid, file);
  if (isAbsolute(command)) return counts(command) ? command : undefined;
  if (command.includes("/") || command.includes("\\")) return undefined;
  for (const folder of [...folders, ...(path ?? "").split(delimiter)]) {
    if (folder === "" || !isAbsolute(folder)) continue;
    const found = join(folder, command);
    if (counts(found)) return found;
    if (process.platform === "win32" && counts(`${found}.exe`)) return `${found}.exe`;
  }
  return undefined;
}

/** A program of the system that we run ourselves, by its real path. None of a workspace's counts, trusted or not. */
export function findTool(
  name: string,
  { roots, avoid, env }: Pick<PoolContext, "roots" | "avoid" | "env">,
): string | undefined {
  const found = findCommand(name, [], env.PATH, [...roots, ...avoid]);
  return found === undefined ? undefined : realpathSync(found);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Both names count: a link in a folder is the folder's, wherever it leads. */
function liesIn(folders: readonly string[], file: string): boolean {
  if (folders.length === 0) return false;
  const names = [join(realpathSync(dirname(file)), basename(file)), realpathSync(file)];
  return names.some((name) => folders.some((folder) => isInside(name, folder)));
}

/** Whether a server runs already, so that it is neither started nor ended from here. */
export function runsElsewhere({ transport }: Pick<ServerPlan, "transport">): boolean {
  return transport.kind !== "stdio" && transport.mode === "connect";
}

/** Refuses a server whose program may not be started here, or that may not be reached where it is. */
export function assertAllowed(plan: Plan, server: ServerPlan): void {
  const { transport } = server;
  if (transport.kind === "tcp" && !isLoopback(transport.host) && !plan.allow.hosts.includes(transport.host)) {
    throw new Refusal("lsp/not-allowed", `the host of server "${server.id}" is not in allow.hosts`);
  }
  if (runsElsewhere(server)) return;
  const command = server.command[0];
  if (command === undefined || !plan.allow.commands.includes(command)) {
    throw new Refusal("lsp/not-allowed", `the program of server "${server.id}" is not in allow.commands`);
  }
}

/** The file of a server's program, or undefined when it is not installed. A workspace's own files count once it is trusted. */
export function findProgram(plan: Plan, server: ServerPlan, context: ProgramContext): string | undefined {
  return find(plan, server, context, strangersOf(context));
}

/** Whether a program that does not count as installed is there all the same, in a workspace that is not trusted. */
export function isStrangers(plan: Plan, server: ServerPlan, context: ProgramContext): boolean {
  const binFolders = [context.base, ...context.roots].map((folder) => join(folder, "node_modules", ".bin"));
  return find(plan, server, { ...context, binFolders }, []) !== undefined;
}

/** The file of a server's program. Throws a Refusal that says how to get it, or why it may not be started. */
export function requireProgram(plan: Plan, server: ServerPlan, context: ProgramContext): string {
  const program = findProgram(plan, server, context);
  if (program !== undefined) return program;
  if (isStrangers(plan, server, context)) {
    throw new Refusal(
      "lsp/not-allowed",
      `the program of server "${server.id}" lies in the workspace, which is not trusted`,
      { nextSteps: [trustStep(context.base, context)] },
    );
  }
  throw new Refusal(
    "lsp/not-installed",
    `server "${server.id}" is not installed: ${server.command[0]} was not found`,
    { nextSteps: server.install === null ? [] : [{ kind: "command", text: server.install }] },
  );
}

function find(
  plan: Plan,
  server: ServerPlan,
  context: ProgramContext,
  avoid: readonly string[],
): string | undefined {
  const path = server.env.PATH ?? (plan.allow.env.includes("PATH") ? context.env.PATH : undefined);
  return findCommand(server.command[0] ?? "", context.binFolders, path, avoid);
}
