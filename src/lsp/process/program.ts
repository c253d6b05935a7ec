/** Finds the program of a server, and checks whether it may be started here. */
import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { Plan, ServerPlan } from "../../abi/plan.js";
import { isLoopback } from "../../base/listen-address.js";
import { Refusal } from "../../base/problem.js";
import type { PoolContext } from "../types.js";
import { findCommand, type ProgramFolders, searchProgram } from "./search.js";
import { assertRecent } from "./start-failure.js";
import { trustStep, untrustedFolders } from "./trusted.js";

export type ProgramContext = Pick<
  PoolContext,
  "roots" | "base" | "env" | "binFolders" | "trusted" | "avoid" | "otherServer" | "platform"
> &
  ProgramFolders;

/** The real path of a system tool that we run ourselves. Programs of a workspace do not count, trusted or not. */
export function findTool(
  name: string,
  { roots, avoid, env }: Pick<PoolContext, "roots" | "avoid" | "env">,
): string | undefined {
  const found = findCommand(name, [], env.PATH, [...roots, ...avoid]);
  return found === undefined ? undefined : realpathSync.native(found);
}

/** Whether a server runs already, so that it is neither started nor ended by us. */
export function runsElsewhere({ transport }: Pick<ServerPlan, "transport">): boolean {
  return transport.kind !== "stdio" && transport.mode === "connect";
}

/** Refuses a server whose program or host the plan does not allow. */
export function assertAllowed(plan: Plan, server: ServerPlan): void {
  const { transport } = server;
  if (transport.kind === "tcp" && !isLoopback(transport.host) && !plan.allow.hosts.includes(transport.host)) {
    throw new Refusal("lsp/not-allowed", `the host of server "${server.id}" is not in allow.hosts`, {
      nextSteps: [{ kind: "config", text: `Add "${transport.host}" to \`allow.hosts\`.` }],
    });
  }
  if (runsElsewhere(server)) return;
  const command = server.command[0];
  if (command === undefined || !plan.allow.commands.includes(command)) {
    throw new Refusal("lsp/not-allowed", `the program of server "${server.id}" is not in allow.commands`, {
      nextSteps: [{ kind: "config", text: `Add "${command}" to \`allow.commands\`.` }],
    });
  }
}

/**
 * The file of a server's program, or undefined when it is not installed. Files of an untrusted workspace do not count.
 */
export function findProgram(plan: Plan, server: ServerPlan, context: ProgramContext): string | undefined {
  return searchServerProgram(plan, server, context, untrustedFolders(context));
}

/** Whether a program that counts as not installed exists in an untrusted workspace. */
export function isInUntrustedFolder(plan: Plan, server: ServerPlan, context: ProgramContext): boolean {
  const binFolders = [context.base, ...context.roots].map((folder) => join(folder, "node_modules", ".bin"));
  return searchServerProgram(plan, server, { ...context, binFolders }, []) !== undefined;
}

/** The file of a server's program. Throws a Refusal that says how to install it, or why it may not be started. */
export function requireProgram(plan: Plan, server: ServerPlan, context: ProgramContext): string {
  // Search again without the minimum version, to report a program that is too old.
  const program =
    findProgram(plan, server, context) ?? findProgram(plan, { ...server, minVersion: null }, context);
  if (program !== undefined) {
    assertRecent(server, program, context.otherServer);
    return program;
  }
  if (isInUntrustedFolder(plan, server, context)) {
    throw new Refusal(
      "lsp/not-allowed",
      `the program of server "${server.id}" lies in the workspace, which is not trusted`,
      { nextSteps: [trustStep(context.base, context)] },
    );
  }
  const [name = ""] = server.command;
  const where = /[\\/]/.test(name) ? "does not exist or is not a program" : "was not found on PATH";
  throw new Refusal("lsp/not-installed", `server "${server.id}" is not installed: ${name} ${where}`, {
    nextSteps: [
      server.install === null
        ? { kind: "config", text: `Install ${name}, or correct \`command\` of the server "${server.id}".` }
        : { kind: "command", text: server.install },
    ],
  });
}

function searchServerProgram(
  plan: Plan,
  server: ServerPlan,
  context: ProgramContext,
  avoid: readonly string[],
): string | undefined {
  const { binFolders, serversFolder, toolFolders } = context;
  const search = { binFolders, minVersion: server.minVersion, avoid };
  const { PATH: path } = server.env;
  // A PATH in the config says where to search. Other folders of the user count like the PATH that is inherited.
  if (path !== undefined || !plan.allow.env.includes("PATH"))
    return searchProgram(server.command[0] ?? "", { ...search, path });
  return searchProgram(server.command[0] ?? "", {
    ...search,
    path: context.env.PATH,
    serversFolder,
    toolFolders,
  });
}
