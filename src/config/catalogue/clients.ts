/** The known MCP clients, from `configs/clients.toml`, and the paths of their files on this machine. */
import { isAbsolute, join } from "node:path";
import * as z from "zod";
import type { Environment } from "../discover.js";
import type { Files } from "../files.js";
import { type ClientFacts, type ClientPaths, clientSchema } from "../schema/client.js";
import { readSource } from "../text/read.js";

export type { ClientFacts, ClientFileFacts, ClientPaths } from "../schema/client.js";

/** Whether a file is the user's or the project's. */
export type Scope = "user" | "project";

/** What the paths of a client depend on. */
export interface Whereabouts {
  workspace: string;
  home: string;
  env: Environment;
  platform: string;
}

/** All clients, in the order of the file. */
export function readClients(shipped: string, files: Files): ClientFacts[] {
  const file = join(shipped, "clients.toml");
  const { tree } = readSource(file, files.read(file) ?? "");
  return z.array(clientSchema).parse(tree.clients);
}

/** The absolute paths that a client's file may have; none where the client has no such file. */
export function clientPaths(facts: ClientPaths, scope: Scope, where: Whereabouts): string[] {
  const declared = facts[scope] ?? [];
  const paths = Array.isArray(declared) ? declared : (platformPaths(declared, where.platform) ?? []);
  const places = (some: string[]) => some.flatMap((path) => resolved(path, where) ?? []);
  // A client with an environment variable for its folder does not look into its usual one.
  const fromVariable = places(paths.filter((path) => path.startsWith("$")));
  return fromVariable.length > 0 ? fromVariable : places(paths);
}

function platformPaths(table: { [platform: string]: string[] | undefined }, platform: string) {
  return table[platform] ?? (platform === "win32" ? undefined : table.linux);
}

function resolved(path: string, { workspace, home, env }: Whereabouts): string | undefined {
  if (path.startsWith("~/")) return join(home, path.slice(2));
  const [, name, rest] = /^\$([A-Z_]+)\/(.*)$/.exec(path) ?? [];
  if (name === undefined || rest === undefined) return join(workspace, path);
  const folder = env[name];
  // A relative folder would depend on the current directory.
  return folder !== undefined && isAbsolute(folder) ? join(folder, rest) : undefined;
}
