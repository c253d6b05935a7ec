/** Which program a server is, whether it may be started here, and with what words and environment. */
import { accessSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import type { Plan, ServerPlan } from "../abi/plan.js";
import type { Json } from "../base/json.js";
import { define, isTable } from "../base/json.js";
import { Refusal } from "../base/problem.js";
import type { PoolContext } from "./types.js";

/** Where a bare or absolute command is, or undefined when it is not installed. */
export function findCommand(
  command: string,
  folders: readonly string[],
  path: string | undefined,
): string | undefined {
  if (isAbsolute(command)) return isProgram(command) ? command : undefined;
  if (command.includes("/") || command.includes("\\")) return undefined;
  for (const folder of [...folders, ...(path ?? "").split(delimiter)]) {
    if (folder === "" || !isAbsolute(folder)) continue;
    const found = join(folder, command);
    if (isProgram(found)) return found;
    if (process.platform === "win32" && isProgram(`${found}.exe`)) return `${found}.exe`;
  }
  return undefined;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** The environment of a server: the allowed names of ours, and its own. */
export function serverEnv(plan: Plan, server: ServerPlan, context: PoolContext): { [name: string]: string } {
  const env: { [name: string]: string } = {};
  for (const name of plan.allow.env) {
    const value = context.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...env, ...server.env };
}

/** Puts the named paths `<workspace>` and `<node_modules>` into every text of a value. */
export function withNamedPaths<T extends Json>(value: T, root: string): T {
  const fill = (item: Json): Json => {
    if (typeof item === "string") {
      if (!item.includes("<")) return item;
      return item.replaceAll("<workspace>", root).replaceAll("<node_modules>", () => nodeModulesOf(root));
    }
    if (Array.isArray(item)) return item.map(fill);
    if (!isTable(item)) return item;
    const out: { [key: string]: Json } = {};
    for (const [key, member] of Object.entries(item)) define(out, key, fill(member));
    return out;
  };
  return fill(value) as T;
}

/** The nearest `node_modules` at or above a root. */
function nodeModulesOf(root: string): string {
  for (let folder = root; ; folder = dirname(folder)) {
    const found = join(folder, "node_modules");
    if (existsSync(found) || dirname(folder) === folder)
      return existsSync(found) ? found : join(root, "node_modules");
  }
}

/** Refuses a server whose program may not be started here. */
export function assertAllowed(plan: Plan, server: ServerPlan): void {
  const command = server.command[0];
  if (server.transport.kind !== "stdio") return;
  if (command === undefined || !plan.allow.commands.includes(command)) {
    throw new Refusal("lsp/not-allowed", `the program of server "${server.id}" is not in allow.commands`);
  }
  if (server.sandbox !== "none") {
    throw new Refusal(
      "lsp/not-allowed",
      `server "${server.id}" asks for sandbox = "${server.sandbox}", which this system does not offer`,
    );
  }
}

/** The file of a server's program, or undefined when it is not installed. */
export function findProgram(plan: Plan, server: ServerPlan, context: PoolContext): string | undefined {
  return findCommand(server.command[0] ?? "", context.binFolders, serverEnv(plan, server, context).PATH);
}
