/**
 * The program's own folders for state, user config and installed servers.
 * Separate, so that using them loads no config code.
 */
import { join } from "node:path";
import { here, type Platform } from "../base/platform.js";

export function stateFolder(env: { [name: string]: string | undefined }, home: string): string {
  return join(env.XDG_STATE_HOME || join(home, ".local", "state"), "lsp-proxy");
}

/** The record of the configs and folders that the user trusts. */
export function trustFile(env: { [name: string]: string | undefined }, home: string): string {
  return join(stateFolder(env, home), "trusted.json");
}

export function configFolder(env: { [name: string]: string | undefined }, home: string): string {
  return join(env.XDG_CONFIG_HOME || join(home, ".config"), "lsp-proxy");
}

/** The folder of the servers that `lsp-proxy install` installs, each in `<id>/<version>`. */
export function serversFolder(
  env: { [name: string]: string | undefined },
  home: string,
  { dataVariable }: Platform = here,
): string {
  const own = dataVariable === undefined ? undefined : env[dataVariable];
  return join(env.XDG_DATA_HOME || own || join(home, ".local", "share"), "lsp-proxy", "servers");
}
