/** The MCP clients that are known, from `configs/clients.toml`, and where each keeps its files here. */
import { isAbsolute, join } from "node:path";
import * as z from "zod";
import type { Environment } from "../discover.js";
import type { Files } from "../files.js";
import { type ClientFacts, type ClientPaths, clientSchema } from "../schema/client.js";
import { readSource } from "../text/read.js";

export type { ClientFacts, ClientFileFacts, ClientPaths } from "../schema/client.js";

/** Whose file is meant: a person's own, or the one of a project. */
export type Scope = "user" | "project";

/** What the paths of a client depend on. */
export interface Whereabouts {
  workspace: string;
  home: string;
  env: Environment;
  platform: string;
}

/** Every client, in the order of the file. */
export function readClients(shipped: string, files: Files): ClientFacts[] {
  const file = join(shipped, "clients.toml");
  const { tree } = readSource(file, files.read(file) ?? "");
  return z.array(clientSchema).parse(tree.clients);
}

/** The absolute paths that a client's file may have here, by a variable alone where one is set; none where it has no such file. */
export function clientPaths(facts: ClientPaths, scope: Scope, where: Whereabouts): string[] {
  const declared = facts[scope] ?? [];
  const paths = Array.isArray(declared) ? declared : (platformPaths(declared, where.platform) ?? []);
  const places = (some: string[]) => some.flatMap((path) => resolved(path, where) ?? []);
  // A client that is told of a folder does not look into its usual one, whatever lies there.
  const told = places(paths.filter((path) => path.startsWith("$")));
  return told.length > 0 ? told : places(paths);
}

function platformPaths(table: { [platform: string]: string[] | undefined }, platform: string) {
  return table[platform] ?? (platform === "win32" ? undefined : table.linux);
}

function resolved(path: string, { workspace, home, env }: Whereabouts): string | undefined {
  if (path.startsWith("~/")) return join(home, path.slice(2));
  const [, name, rest] = /^\$([A-Z_]+)\/(.*)$/.exec(path) ?? [];
  if (name === undefined || rest === undefined) return join(workspace, path);
  const folder = env[name];
  // A relative folder would mean another file from every directory.
  return folder !== undefined && isAbsolute(folder) ? join(folder, rest) : undefined;
}
